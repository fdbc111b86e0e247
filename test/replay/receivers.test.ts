/** What a leaf chooses from the captures of its four uplinks: DPF's colours as policy mode sends them. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type PrefixOutcome, type Receiver, replayReceivers } from '../../src/app/replay/receivers.js';
import { replayCaptures } from '../../src/app/replay/replay-captures.js';
import { formatAddress, parseAddress } from '../../src/core/net/address.js';
import { formatPrefix, parsePrefix } from '../../src/core/net/prefix.js';
import { colourCommunity } from '../../src/core/wire/bgp/colour.js';
import { encodeKeepalive } from '../../src/core/wire/bgp/keepalive.js';
import { encodeNotification } from '../../src/core/wire/bgp/notification.js';
import { encodeOpen, openAsField } from '../../src/core/wire/bgp/open.js';
import { encodeAttributes, UpdateBuilder } from '../../src/core/wire/bgp/update-encoder.js';
import { readCapture } from '../../src/core/wire/pcap/read-capture.js';
import { type BuiltSession, CaptureBuilder } from './capture-builder.js';

const SPINES = [1, 2, 3, 4];
const LEAF_AS = 65102;

function open(asn: number, identifier: number): Uint8Array {
  return encodeOpen({
    version: 4,
    asn,
    asField: openAsField(asn),
    holdTime: 9,
    identifier,
    capabilities: [
      { kind: 'multiprotocol', afi: 2, safi: 1 },
      { kind: 'four-octet-as', asn },
    ],
  });
}

function prefix(colour: number): string {
  return `fc00:1:1:${colour}::/64`;
}

/** The prefix of a colour as `spine` sends it on: AIGP on the session of that colour only. */
function update(spine: number, colour: number): Uint8Array {
  const attributes = {
    origin: 0,
    asPath: [{ kind: 'sequence', asns: [65000 + spine, 65101] }],
    extendedCommunities: [colourCommunity(colour)],
    ...(spine === colour && { aigp: { metric: 1n, otherTlvs: [] } }),
  } as const;
  const messages: Uint8Array[] = [];
  const options = { family: 'ipv6-unicast', addPath: false, maximum: 4096 } as const;
  const builder = new UpdateBuilder(options, (message) => messages.push(message));
  const { address, length } = parsePrefix(prefix(colour))!;
  const nextHop = parseAddress(`fe80::${spine}`)!;
  builder.announce(encodeAttributes(attributes, { fourOctetAs: true }), nextHop);
  builder.add(address, 0, length);
  builder.flush();
  return messages[0]!;
}

function uplink(capture: CaptureBuilder, spine: number): BuiltSession {
  // The leaf has another address on every link; its identifier says that it is one router.
  const session = capture.connect(parseAddress(`fe80::${spine}`)!, parseAddress(`fe80::1:${spine}`)!);
  session.send('client', open(65000 + spine, 0x0a000000 + spine));
  session.send('server', open(LEAF_AS, 0x0a010002), encodeKeepalive());
  session.send('client', encodeKeepalive(), ...SPINES.map((colour) => update(spine, colour)));
  return session;
}

function replay(...captures: { readonly bytes: Uint8Array }[]): Receiver[] {
  const read = captures.map(({ bytes }) => {
    const capture = readCapture(bytes);
    if (capture.format === 'none') throw new Error(capture.reason);
    return capture;
  });
  return replayReceivers(replayCaptures(read, { port: 179 }));
}

function outcome(receivers: readonly Receiver[], colour: number): PrefixOutcome {
  const leaf = receivers.find(({ host }) => host.name === '10.1.0.2')!;
  return leaf.outcomes.find(({ selection }) => formatPrefix(selection.prefix) === prefix(colour))!;
}

function choice({ selection }: PrefixOutcome) {
  const { primary, fallback, decidedBy, colour } = selection;
  const gateways = (paths: typeof primary) => paths.map(({ gateway }) => formatAddress(gateway!)).sort();
  return { decidedBy, colour, primary: gateways(primary), fallback: gateways(fallback) };
}

function others(colour: number): string[] {
  return SPINES.filter((spine) => spine !== colour).map((spine) => `fe80::${spine}`);
}

describe('a leaf with four uplinks', () => {
  const inOneFile = () => {
    const capture = new CaptureBuilder();
    for (const spine of SPINES) uplink(capture, spine);
    return replay(capture);
  };
  const inFourFiles = () => {
    const captures = SPINES.map((spine) => {
      const capture = new CaptureBuilder();
      capture.pause(spine);
      uplink(capture, spine);
      return capture;
    });
    return replay(...captures.reverse());
  };

  it.each([
    ['in one capture', inOneFile],
    ['in four captures', inFourFiles],
  ])('takes the spine of each colour, the others behind it: %s', (_name, receivers) => {
    const all = receivers();
    expect(all.map(({ host, sessions }) => [host.name, host.asn, sessions])).toEqual([['10.1.0.2', LEAF_AS, 4]]);
    for (const colour of SPINES) {
      expect(choice(outcome(all, colour))).toEqual({
        decidedBy: 'aigp',
        colour,
        primary: [`fe80::${colour}`],
        fallback: others(colour),
      });
    }
  });

  it.each<[string, (session: BuiltSession) => void]>([
    ['a NOTIFICATION', (s) => s.send('client', encodeNotification({ code: 6, subcode: 2, data: new Uint8Array(0) }))],
    [
      'a NOTIFICATION of its own',
      (s) => s.send('server', encodeNotification({ code: 4, subcode: 0, data: new Uint8Array(0) })),
    ],
    ['a FIN', (s) => s.finish('client')],
    ['an RST', (s) => s.reset('client')],
  ])('falls back on the other spines after %s', (_name, end) => {
    const capture = new CaptureBuilder();
    const sessions = SPINES.map((spine) => uplink(capture, spine));
    end(sessions[1]!);
    const receivers = replay(capture);
    expect(choice(outcome(receivers, 2))).toMatchObject({ primary: others(2), fallback: [] });
    expect(choice(outcome(receivers, 3))).toMatchObject({
      primary: ['fe80::3'],
      fallback: ['fe80::1', 'fe80::4'],
    });
  });

  it('keeps the last choice of a prefix that went away, and says when', () => {
    const capture = new CaptureBuilder();
    const session = uplink(capture, 1);
    session.reset('client');
    const { selection, since, gone } = outcome(replay(capture), 1);
    expect(selection.primary).toHaveLength(1);
    expect([since?.frame, gone?.frame]).toEqual([5, 6]);
  });

  it('shows what is hidden, with the reason', () => {
    const capture = new CaptureBuilder();
    const session = capture.connect(parseAddress('fe80::1')!, parseAddress('fe80::2')!);
    session.send('client', open(65001, 1));
    session.send('server', open(65101, 2));
    session.send('client', update(1, 1));
    const [receiver] = replay(capture);
    expect(receiver?.outcomes[0]?.selection.decidedBy).toBe('no-path');
    expect(receiver?.outcomes[0]?.explanation.paths[0]?.reason).toBe('our own AS is in the AS path');
  });

  it('names routers by their addresses when no OPEN was captured', () => {
    const capture = new CaptureBuilder();
    const session = capture.connect(parseAddress('fe80::1')!, parseAddress('fe80::2')!);
    session.send('client', update(1, 1));
    const [receiver] = replay(capture);
    expect(receiver?.host).toMatchObject({ name: 'fe80::2', asn: 0, identifier: 0 });
    expect(receiver?.outcomes[0]?.selection.best?.peerName).toBe('fe80::1');
  });

  it('knows a router by an address seen with its OPEN in another connection', () => {
    const capture = new CaptureBuilder();
    uplink(capture, 1);
    const middle = capture.connect(parseAddress('fe80::9')!, parseAddress('fe80::1:1')!);
    middle.send('client', update(2, 2));
    const receivers = replay(capture);
    expect(receivers.map(({ host, sessions }) => [host.name, sessions])).toEqual([['10.1.0.2', 2]]);
  });
});

describe('a leaf over four BIRD spines, captured on all uplinks at once', () => {
  const bytes = new Uint8Array(readFileSync(new URL('../../pcaps/m-dpf-four-uplinks.pcap', import.meta.url)));
  const names = (paths: readonly { readonly peerName: string }[]) => paths.map(({ peerName }) => peerName).sort();
  const chosen = (receivers: readonly Receiver[], colour: number) => {
    const { primary, fallback, decidedBy } = outcome(receivers, colour).selection;
    return { decidedBy, primary: names(primary), fallback: names(fallback) };
  };
  /** The record in which spine 2 says goodbye. */
  const shutdownFrame = 94;
  const before = () => {
    const capture = readCapture(bytes);
    if (capture.format === 'none') throw new Error(capture.reason);
    const packets = capture.packets.slice(0, shutdownFrame - 1);
    return replayReceivers(replayCaptures([{ ...capture, packets }], { port: 179 }));
  };

  it('takes spine i for the prefix of colour i', () => {
    const receivers = before();
    for (const colour of SPINES) {
      expect(chosen(receivers, colour)).toEqual({
        decidedBy: 'aigp',
        primary: [`10.0.0.${colour}`],
        fallback: SPINES.filter((spine) => spine !== colour).map((spine) => `10.0.0.${spine}`),
      });
    }
  });

  it('takes the other three for prefix 2 once spine 2 has shut down', () => {
    const receivers = replay({ bytes });
    expect(chosen(receivers, 2)).toMatchObject({ primary: ['10.0.0.1', '10.0.0.3', '10.0.0.4'], fallback: [] });
    expect(chosen(receivers, 3)).toMatchObject({ primary: ['10.0.0.3'], fallback: ['10.0.0.1', '10.0.0.4'] });
    expect(outcome(receivers, 2).since?.frame).toBe(shutdownFrame);
  });
});
