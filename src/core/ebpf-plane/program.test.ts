import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { VERDICT } from '../bpf/interpreter/context.js';
import { parseAddress } from '../net/address.js';
import { decodeIpPacket } from '../wire/packet/ip-packet.js';
import { decodeLinkFrame } from '../wire/packet/link-frame.js';
import { readCapture } from '../wire/pcap/read-capture.js';
import { PUBLISHED_PACKETS } from '../wire/rocev2/published-packets.fixture.js';
import {
  CAPACITY,
  type FrameParts,
  frameOf,
  interfaceOf,
  MTU,
  PlaneOnPaper,
  QUALITY,
  rewritten,
  unseenWays,
} from './plane.fixture.js';
import { PROGRAM_NAME, type ProgramOptions } from './program.js';
import type { PassReason } from './tables.js';

const INACTIVITY = 128_000;
const FLOWLET = { ...QUALITY, mode: 'flowlet', inactivity: INACTIVITY } as const;
const WRITES = [0x06, 0x07, 0x08, 0x0a, 0x81];
const HOOKS = ['xdp', 'tc'] as const;

/** Primary out of use: balanced over 1, 2 and 3. */
function failed(plane: PlaneOnPaper): PlaneOnPaper {
  plane.setLinks(0b1110n);
  return plane;
}

function edited(parts: FrameParts, edit: (frame: Uint8Array, view: DataView) => void): Uint8Array {
  const frame = frameOf(parts);
  edit(frame, new DataView(frame.buffer));
  return frame;
}

describe.each(HOOKS)('a packet at %s', (hook) => {
  const plane = () => new PlaneOnPaper({ ...FLOWLET, hook });

  it('takes the primary port, with the addresses of the next link and one hop less', () => {
    const p = plane();
    const outcome = p.send(frameOf());
    expect(outcome).toMatchObject({ verdict: VERDICT[hook].redirect, redirectedTo: interfaceOf(0) });
    expect(outcome.frame).toEqual(rewritten(frameOf(), 0));
    expect(p.words('prefix_counts', 0)).toEqual([1n, 126n, 0n]);
    expect(p.words('port_counts', 0)).toEqual([1n, 126n, 0n, 0n]);
  });

  it('takes a fallback port once the bit of the primary is gone, and the primary when it is back', () => {
    const p = failed(plane());
    const outcome = p.send(frameOf());
    expect(outcome.redirectedTo).toBe(interfaceOf(1));
    expect(outcome.frame).toEqual(rewritten(frameOf(), 1));
    expect(p.words('prefix_counts', 0)).toEqual([1n, 126n, 1n]);
    p.setLinks(0b1111n);
    expect(p.portOf(frameOf())).toBe(0);
  });

  it('is forwarded with TCP, with UDP that is no RoCEv2, and with padding behind it', () => {
    const p = plane();
    for (const parts of [{ nextHeader: 6 }, { destinationPort: 4792, payload: 0 }, { destinationPort: 53 }])
      expect(p.portOf(frameOf(parts))).toBe(0);
    const padded = new Uint8Array([...frameOf({ destinationPort: 53, payload: 4 }), 0, 0]);
    expect(p.portOf(padded)).toBe(0);
    expect(p.words('port_counts', 0)[1]).toBe(126n + 62n + 126n + 66n);
  });

  const passes: [string, PassReason, Uint8Array][] = [
    ['IPv4', 'not-ipv6', edited({}, (_, view) => view.setUint16(12, 0x0800))],
    ['ARP', 'not-ipv6', edited({}, (_, view) => view.setUint16(12, 0x0806))],
    ['a VLAN tag', 'not-ipv6', edited({}, (_, view) => view.setUint16(12, 0x8100))],
    ['version 4 behind the EtherType of 6', 'not-ipv6', edited({}, (frame) => frame.fill(0x45, 14, 15))],
    ['an empty frame', 'short', new Uint8Array(0)],
    ['a frame that ends in its IPv6 header', 'short', frameOf().slice(0, 53)],
    ['a frame shorter than it says', 'short', frameOf().slice(0, 125)],
    ['a jumbogram', 'short', edited({}, (_, view) => view.setUint16(18, 0))],
    ['half a UDP header', 'short', edited({ payload: 0 }, (_, view) => view.setUint16(18, 4)).slice(0, 58)],
    ['half a base transport header', 'short', frameOf({ payload: 8 })],
    ['half a TCP header', 'short', frameOf({ payload: 8, nextHeader: 6 })],
    ['hop limit 1', 'hop-limit', frameOf({ hopLimit: 1 })],
    ['hop limit 0', 'hop-limit', frameOf({ hopLimit: 0 })],
    ['a link-local source', 'address', frameOf({ source: 'fe80::1' })],
    ['an unspecified source', 'address', frameOf({ source: '::' })],
    ['a multicast source', 'address', frameOf({ source: 'ff02::1' })],
    ['a link-local destination', 'address', frameOf({ destination: 'fe80::1' })],
    ['a multicast destination', 'address', frameOf({ destination: 'ff02::1' })],
    ['loopback', 'address', frameOf({ destination: '::1' })],
    ['ICMPv6', 'protocol', frameOf({ nextHeader: 58 })],
    ['hop-by-hop options', 'protocol', frameOf({ nextHeader: 0 })],
    ['a routing header', 'protocol', frameOf({ nextHeader: 43 })],
    ['a fragment', 'protocol', frameOf({ nextHeader: 44 })],
    ['destination options', 'protocol', frameOf({ nextHeader: 60 })],
    ['no route', 'no-route', frameOf({ destination: '2001:db8:9::1' })],
    ["somebody else's longer route", 'other-route', frameOf({ destination: '2001:db8:1:0:ff::1' })],
    ['more than the MTU', 'too-big', frameOf({ payload: MTU - 47 })],
  ];

  it.each(passes)('with %s is left to the kernel as it is (%s)', (_, reason, frame) => {
    const p = plane();
    const outcome = p.send(frame);
    expect(outcome).toMatchObject({ verdict: VERDICT[hook].pass, redirectedTo: undefined, frame });
    expect(p.lastReason()).toBe(reason);
  });

  it('as large as the MTU is forwarded', () => expect(plane().portOf(frameOf({ payload: MTU - 48 }))).toBe(0));

  it('to a neighbour whose link address is not known is left to the kernel, which asks', () => {
    const p = plane();
    p.setPort(0, 0);
    expect(p.send(frameOf()).frame).toEqual(frameOf());
    expect(p.lastReason()).toBe('unresolved');
  });

  it('is left to the kernel once nobody has said for too long that the links are known', () => {
    const p = plane();
    p.setLinks(0b1111n, 0b1111n, 4, p.now);
    expect(p.portOf(frameOf())).toBe(0);
    p.now += 1n;
    expect(p.send(frameOf()).frame).toEqual(frameOf());
    expect(p.lastReason()).toBe('stale');
  });

  it('with no port left is left to the kernel', () => {
    const p = plane();
    p.setLinks(0n);
    expect(p.send(frameOf()).frame).toEqual(frameOf());
    expect(p.lastReason()).toBe('no-port');
  });
});

describe('what only one hook knows', () => {
  it('XDP: frames to other stations, and those from an interface that is not ours', () => {
    const p = new PlaneOnPaper({ ...FLOWLET, hook: 'xdp' });
    for (const to of [Uint8Array.of(2, 0, 0, 0, 0, 8), Uint8Array.of(0x33, 0x33, 0, 0, 0, 1)]) {
      expect(p.send(frameOf({ to })).verdict).toBe(VERDICT.xdp.pass);
      expect(p.lastReason()).toBe('other-host');
    }
    const far = new PlaneOnPaper({ ...FLOWLET, hook: 'xdp' });
    far.table('interfaces').update(Uint8Array.of(9, 0, 0, 0), new Uint8Array(8));
    far.send(frameOf());
    expect(far.lastReason()).toBe('other-host');
    expect(far.send(frameOf(), { interfaceIndex: 5000 }).verdict).toBe(VERDICT.xdp.pass);
  });

  it('XDP: a frame of several pages is forwarded, and one that is shorter than it says is not', () => {
    const p = new PlaneOnPaper({ ...FLOWLET, hook: 'xdp' });
    const frame = frameOf({ payload: 4096 });
    expect(p.send(frame, { linear: 256 }).redirectedTo).toBe(interfaceOf(0));
    expect(p.send(frame.slice(0, 4000), { linear: 256 }).frame).toEqual(frame.slice(0, 4000));
    expect(p.lastReason()).toBe('short');
    p.send(frame, { linear: 60 });
    expect(p.lastReason()).toBe('short');
  });

  it('tc: headers in other pages are brought, of a large frame and of a short one', () => {
    const p = new PlaneOnPaper({ ...FLOWLET, hook: 'tc' });
    for (const [payload, linear] of [
      [4096, 14],
      [4096, 73],
      [4, 14],
      [4, 65],
    ] as const) {
      const frame = frameOf({ payload, destinationPort: 4000 });
      expect(p.send(frame, { linear })).toMatchObject({ redirectedTo: interfaceOf(0), frame: rewritten(frame, 0) });
    }
    const frame = frameOf({ payload: 4, destinationPort: 4000 }).slice(0, 60);
    expect(p.send(frame, { linear: 14 }).verdict).toBe(VERDICT.tc.pass);
    expect(p.lastReason()).toBe('short');
  });

  it('XDP: a set with a port that takes no bare frames is the kernel’s, and so is a port that is gone', () => {
    const p = new PlaneOnPaper({ ...FLOWLET, hook: 'xdp' });
    p.setLinks(0b1111n, 0b1110n);
    expect(p.send(frameOf()).frame).toEqual(frameOf());
    expect(p.lastReason()).toBe('not-native');
    p.setLinks(0b1111n);
    p.table('devices').delete(new Uint8Array(4));
    expect(p.send(frameOf()).frame).toEqual(frameOf());
    expect(p.lastReason()).toBe('no-port');
  });

  it('tc: a tag beside the frame, and other stations', () => {
    const p = new PlaneOnPaper({ ...FLOWLET, hook: 'tc' });
    p.send(frameOf(), { vlan: true });
    expect(p.lastReason()).toBe('vlan');
    p.send(frameOf(), { otherHost: true });
    expect(p.lastReason()).toBe('other-host');
  });
});

/** So much backlog that the port is in the worst band. */
const pressed = (...ports: number[]) =>
  [0, 1, 2, 3].map((port) => ({ capacity: CAPACITY, backlog: ports.includes(port) ? 100 : 0 }));

describe('flowlets', () => {
  const balanced = (options = {}) => failed(new PlaneOnPaper({ ...FLOWLET, hook: 'xdp', ...options }));

  it('stay on their port while packets come within the inactivity interval, whatever becomes of it', () => {
    const p = balanced();
    expect(p.portOf(frameOf())).toBe(1);
    p.setPressure(pressed(1), 0);
    for (let i = 0; i < 20; i++) {
      p.now += BigInt(INACTIVITY);
      expect(p.portOf(frameOf())).toBe(1);
    }
    p.now += BigInt(INACTIVITY) + 1n;
    expect(p.portOf(frameOf())).toBe(2);
    expect(p.moves()).toEqual([
      { time: p.now, gap: BigInt(INACTIVITY) + 1n, class: 0, flowset: p.moves()[0]!.flowset, from: 1, to: 2 },
    ]);
    expect(p.words('port_counts', 2).slice(2)).toEqual([1n, 0n]);
  });

  it('stay after a pause too when their port is as good as the best', () => {
    const p = balanced();
    for (let i = 0; i < 5; i++, p.now += 10_000_000n) expect(p.portOf(frameOf())).toBe(1);
    expect(p.moves()).toEqual([]);
  });

  it('share a port when they meet in one flowset, and have turns otherwise', () => {
    const p = balanced();
    const ports = new Map<number, number>();
    for (let queuePair = 0; queuePair < 90; queuePair++) {
      const port = p.portOf(frameOf({ queuePair }))!;
      ports.set(port, (ports.get(port) ?? 0) + 1);
      expect(p.portOf(frameOf({ queuePair }))).toBe(port);
    }
    expect([...ports.keys()].sort()).toEqual([1, 2, 3]);
    expect(Math.max(...ports.values()) - Math.min(...ports.values())).toBeLessThan(15);
  });

  it('leave a port that is gone at once, which is a risk of reordering', () => {
    const p = balanced();
    expect(p.portOf(frameOf())).toBe(1);
    p.now += 1000n;
    p.setLinks(0b1100n);
    expect(p.portOf(frameOf())).toBe(2);
    expect(p.moves()).toMatchObject([{ gap: 1000n, from: 1, to: 2 }]);
    expect(p.words('port_counts', 2).slice(2)).toEqual([1n, 1n]);
  });

  it('are not moved by a clock that another processor has read later', () => {
    const p = balanced();
    p.portOf(frameOf());
    p.setPressure(pressed(1), 0);
    p.now -= 10n;
    expect(p.portOf(frameOf())).toBe(1);
  });

  it('go on when nobody reads the ring of moves', () => {
    const p = balanced();
    let port = p.portOf(frameOf())!;
    for (let i = 0; i < 2000; i++) {
      p.now += 1000n;
      p.setLinks(0b1110n & ~(1n << BigInt(port)));
      port = p.portOf(frameOf())!;
    }
    const moves = [1, 2, 3].reduce((sum, at) => sum + Number(p.words('port_counts', at)[2]), 0);
    expect(moves).toBe(2000);
    expect(p.moves()).toHaveLength(Math.floor(65536 / 40));
  });

  it('of an assigned flow never move for quality, only when the port is gone', () => {
    const p = failed(new PlaneOnPaper({ ...QUALITY, mode: 'assigned-flow', hook: 'xdp' }));
    expect(p.portOf(frameOf())).toBe(1);
    p.setPressure(pressed(1), 0);
    p.now += 10_000_000_000n;
    expect(p.portOf(frameOf())).toBe(1);
    p.setLinks(0b1100n);
    expect(p.portOf(frameOf())).toBe(2);
  });
});

describe('reactive rebalancing', () => {
  const options = { ...FLOWLET, reactive: { qualityDelta: 3, probability: 3 }, hook: 'tc' } as const;

  function pressedFlow(backlog: number): PlaneOnPaper {
    const p = failed(new PlaneOnPaper(options));
    expect(p.portOf(frameOf())).toBe(1);
    p.setPressure(
      [0, 1, 2, 3].map((port) => ({ capacity: CAPACITY, backlog: port === 1 ? backlog : 0 })),
      0,
    );
    p.now += 20_000n;
    return p;
  }

  it('moves a flow without pauses when the lot falls on it, and not before', () => {
    const p = pressedFlow(100);
    p.lot = 3;
    for (let i = 0; i < 10; i++) expect(p.portOf(frameOf())).toBe(1);
    p.lot = 0x1002;
    expect(p.portOf(frameOf())).toBe(2);
    expect(p.portOf(frameOf())).toBe(2);
    expect(p.words('port_counts', 2).slice(2)).toEqual([1n, 1n]);
  });

  // 7 - ceil(6 (s - 20) / 60): band 5 up to 40 percent, 4 above, and three bands are asked for.
  it.each([
    [40, 1],
    [41, 2],
  ])('with a backlog of %i percent goes to port %i', (backlog, port) => {
    const p = pressedFlow(backlog);
    p.lot = 0;
    expect(p.portOf(frameOf())).toBe(port);
  });
});

describe('per packet', () => {
  const spread = (options = {}) =>
    failed(new PlaneOnPaper({ ...QUALITY, mode: 'per-packet', hook: 'xdp', ...options }));

  it('gives equal ports their turns', () => {
    const p = spread();
    expect(Array.from({ length: 7 }, () => p.portOf(frameOf()))).toEqual([1, 2, 3, 1, 2, 3, 1]);
  });

  it('leaves out a port in a worse band, and takes it again when its load is forgotten', () => {
    const p = spread({});
    // Full load: as much as the port takes in the time the register remembers.
    p.setPressure(
      [0, 1, 2, 3].map((port) => ({ capacity: port === 2 ? 1e6 : CAPACITY, backlog: 0 })),
      100,
    );
    for (let i = 0; i < 8; i++) p.portOf(frameOf());
    p.now += 20_000n;
    expect(Array.from({ length: 6 }, () => p.portOf(frameOf()))).not.toContain(2);
    p.now += 1_000_000n;
    for (let i = 0; i < 8; i++) p.portOf(frameOf());
    expect(Array.from({ length: 6 }, () => p.portOf(frameOf()))).toContain(2);
  });

  it.each(HOOKS)('works with 64 ports, and with one left (%s)', (hook) => {
    const p = new PlaneOnPaper({ ...QUALITY, mode: 'per-packet', hook }, 64);
    p.setClass(0, (1n << 64n) - 1n, 0n);
    expect(Array.from({ length: 65 }, () => p.portOf(frameOf()))).toEqual([...Array(64).keys(), 0]);
    p.setLinks(1n << 63n, 1n << 63n, 64);
    expect(p.portOf(frameOf())).toBe(63);
  });
});

describe('bands', () => {
  /** Backlog in percent, and the band that it makes: 7 - ceil(6 (s - 20) / 60), 7 below 20, 0 above 80. */
  const BANDS = [
    [0, 7],
    [20, 6],
    [25, 6],
    [31, 5],
    [41, 4],
    [51, 3],
    [61, 2],
    [71, 1],
    [100, 0],
  ] as const;
  const reactive = { qualityDelta: 3, probability: 3 };
  const MODES = [
    { ...FLOWLET, hook: 'xdp' },
    { ...FLOWLET, hook: 'tc', reactive },
    { ...FLOWLET, hook: 'tc', reactive, opcodes: WRITES },
    { ...QUALITY, mode: 'assigned-flow', hook: 'tc' },
    { ...QUALITY, mode: 'per-packet', hook: 'xdp' },
    { ...QUALITY, mode: 'per-packet', hook: 'tc', opcodes: WRITES },
  ] as const satisfies ProgramOptions[];

  it.each(MODES.flatMap((options) => BANDS.map(([backlog, band]) => ({ options, backlog, band }))))(
    '$options.mode at $options.hook: with a backlog of $backlog percent everywhere a port is in band $band, and equal to the others',
    ({ options, backlog, band }) => {
      const p = failed(new PlaneOnPaper(options));
      const everywhere = (percent: number) =>
        Array.from({ length: 4 }, () => ({ capacity: CAPACITY, backlog: percent }));
      p.setPressure(everywhere(backlog), 0);
      for (let packet = 0; packet < 10; packet++, p.now += 20_000n) expect(p.portOf(frameOf())).toBeDefined();
      expect([...p.table('quality').lookup(new Uint8Array(4))!.subarray(584, 588)]).toEqual([band, band, band, band]);
      const before = p.moves().length;
      p.now += 1_000_000n;
      const port = p.portOf(frameOf())!;
      expect(p.moves()).toHaveLength(before);
      p.setLinks(0b1110n & ~(1n << BigInt(port)));
      expect(p.portOf(frameOf())).not.toBe(port);
    },
  );

  it.each(MODES)('$mode at $hook: before anything is known of the ports they are equal', (options) => {
    const p = new PlaneOnPaper(options);
    p.setLinks(0b1110n, 0b1110n, 0);
    const port = p.portOf(frameOf())!;
    p.now += 1000n;
    expect([1, 2, 3]).toContain(p.portOf(frameOf()));
    p.now += 1_000_000n;
    expect([1, 2, 3]).toContain(p.portOf(frameOf()));
    p.setLinks(0b1110n & ~(1n << BigInt(port)), 0b1110n, 0);
    expect(p.portOf(frameOf())).not.toBe(port);
  });
});

describe('selective balancing', () => {
  const p = failed(new PlaneOnPaper({ ...QUALITY, mode: 'per-packet', hook: 'xdp', opcodes: WRITES }));
  const ports = (parts: FrameParts) => new Set(Array.from({ length: 12 }, () => p.portOf(frameOf(parts))));

  it.each(WRITES)('spreads opcode %i', (opcode) => expect(ports({ opcode }).size).toBe(3));

  it.each([0x00, 0x11, 0x47, 0x80, 0xc1])('keeps opcode %i on the port of its hash', (opcode) =>
    expect(ports({ opcode }).size).toBe(1),
  );

  it('hashes other packets evenly, the queue pair and all', () => {
    const counts = new Map<number, number>();
    for (let queuePair = 0; queuePair < 300; queuePair++) {
      const port = p.portOf(frameOf({ queuePair, opcode: 0x11 }))!;
      counts.set(port, (counts.get(port) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual([1, 2, 3]);
    for (const count of counts.values()) expect(Math.abs(count - 100)).toBeLessThan(30);
    expect(ports({ destinationPort: 53 }).size).toBe(1);
  });

  it('hashes over 64 ports', () => {
    const wide = new PlaneOnPaper({ ...QUALITY, mode: 'per-packet', hook: 'xdp', opcodes: WRITES }, 64);
    wide.setClass(0, (1n << 64n) - 1n, 0n);
    const used = new Set(
      Array.from({ length: 1000 }, (_, queuePair) => wide.portOf(frameOf({ queuePair, opcode: 0 }))),
    );
    expect(used.size).toBe(64);
  });
});

describe('frames from elsewhere', () => {
  const captures = readdirSync('pcaps').filter((name) => name.endsWith('.pcap'));

  it.each(captures)('%s: what routers say to each other is left to the kernel as it is', (name) => {
    const p = new PlaneOnPaper({ ...FLOWLET, hook: 'tc' });
    const capture = readCapture(readFileSync(`pcaps/${name}`));
    if (!('packets' in capture)) throw new Error(capture.reason);
    const frames = capture.packets.map(({ data }) => data).slice(0, 200);
    expect(frames.length).toBeGreaterThan(0);
    for (const frame of frames) expect(p.send(frame)).toMatchObject({ verdict: VERDICT.tc.pass, frame });
  });

  it('an RDMA packet as published is forwarded with its check sum intact', () => {
    const packet = PUBLISHED_PACKETS.find(({ source }) => source.includes(':'))!;
    const payload = packet.payload;
    const { source, destination, sourcePort } = packet;
    const frame = frameOf({ source, destination, sourcePort, payload: payload.length });
    frame.set(payload, 62);
    const p = new PlaneOnPaper({ ...FLOWLET, hook: 'xdp' });
    p.setPrefix(`${destination}/128`, 0, 1);
    const out = p.send(frame).frame;
    expect(out).toEqual(rewritten(frame, 0));
    expect(p.words('prefix_counts', 1)[0]).toBe(1n);
  });

  /** The whole frame, pieces changed, cut or lengthened. */
  const mangled = fc
    .record({
      parts: fc.record({
        payload: fc.integer({ min: 0, max: 40 }),
        nextHeader: fc.constantFrom(17, 17, 17, 6, 58, 0, 44, 255),
        opcode: fc.integer({ min: 0, max: 255 }),
        destination: fc.constantFrom('2001:db8:1::7', '2001:db8:1:0:ff::', '2001:db8:8::', 'ff02::1'),
      }),
      octets: fc.array(fc.tuple(fc.integer({ min: 0, max: 80 }), fc.integer({ min: 0, max: 255 })), { maxLength: 4 }),
      length: fc.integer({ min: -60, max: 20 }),
    })
    .map(({ parts, octets, length }) => {
      const frame = frameOf(parts);
      for (const [at, value] of octets) if (at < frame.length) frame[at] = value;
      const cut = new Uint8Array(Math.max(0, frame.length + Math.min(length, frame.length)));
      cut.set(frame.subarray(0, cut.length));
      return cut;
    });
  const prefix = parseAddress('2001:db8:1::')!.subarray(0, 8);

  it.each(HOOKS)('however mangled are sent on right or left as they are (%s)', (hook) => {
    const p = failed(new PlaneOnPaper({ ...FLOWLET, hook }));
    fc.assert(
      fc.property(mangled, (frame) => {
        const { redirectedTo, frame: out, verdict } = p.send(frame);
        if (redirectedTo === undefined) {
          expect(verdict).toBe(VERDICT[hook].pass);
          expect(out).toEqual(frame);
          return;
        }
        expect(out).toEqual(rewritten(frame, redirectedTo - interfaceOf(0)));
        const packet = decodeIpPacket(decodeLinkFrame(1, frame)!)!;
        expect([6, 17]).toContain(packet.protocol);
        expect(packet.destination.subarray(0, 8)).toEqual(prefix);
        expect(packet.payload.length).toBe(packet.payloadLength);
        expect(packet.hopLimit).toBeGreaterThan(1);
      }),
      { numRuns: 700, seed: 9 },
    );
  });
});

it('every instruction has been run, and every jump has gone both ways', () => {
  expect(unseenWays(PROGRAM_NAME)).toEqual([]);
});
