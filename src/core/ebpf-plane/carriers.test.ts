/** A link that is lost and comes back: the program in the kernel and user space take its ports out of use and into it, at the same time too. */
import { describe, expect, it } from 'vitest';
import { AtomicWords, Carriers, type Words } from './carriers.js';
import { LINK_MESSAGE, LINK_WATCH_NAME, ROUTE_MESSAGE } from './link-watch.js';
import { frameOf, interfaceOf, PlaneOnPaper, QUALITY, unseenWays } from './plane.fixture.js';
import { CARRIER, MOST_INTERFACES } from './tables.js';

const [NEW_LINK, DELETE_LINK, NEW_ADDRESS, NEW_ROUTE, DELETE_ROUTE] = [16, 17, 20, 24, 25];
const AF_BRIDGE = 7;
const [IFF_UP, IFF_LOWER_UP, IFF_BROADCAST] = [0x1, 0x10000, 0x2];
const UP = IFF_UP | IFF_LOWER_UP | IFF_BROADCAST;
const LINK = interfaceOf(0);

/** With an attribute behind it: struct nlmsghdr, struct ifinfomsg, IFLA_IFNAME. */
function message(flags: number, { index = LINK, type = NEW_LINK, family = 0 } = {}): Uint8Array {
  const octets = new Uint8Array(LINK_MESSAGE.octets + 8);
  const view = new DataView(octets.buffer);
  view.setUint32(0, octets.length, true);
  view.setUint16(LINK_MESSAGE.type, type, true);
  view.setUint8(LINK_MESSAGE.family, family);
  view.setInt32(LINK_MESSAGE.index, index, true);
  view.setUint32(LINK_MESSAGE.flags, flags, true);
  octets.set([8, 0, 3, 0, 0x75, 0x70, 0x31, 0], LINK_MESSAGE.octets);
  return octets;
}

/** An IPv6 route over LINK as the kernel tells of it: struct nlmsghdr, struct rtmsg, RTA_DST, RTA_PRIORITY and what is given. */
function route(
  attributes: readonly number[],
  { type = DELETE_ROUTE, family = 10, port = 0, protocol = 179 } = {},
): Uint8Array {
  const before = [20, 0, 1, 0, 0x20, 1, 0xd, 0xb8, ...new Array(12).fill(0), 8, 0, 6, 0, 20, 0, 0, 0];
  const octets = new Uint8Array(ROUTE_MESSAGE.attributes + before.length + attributes.length);
  const view = new DataView(octets.buffer);
  view.setUint32(0, octets.length, true);
  view.setUint16(LINK_MESSAGE.type, type, true);
  view.setUint32(LINK_MESSAGE.port, port, true);
  view.setUint8(LINK_MESSAGE.family, family);
  view.setUint8(ROUTE_MESSAGE.protocol, protocol);
  octets.set([...before, ...attributes], ROUTE_MESSAGE.attributes);
  return octets;
}

/** RTA_OIF; RTA_NH_ID and RTA_MULTIPATH, nested, with one next hop and its gateway. */
const BY_INTERFACE = [8, 0, 4, 0, LINK, 0, 0, 0];
const BY_GROUP = [
  ...[8, 0, 30, 0, 21, 0, 0, 0],
  ...[32, 0, 9, 0x80, 28, 0, 0, 0, LINK, 0, 0, 0, 20, 0, 5, 0, 0xfe, 0x80, ...new Array(14).fill(0)],
];
const PADDED = [5, 0, 20, 0, 0, 0, 0, 0];

/** Port 0, the primary of the packets, behind LINK. */
function planeOf(egress: readonly [number, bigint][] = [[LINK, 1n]]): PlaneOnPaper {
  const plane = new PlaneOnPaper({ ...QUALITY, mode: 'per-packet', hook: 'tc' });
  plane.writer.setEgress(new Map(egress));
  return plane;
}

const way = (plane: PlaneOnPaper) => plane.portOf(frameOf());

describe('the kernel tells of a link', () => {
  it.each([
    ['without carrier', message(UP & ~IFF_LOWER_UP)],
    ['set down', message(UP & ~IFF_UP)],
    ['gone', message(UP, { type: DELETE_LINK })],
    ['by a route that goes with it', route(BY_INTERFACE)],
    ['by a route whose next hop goes with it', route([...PADDED, ...BY_GROUP])],
  ])('%s: the next packet takes the fallback set', (_, lost) => {
    const plane = planeOf();
    expect(way(plane)).toBe(0);
    expect(plane.tell(lost)).toMatchObject({ verdict: 0, frame: lost });
    expect([way(plane), plane.writer.carriers.losses(LINK)]).toEqual([1, 1n]);
  });

  it.each([
    ['that is up', message(UP)],
    ['of which there are no ports', message(0, { index: LINK + 1 })],
    ['with a higher number than there is room for', message(0, { index: MOST_INTERFACES })],
    ['as a port of a bridge', message(0, { family: AF_BRIDGE })],
    ['by a message about something else', message(0, { type: NEW_ADDRESS })],
    ['by a route that is there', route(BY_INTERFACE, { type: NEW_ROUTE })],
    ['by an IPv4 route that goes', route(BY_INTERFACE, { family: 2 })],
    ['by a route that somebody deletes', route(BY_INTERFACE, { port: 4711 })],
    ['by a route of somebody else that goes', route(BY_INTERFACE, { protocol: 2 })],
    ['by a route without an interface', route(PADDED)],
    ['by a route with nothing but other attributes', route(Array.from({ length: 12 }, () => PADDED).flat())],
    ['by a route that ends in the middle of its interface', route(BY_INTERFACE.slice(0, 6))],
    ['in half a message', message(0).slice(0, LINK_MESSAGE.octets - 1)],
  ])('%s: packets go as before', (_, other) => {
    const plane = planeOf();
    expect(plane.tell(other).verdict).toBe(0);
    expect([way(plane), plane.writer.carriers.losses(LINK)]).toEqual([0, 0n]);
  });

  it('with several ports: all of them, and no port of another', () => {
    const plane = planeOf([
      [LINK, 0b101n],
      [LINK + 1, 0b1010n],
    ]);
    plane.tell(message(0));
    expect([0, 1, 2, 3].map((port) => plane.writer.carriers.isLost(port))).toEqual([true, false, true, false]);
    plane.setClass(0, 0b0101n, 0b0101n);
    expect(way(plane)).toBeUndefined();
    expect(plane.lastReason()).toBe('no-port');
  });

  it('that is up: nothing comes into use by that', () => {
    const plane = planeOf();
    plane.tell(message(0));
    plane.tell(message(UP));
    expect(way(plane)).toBe(1);
  });

  it('every instruction runs, every jump both ways', () => expect(unseenWays(LINK_WATCH_NAME)).toEqual([]));
});

describe('a link that was lost', () => {
  it('is in use again once it was found up after that', () => {
    const plane = planeOf();
    const { carriers } = plane.writer;
    expect(carriers.isInDoubt(LINK)).toBe(false);
    plane.tell(message(0));
    expect(carriers.isInDoubt(LINK)).toBe(true);
    carriers.confirm(LINK, carriers.losses(LINK));
    expect([carriers.isInDoubt(LINK), way(plane)]).toEqual([false, 0]);
  });

  it('stays out of use when it is lost once more before the answer', () => {
    const plane = planeOf();
    const { carriers } = plane.writer;
    plane.tell(message(0));
    const losses = carriers.losses(LINK);
    plane.tell(message(0));
    carriers.confirm(LINK, losses);
    expect([carriers.isInDoubt(LINK), way(plane)]).toEqual([true, 1]);
  });

  it('has none of its later ports in use either, and leaves none of its former ports out of use', () => {
    const plane = planeOf([]);
    plane.tell(message(0));
    plane.writer.setEgress(new Map([[LINK, 1n]]));
    expect(way(plane)).toBe(1);
    plane.writer.setEgress(new Map([[LINK + 1, 1n]]));
    expect(way(plane)).toBe(0);
    plane.tell(message(0));
    expect(way(plane)).toBe(0);
  });

  it('with a number that the kernel’s program has no room for is believed to be up: user space knows', () => {
    const { carriers } = planeOf([[MOST_INTERFACES, 1n]]).writer;
    expect([carriers.losses(MOST_INTERFACES), carriers.isInDoubt(MOST_INTERFACES), carriers.isLost(0)]).toEqual([
      0n,
      false,
      false,
    ]);
  });
});

/** Something else happens before the access to the words of this number. */
class Interrupted implements Words {
  constructor(
    private readonly words: Words,
    private readonly before: () => void,
  ) {}

  load(index: number): bigint {
    this.before();
    return this.words.load(index);
  }

  store(index: number, value: bigint): void {
    this.before();
    this.words.store(index, value);
  }

  set(index: number, bits: bigint): void {
    this.before();
    this.words.set(index, bits);
  }

  clear(index: number, bits: bigint): void {
    this.before();
    this.words.clear(index, bits);
  }
}

describe('a loss at the same time', () => {
  const OTHER = LINK + 1;
  const WORDS = CARRIER.octets / 8;
  const MOST_ACCESSES = 12;

  /** The program's two steps, each before that access of user space to the words, or after all of them. */
  function crossed(first: number, second: number, work: (carriers: Carriers) => void): [Carriers, AtomicWords] {
    const carriers = new AtomicWords(new BigUint64Array(MOST_INTERFACES * WORDS));
    const lost = new AtomicWords(new BigUint64Array(1));
    let [access, bits] = [0, 0n];
    const count = () => {
      carriers.store(LINK * WORDS + 1, carriers.load(LINK * WORDS + 1) + 1n);
      bits = carriers.load(LINK * WORDS);
    };
    const step = () => {
      if (access === first) count();
      if (access === second) lost.set(0, bits);
      access++;
    };
    const both = new Carriers(new Interrupted(carriers, step), new Interrupted(lost, step));
    work(both);
    while (access <= MOST_ACCESSES) step();
    return [both, lost];
  }

  const moments = Array.from({ length: MOST_ACCESSES + 1 }, (_, first) =>
    Array.from({ length: MOST_ACCESSES + 1 - first }, (__, more) => [first, first + more] as const),
  ).flat();

  it('is not undone by a link that was found up before, whenever it comes', () => {
    for (const [first, second] of moments) {
      const [, lost] = crossed(first, second, (carriers) => {
        carriers.setPorts(new Map([[LINK, 1n]]));
        carriers.confirm(LINK, 0n);
      });
      expect(lost.load(0), `${first}, ${second}`).toBe(1n);
    }
  });

  it('with a port that the link gives to another leaves that in use by the next sign of life', () => {
    for (const [first, second] of moments) {
      const [carriers, lost] = crossed(first, second, (both) => {
        both.setPorts(new Map([[LINK, 1n]]));
        both.setPorts(new Map([[OTHER, 1n]]));
      });
      carriers.setPorts(new Map([[OTHER, 1n]]));
      expect(lost.load(0), `${first}, ${second}`).toBe(0n);
    }
  });

  it('with a port that comes to the link takes it out of use', () => {
    for (const [first, second] of moments) {
      const [, lost] = crossed(first, second, (both) => {
        both.setPorts(new Map([[LINK, 1n]]));
        both.setPorts(new Map([[LINK, 0b11n]]));
      });
      expect(lost.load(0), `${first}, ${second}`).toBe(0b11n);
    }
  });
});
