import { describe, expect, it } from 'vitest';
import { bytes } from '../../../../test/harness/bgp-bytes.js';
import { capturedMessages } from '../../../../test/harness/captured-messages.js';
import { capabilityName, capabilityNames } from './capabilities/capability-names.js';
import { CAPABILITY_CODECS, decodeCapability, encodeCapability } from './capabilities/capability-table.js';
import type { Capability, OpenMessage } from './message.js';
import { decodeOpen, encodeOpen, openAsField } from './open.js';

/** Version 4, AS 65001, hold time 9, identifier 10.0.0.1, then the given optional parameters with their length. */
function openBody(parameters: string, fixed = '04 fde9 0009 0a000001'): Uint8Array {
  const octets = bytes(parameters);
  return Uint8Array.of(...bytes(fixed), octets.length, ...octets);
}

function opened(body: Uint8Array): OpenMessage {
  const decoded = decodeOpen(body);
  if (decoded.kind === 'error') throw new Error(decoded.reason);
  return decoded;
}

const EVERY_CAPABILITY: readonly Capability[] = [
  { kind: 'multiprotocol', afi: 2, safi: 1 },
  { kind: 'multiprotocol', afi: 1, safi: 1 },
  { kind: 'route-refresh' },
  { kind: 'extended-next-hop', entries: [{ afi: 1, safi: 1, nextHopAfi: 2 }] },
  { kind: 'extended-message' },
  {
    kind: 'graceful-restart',
    restarted: true,
    notification: true,
    restartTime: 120,
    families: [{ afi: 2, safi: 1, forwardingPreserved: true }],
  },
  { kind: 'four-octet-as', asn: 4200000001 },
  { kind: 'add-path', families: [{ afi: 2, safi: 1, mode: 3 }] },
  { kind: 'enhanced-route-refresh' },
  { kind: 'fqdn', hostname: 'leaf1', domain: 'fabric.example' },
  { kind: 'link-local-next-hop' },
  { kind: 'strict-bfd' },
  { kind: 'unknown', code: 67, value: bytes('') },
];

describe('OPEN', () => {
  it('reads what FRR sent', () => {
    const frr = capturedMessages('a1-frr-frr-unnumbered').find(({ type }) => type === 1);
    expect(opened(frr!.body)).toMatchObject({
      version: 4,
      asn: 65002,
      asField: 65002,
      holdTime: 9,
      identifier: 0x0a000002,
      capabilities: [
        { kind: 'multiprotocol', afi: 2, safi: 1 },
        { kind: 'route-refresh' },
        { kind: 'enhanced-route-refresh' },
        { kind: 'four-octet-as', asn: 65002 },
        { kind: 'extended-message' },
        { kind: 'add-path', families: [{ afi: 2, safi: 1, mode: 1 }] },
        { kind: 'unknown', code: 76 },
        { kind: 'unknown', code: 67 },
        { kind: 'fqdn', hostname: 'vm', domain: '' },
        { kind: 'graceful-restart', restarted: true, notification: true, restartTime: 120, families: [] },
        { kind: 'long-lived-graceful-restart' },
        { kind: 'unknown', code: 75 },
      ],
    });
  });

  it('encodes to what it decodes from, with every capability', () => {
    const open = {
      kind: 'open',
      version: 4,
      asn: 4200000001,
      asField: 23456,
      holdTime: 90,
      identifier: 0xfffffffe,
    } as const;
    const message = { ...open, capabilities: EVERY_CAPABILITY };
    expect(opened(encodeOpen(message).subarray(19))).toEqual(message);
  });

  it('puts capabilities in one parameter', () => {
    const message = encodeOpen({
      version: 4,
      asn: 65001,
      asField: 65001,
      holdTime: 9,
      identifier: 1,
      capabilities: [{ kind: 'multiprotocol', afi: 2, safi: 1 }, { kind: 'route-refresh' }],
    });
    expect(message.subarray(28)).toEqual(bytes('0a 02 08 01 04 0002 00 01 02 00'));
  });

  it('sends extended parameters (RFC 9072) when the classic length does not suffice', () => {
    const large: Capability = { kind: 'unknown', code: 240, value: new Uint8Array(200) };
    const message = { kind: 'open', version: 4, asn: 1, asField: 1, holdTime: 0, identifier: 1 } as const;
    const encoded = encodeOpen({ ...message, capabilities: [large, large] });
    expect(encoded.subarray(28, 35)).toEqual(bytes('ff ff 0197 02 0194'));
    expect(opened(encoded.subarray(19)).capabilities).toEqual([large, large]);
  });

  const SHAPES = [
    { name: 'no parameters', body: openBody(''), kinds: [] },
    {
      name: 'two parameters',
      body: openBody('02 02 0200  02 02 4600'),
      kinds: ['route-refresh', 'enhanced-route-refresh'],
    },
    {
      name: 'two capabilities in one',
      body: openBody('02 04 0200 4600'),
      kinds: ['route-refresh', 'enhanced-route-refresh'],
    },
    { name: 'an empty parameter', body: openBody('02 00'), kinds: [] },
    {
      name: 'extended parameters of few octets',
      body: bytes('04 fde9 0009 0a000001 ff ff 0005 02 0002 0200'),
      kinds: ['route-refresh'],
    },
    {
      name: 'extended parameters behind a length that is not 255',
      body: bytes('04 fde9 0009 0a000001 08 ff 0005 02 0002 0200'),
      kinds: ['route-refresh'],
    },
  ];

  it.each(SHAPES)('accepts $name', ({ body, kinds }) => {
    expect(opened(body).capabilities.map(({ kind }) => kind)).toEqual(kinds);
  });

  it('reads 255 octets of classic parameters as classic', () => {
    const body = openBody(`02 fd f0 fb ${'00'.repeat(251)}`);
    expect(body[9]).toBe(255);
    expect(opened(body).capabilities).toEqual([{ kind: 'unknown', code: 240, value: new Uint8Array(251) }]);
  });

  const REFUSED = [
    { name: 'version 3', body: openBody('', '03 fde9 0009 0a000001'), code: 1, data: '0004' },
    { name: 'AS 0', body: openBody('', '04 0000 0009 0a000001'), code: 2 },
    { name: 'AS 0 beside a four-octet AS', body: openBody('02 06 41 04 0000fde9', '04 0000 0009 0a000001'), code: 2 },
    { name: 'four-octet AS 0', body: openBody('02 06 41 04 00000000'), code: 2 },
    { name: 'identifier 0', body: openBody('', '04 fde9 0009 00000000'), code: 3 },
    { name: 'parameter type 1', body: openBody('01 00'), code: 4 },
    { name: 'hold time 1', body: openBody('', '04 fde9 0001 0a000001'), code: 6 },
    { name: 'hold time 2', body: openBody('', '04 fde9 0002 0a000001'), code: 6 },
    { name: 'parameters shorter than said', body: bytes('04 fde9 0009 0a000001 04 02 00'), code: 0 },
    { name: 'octets after the parameters', body: bytes('04 fde9 0009 0a000001 00 02 00'), code: 0 },
    { name: 'a parameter that overruns', body: openBody('02 03 0200'), code: 0 },
    { name: 'a parameter without a length', body: openBody('02'), code: 0 },
    { name: 'a capability that overruns', body: openBody('02 03 01 04 00'), code: 0 },
    { name: 'a capability without a length', body: openBody('02 01 01'), code: 0 },
    { name: 'extended parameters that overrun', body: bytes('04 fde9 0009 0a000001 ff ff 0005 02 0003 0200'), code: 0 },
    { name: 'nine octets', body: bytes('04 fde9 0009 0a000001'), code: 0 },
  ];

  it.each(REFUSED)('refuses $name', ({ body, code, data = undefined }) => {
    const decoded = decodeOpen(body);
    expect(decoded).toMatchObject({ kind: 'error', code: 2, subcode: code });
    if (data !== undefined) expect(decoded).toMatchObject({ data: bytes(data) });
  });

  it.each([0, 3, 65535])('accepts hold time %i', (holdTime) => {
    const body = openBody('', `04 fde9 ${holdTime.toString(16).padStart(4, '0')} 0a000001`);
    expect(opened(body).holdTime).toBe(holdTime);
  });

  it('says AS_TRANS for a number that does not fit', () => {
    expect([65535, 65536].map(openAsField)).toEqual([65535, 23456]);
  });
});

describe('capabilities', () => {
  it.each(CAPABILITY_CODECS.map(({ code }) => code))('code %i decodes from any length', (code) => {
    for (let length = 0; length <= 255; length++) {
      for (const fill of [0, 1, 255]) {
        const value = new Uint8Array(length).fill(fill);
        const decoded = decodeCapability(code, value);
        if (decoded.kind === 'unknown') expect(decoded).toEqual({ kind: 'unknown', code, value });
      }
    }
  });

  const MALFORMED = ['01 03 000201', '02 01 00', '05 05 0001000100', '40 03 007800', '41 03 000001', '45 03 000201'];

  it.each(MALFORMED)('%s is kept as unknown', (text) => {
    const tlv = bytes(text);
    expect(decodeCapability(tlv[0]!, tlv.subarray(2))).toMatchObject({ kind: 'unknown', code: tlv[0] });
  });

  it('ignores an ADD-PATH entry with an impossible mode', () => {
    expect(decodeCapability(69, bytes('00020104 00010101'))).toEqual({
      kind: 'add-path',
      families: [{ afi: 1, safi: 1, mode: 1 }],
    });
  });

  it('takes the hostname without a domain length, and no terminal codes', () => {
    expect(decodeCapability(73, bytes('02 766d'))).toEqual({ kind: 'fqdn', hostname: 'vm', domain: '' });
    expect(decodeCapability(73, bytes('02 1b63 00'))).toMatchObject({ hostname: '\\u{1b}c' });
  });

  it('cuts a long hostname between characters', () => {
    const encoded = encodeCapability({ kind: 'fqdn', hostname: `${'a'.repeat(63)}é`, domain: '' });
    expect(encoded.subarray(0, 3)).toEqual(bytes('49 41 3f'));
  });

  it('have names', () => {
    expect(EVERY_CAPABILITY.flatMap(capabilityNames)).toEqual([
      'multiprotocol ipv6-unicast',
      'multiprotocol ipv4-unicast',
      'route refresh',
      'extended next hop ipv4-unicast',
      'extended message',
      'graceful restart ipv6-unicast',
      'four-octet AS',
      'ADD-PATH ipv6-unicast',
      'enhanced route refresh',
      'FQDN',
      'link-local next hop',
      'strict BFD',
      'dynamic capability',
    ]);
    expect([240, 200].map(capabilityName)).toEqual(['experimental 240', 'unknown 200']);
  });
});
