import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import fc from '../../../../test/harness/properties.js';
import { formatAddress, parseAddress } from '../../net/address.js';
import { formatMac } from '../../net/eui64.js';
import { formatPrefix, parsePrefix } from '../../net/prefix.js';
import { decodeIpPacket, PROTOCOL } from '../packet/ip-packet.js';
import { decodeLinkFrame } from '../packet/link-frame.js';
import { readCapture } from '../pcap/read-capture.js';
import { decodeNdMessage } from './decode-nd-message.js';
import { encodeRouterAdvertisement, encodeRouterSolicitation } from './encode-nd-message.js';
import { INFINITE_LIFETIME, type NdMessage, type NdOption, type RouterAdvertisement } from './nd-message.js';

const PCAPS = new URL('../../../../pcaps/', import.meta.url);
const LINK_LOCAL = parseAddress('fe80::1')!;
const UNSPECIFIED = parseAddress('::')!;

/** One entry of the reading that tshark made of a capture. */
interface Expected {
  readonly n: number;
  readonly src: string;
  readonly kind: string;
  readonly target?: string;
  readonly hopLimitField?: number;
  readonly flags?: string;
  readonly lifetime?: number;
  readonly reachable?: number;
  readonly retrans?: number;
  readonly options?: readonly Readonly<Record<string, string>>[];
}

interface Captured {
  readonly name: string;
  readonly expected: Expected;
  readonly message: Uint8Array;
}

function capturedMessages(): Captured[] {
  return readdirSync(PCAPS)
    .filter((name) => name.endsWith('.pcap'))
    .flatMap((name) => {
      const expected = JSON.parse(readFileSync(new URL(name.replace('.pcap', '.json'), PCAPS), 'utf8')) as Expected[];
      const capture = readCapture(readFileSync(new URL(name, PCAPS)));
      if (capture.format === 'none') throw new Error(`${name} ${capture.reason}`);
      return expected
        .filter(({ kind }) => ['RA', 'RS', 'NS', 'NA'].includes(kind))
        .map((entry) => {
          const { linkType, data } = capture.packets[entry.n - 1]!;
          const packet = decodeIpPacket(decodeLinkFrame(linkType, data)!)!;
          if (packet.protocol !== PROTOCOL.icmpv6) throw new Error(`${name} frame ${entry.n} is no ICMPv6`);
          return { name: `${name} frame ${entry.n}: ${entry.kind}`, expected: entry, message: packet.payload };
        });
    });
}

const CAPTURED = capturedMessages();

function decoded(bytes: Uint8Array, source = LINK_LOCAL): NdMessage {
  const result = decodeNdMessage(bytes, source);
  if (result.kind !== 'message') throw new Error(JSON.stringify(result));
  return result.message;
}

function advertisement(options: readonly NdOption[], more: Partial<RouterAdvertisement> = {}): RouterAdvertisement {
  return {
    kind: 'router-advertisement',
    hopLimit: 64,
    managed: false,
    otherConfiguration: false,
    preference: 'medium',
    routerLifetime: 1800,
    reachableTime: 0,
    retransmitTimer: 0,
    options,
    ...more,
  };
}

describe('messages of other implementations', () => {
  it('has router advertisements of FRR and BIRD and neighbor messages of Linux to read', () => {
    const kinds = CAPTURED.map(({ expected }) => expected.kind);
    expect(kinds.filter((kind) => kind === 'RA').length).toBeGreaterThan(50);
    expect(kinds).toEqual(expect.arrayContaining(['NS', 'NA']));
  });

  it.each(CAPTURED)('reads $name as tshark does', ({ expected, message }) => {
    const value = decoded(message, parseAddress(expected.src)!);
    if ('target' in value) {
      expect(formatAddress(value.target)).toBe(expected.target);
      expect(value.kind).toBe(expected.kind === 'NS' ? 'neighbor-solicitation' : 'neighbor-advertisement');
      return;
    }
    expect(value).toMatchObject({
      kind: 'router-advertisement',
      hopLimit: expected.hopLimitField,
      managed: false,
      otherConfiguration: false,
      preference: 'medium',
      routerLifetime: expected.lifetime,
      reachableTime: expected.reachable,
      retransmitTimer: expected.retrans,
    });
    expect(value.options.map(asTshark)).toEqual(expected.options!.map(relevant));
  });

  it.each(CAPTURED.filter(({ expected }) => expected.kind === 'RA'))('writes $name byte for byte', ({ message }) => {
    const value = decoded(message) as RouterAdvertisement;
    const withoutChecksum = Uint8Array.from(message);
    withoutChecksum.fill(0, 2, 4);
    expect(encodeRouterAdvertisement(value)).toEqual(withoutChecksum);
  });
});

function asTshark(option: NdOption): Record<string, unknown> {
  if (option.kind === 'source-link-layer-address') return { type: '1', linkaddr: formatMac(option.address) };
  if (option.kind !== 'prefix-information') return { type: option.kind };
  return {
    type: '3',
    prefix: formatPrefix(option.prefix),
    flags: `0x${((option.onLink ? 0x80 : 0) | (option.autonomous ? 0x40 : 0)).toString(16)}`,
    valid: String(option.validLifetime),
    preferred: String(option.preferredLifetime),
  };
}

function relevant(option: Readonly<Record<string, string>>): Record<string, unknown> {
  if (option.type !== '3') return { type: option.type, linkaddr: option.linkaddr };
  return {
    type: '3',
    prefix: `${option.prefix}/${option['prefix.length']}`,
    flags: option['prefix.flag'],
    valid: option['prefix.valid_lifetime'],
    preferred: option['prefix.preferred_lifetime'],
  };
}

describe('round trips of our own messages', () => {
  it('keeps every option of a router advertisement', () => {
    const message = advertisement([
      { kind: 'source-link-layer-address', address: Uint8Array.of(2, 0, 0, 0, 0, 1) },
      { kind: 'mtu', mtu: 9216 },
      {
        kind: 'prefix-information',
        prefix: parsePrefix('fd00:1:1:1::/64')!,
        onLink: true,
        autonomous: true,
        validLifetime: INFINITE_LIFETIME,
        preferredLifetime: 604800,
      },
      { kind: 'route-information', prefix: parsePrefix('::/0')!, preference: 'low', lifetime: 5 },
      { kind: 'route-information', prefix: parsePrefix('fd00::/8')!, preference: 'high', lifetime: 60 },
      { kind: 'route-information', prefix: parsePrefix('fd00::1/128')!, preference: 'medium', lifetime: 60 },
      { kind: 'unknown', type: 25, value: new Uint8Array(22).fill(7) },
    ]);
    expect(decoded(encodeRouterAdvertisement(message))).toEqual(message);
  });

  it('keeps flags and preference', () => {
    const message = advertisement([], { managed: true, otherConfiguration: true, preference: 'high' });
    expect(decoded(encodeRouterAdvertisement(message))).toEqual(message);
  });

  it('sends no preference with lifetime 0', () => {
    const bytes = encodeRouterAdvertisement(advertisement([], { routerLifetime: 0, preference: 'high' }));
    expect(bytes[5]).toBe(0);
  });

  it('writes the router solicitation of RFC 4861 section 4.1', () => {
    const bytes = encodeRouterSolicitation({
      kind: 'router-solicitation',
      options: [{ kind: 'source-link-layer-address', address: Uint8Array.of(2, 0, 0, 0, 0, 1) }],
    });
    expect([...bytes]).toEqual([133, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 0, 0, 0, 0, 1]);
  });
});

const RA = encodeRouterAdvertisement(advertisement([]));
const withSourceOption = [1, 1, 2, 0, 0, 0, 0, 1];

describe('validity rules (RFC 4861 sections 6.1 and 7.1)', () => {
  const target = [...parseAddress('fe80::2')!];
  it.each([
    ['an empty message', [], LINK_LOCAL, 'the message is empty'],
    ['a short RA', [...RA.subarray(0, 15)], LINK_LOCAL, 'the message has 15 octets, at least 16 are needed'],
    ['a short RS', [133, 0, 0, 0], LINK_LOCAL, 'the message has 4 octets, at least 8 are needed'],
    ['a code', [134, 1, ...RA.subarray(2)], LINK_LOCAL, 'code is 1, not 0'],
    ['an RA from a global address', [...RA], parseAddress('fd00::1')!, 'the source is no link-local address'],
    ['an option of length 0', [...RA, 1, 0, 0, 0, 0, 0, 0, 0], LINK_LOCAL, 'an option has length 0'],
    [
      'an option that ends too late',
      [...RA, 5, 2, 0, 0, 0, 0, 0, 0],
      LINK_LOCAL,
      'option 5 is longer than the message',
    ],
    ['half an option header', [...RA, 5], LINK_LOCAL, 'an option has length 0'],
    [
      'an RS from :: with a link-layer address',
      [133, 0, 0, 0, 0, 0, 0, 0, ...withSourceOption],
      UNSPECIFIED,
      'a source link-layer address comes with the unspecified source address',
    ],
    [
      'an NS from :: with a link-layer address',
      [135, 0, 0, 0, 0, 0, 0, 0, ...target, ...withSourceOption],
      UNSPECIFIED,
      'a source link-layer address comes with the unspecified source address',
    ],
    [
      'an NA for a multicast target',
      [136, 0, 0, 0, 0, 0, 0, 0, ...parseAddress('ff02::1')!],
      LINK_LOCAL,
      'the target is a multicast address',
    ],
  ] as const)('refuses %s', (_, bytes, source, reason) => {
    expect(decodeNdMessage(Uint8Array.from(bytes), source)).toEqual({ kind: 'error', reason });
  });

  it('accepts an RS from :: without a link-layer address', () => {
    expect(decoded(Uint8Array.of(133, 0, 0, 0, 0, 0, 0, 0), UNSPECIFIED)).toEqual({
      kind: 'router-solicitation',
      options: [],
    });
  });

  it('leaves other ICMPv6 types alone', () => {
    expect(decodeNdMessage(Uint8Array.of(128, 0, 0, 0), LINK_LOCAL)).toEqual({ kind: 'other', type: 128 });
  });

  it('accepts lifetime 0, no link-layer address and unknown options', () => {
    const bytes = Uint8Array.from([
      ...encodeRouterAdvertisement(advertisement([], { routerLifetime: 0 })),
      99,
      1,
      1,
      2,
      3,
      4,
      5,
      6,
    ]);
    expect(decoded(bytes)).toMatchObject({
      routerLifetime: 0,
      options: [{ kind: 'unknown', type: 99, value: Uint8Array.of(1, 2, 3, 4, 5, 6) }],
    });
  });

  it.each([
    ['an MTU option of 16 octets', [5, 2, ...new Array<number>(14).fill(0)]],
    ['a prefix of 129 bits', [3, 4, 129, ...new Array<number>(29).fill(0)]],
    ['a prefix option of 8 octets', [3, 1, 64, 0, 0, 0, 0, 0]],
    ['a route of 65 bits in 16 octets', [24, 2, 65, ...new Array<number>(13).fill(0)]],
    ['a route with the reserved preference', [24, 1, 0, 0x10, 0, 0, 0, 0]],
  ])('keeps but does not use %s', (_, option) => {
    expect(decoded(Uint8Array.from([...RA, ...option]))).toMatchObject({
      options: [{ kind: 'unknown', type: option[0] }],
    });
  });

  it('clears the bits of a prefix beyond its length', () => {
    const option = [3, 4, 48, 0xc0, 0, 0, 0, 9, 0, 0, 0, 8, 0, 0, 0, 0, ...parseAddress('fd00:1:2:3::4')!];
    const [prefix] = decoded(Uint8Array.from([...RA, ...option])).options;
    expect(prefix?.kind === 'prefix-information' && formatPrefix(prefix.prefix)).toBe('fd00:1:2::/48');
  });

  it('takes the reserved preference of an RA as medium', () => {
    const bytes = Uint8Array.from(RA);
    bytes[5] = 0x10;
    expect(decoded(bytes)).toMatchObject({ preference: 'medium' });
  });

  it('never throws, whatever arrives', () => {
    const octets = fc.uint8Array({ maxLength: 80 });
    fc.assert(
      fc.property(fc.constantFrom(133, 134, 135, 136, 200), octets, (type, rest) => {
        const result = decodeNdMessage(Uint8Array.of(type, 0, ...rest), LINK_LOCAL);
        expect(['message', 'other', 'error']).toContain(result.kind);
      }),
    );
  });
});
