import { describe, expect, it } from 'vitest';
import { type Address, equalBytes, formatAddress, parseAddress } from '../net/address.js';
import { formatMac, parseMac } from '../net/eui64.js';
import type { Random } from '../ports/random.js';
import { decodeNdMessage } from '../wire/icmpv6/decode-nd-message.js';
import { encodeRouterAdvertisement, encodeRouterSolicitation } from '../wire/icmpv6/encode-nd-message.js';
import type { NdMessage, NdOption } from '../wire/icmpv6/nd-message.js';
import { createFabricInterface, neighboursOf, stepFabricInterface } from './fabric-interface.js';
import { advertisementOn } from './router-link.js';
import type { DiscoveryConfig, DiscoveryInput, DiscoveryOutput, FabricInput } from './types.js';

const CONFIG: DiscoveryConfig = {
  advertiseInterval: 10_000,
  initialAdvertisements: 3,
  initialInterval: 1000,
  neighbourLifetime: 30_000,
};

const OWN = parseAddress('fe80::1')!;
const PEER = parseAddress('fe80::2')!;
const OTHER = parseAddress('fe80::3')!;
const MAC = parseMac('02:00:00:00:00:01')!;
const USABLE: DiscoveryInput = { kind: 'link-usable', linkLocal: OWN, mac: MAC, mtu: 9216 };
const NO_CARRIER: DiscoveryInput = { kind: 'link-unusable', reason: 'no carrier' };
const TENTATIVE: DiscoveryInput = { kind: 'link-unusable', reason: 'link-local address fe80::1 is tentative' };

interface Sent {
  readonly at: number;
  readonly to: string;
  readonly message: NdMessage;
}

/** One machine on virtual time: records what it sends and reports, and fires its timer. */
class Node {
  now = 0;
  state = createFabricInterface(CONFIG);
  timer: number | undefined;
  sent: Sent[] = [];
  reports: string[] = [];
  logs: string[] = [];
  onSend: (to: Address, message: Uint8Array) => void = () => undefined;

  constructor(
    private readonly own: Address = OWN,
    private readonly random: Random = { next: () => 0.5 },
  ) {}

  input(input: FabricInput): this {
    const { state, outputs } = stepFabricInterface(this.state, input, { now: this.now, random: this.random });
    this.state = state;
    for (const output of outputs) this.perform(output);
    return this;
  }

  advertisement(
    source: Address,
    more: { lifetime?: number; options?: readonly NdOption[]; raw?: readonly number[] } = {},
  ): this {
    const link = { linkLocal: source, mac: Uint8Array.of(2, 0, 0, 0, 0, source[15]!), mtu: 1500 };
    const message = { ...advertisementOn(link, more.lifetime ?? 0), ...(more.options && { options: more.options }) };
    return this.input({
      kind: 'packet',
      source,
      message: Uint8Array.of(...encodeRouterAdvertisement(message), ...(more.raw ?? [])),
    });
  }

  solicitation(source: Address): this {
    return this.input({
      kind: 'packet',
      source,
      message: encodeRouterSolicitation({ kind: 'router-solicitation', options: [] }),
    });
  }

  runUntil(end: number): this {
    while (this.timer !== undefined && this.timer <= end) {
      this.now = this.timer;
      this.timer = undefined;
      this.input({ kind: 'timer-expired' });
    }
    this.now = end;
    return this;
  }

  get advertisements(): Sent[] {
    return this.sent.filter(({ message }) => message.kind === 'router-advertisement');
  }

  get solicitations(): Sent[] {
    return this.sent.filter(({ message }) => message.kind === 'router-solicitation');
  }

  private perform(output: DiscoveryOutput): void {
    switch (output.kind) {
      case 'send': {
        const decoded = decodeNdMessage(output.message, this.own);
        if (decoded.kind !== 'message') throw new Error(`sent an invalid message: ${JSON.stringify(decoded)}`);
        this.sent.push({ at: this.now, to: formatAddress(output.destination), message: decoded.message });
        this.onSend(output.destination, output.message);
        return;
      }
      case 'arm-timer':
        expect(output.at).toBeGreaterThanOrEqual(this.now);
        this.timer = output.at;
        return;
      case 'cancel-timer':
        this.timer = undefined;
        return;
      case 'neighbour-found':
        this.reports.push(`${this.now} found ${formatAddress(output.address)}`);
        return;
      case 'neighbour-lost':
        this.reports.push(`${this.now} lost ${formatAddress(output.address)} ${output.reason}`);
        return;
      case 'log':
        this.logs.push(output.message);
    }
  }
}

describe('advertising', () => {
  it('sends nothing before the link is usable', () => {
    const node = new Node().input(NO_CARRIER).solicitation(PEER).runUntil(60_000);
    expect(node.sent).toEqual([]);
  });

  it('advertises at once, then quickly, then steadily', () => {
    const node = new Node().input(USABLE).runUntil(25_000);
    expect(node.advertisements.map(({ at }) => at)).toEqual([0, 1000, 2000, 3000, 11_750, 20_500]);
    expect(new Set(node.advertisements.map(({ to }) => to))).toEqual(new Set(['ff02::1']));
  });

  it('draws the steady interval between three quarters and the whole', () => {
    const least = new Node(OWN, { next: () => 0 }).input(USABLE).runUntil(12_000);
    const most = new Node(OWN, { next: () => 0.999 }).input(USABLE).runUntil(13_000);
    expect(least.advertisements.at(-1)!.at).toBe(3000 + 7500);
    expect(most.advertisements.at(-1)!.at).toBeCloseTo(3000 + 9997.5);
  });

  it("is nobody's default router: lifetime 0 (frr #7738, #17051, #19580)", () => {
    const node = new Node().input(USABLE);
    expect(node.advertisements[0]!.message).toMatchObject({
      routerLifetime: 0,
      options: [
        { kind: 'source-link-layer-address', address: MAC },
        { kind: 'mtu', mtu: 9216 },
      ],
    });
  });

  it('repeats nothing when a link event changes nothing, and starts over when the MTU changes', () => {
    const node = new Node().input(USABLE).runUntil(5000).input(USABLE);
    expect(node.advertisements).toHaveLength(4);
    node.input({ ...USABLE, mtu: 1500 } as DiscoveryInput).runUntil(6500);
    expect(node.advertisements.slice(4).map(({ at }) => at)).toEqual([5000, 6000]);
    expect(node.advertisements[4]!.message.options).toContainEqual({ kind: 'mtu', mtu: 1500 });
  });

  it('advertises a last time when stopped and is silent then (frr PR 5462)', () => {
    const node = new Node().input(USABLE).runUntil(5000).input({ kind: 'stopped' });
    expect(node.advertisements).toHaveLength(5);
    expect(node.advertisements[4]).toMatchObject({ at: 5000, to: 'ff02::1', message: { routerLifetime: 0 } });
    expect(node.timer).toBeUndefined();
    node.solicitation(PEER).advertisement(PEER).input(USABLE);
    expect(node.advertisements).toHaveLength(5);
    expect(node.reports).toEqual([]);
  });

  it('says nothing when stopped before the link was usable', () => {
    expect(new Node().input({ kind: 'stopped' }).sent).toEqual([]);
  });

  it('sends no source link-layer address on a link without one', () => {
    const node = new Node().input({ kind: 'link-usable', linkLocal: OWN, mac: new Uint8Array(), mtu: 1500 });
    expect(node.advertisements[0]!.message.options).toEqual([{ kind: 'mtu', mtu: 1500 }]);
    expect(node.solicitations[0]!.message.options).toEqual([]);
  });
});

describe('soliciting', () => {
  it('solicits at once and twice more, 4 s apart, while nobody answers', () => {
    const node = new Node().input(USABLE).runUntil(60_000);
    expect(node.solicitations.map(({ at, to }) => [at, to])).toEqual([
      [0, 'ff02::2'],
      [4000, 'ff02::2'],
      [8000, 'ff02::2'],
    ]);
    expect(node.solicitations[0]!.message.options).toEqual([{ kind: 'source-link-layer-address', address: MAC }]);
  });

  it('stops when a router answered but goes on listening (maghemite #598, #627)', () => {
    const node = new Node().input(USABLE).advertisement(PEER).runUntil(20_000);
    expect(node.solicitations).toHaveLength(1);
    node.advertisement(OTHER);
    expect(node.reports).toContain('20000 found fe80::3');
  });

  it('solicits anew after the link came back', () => {
    const node = new Node().input(USABLE).advertisement(PEER).input(NO_CARRIER).runUntil(9000).input(USABLE);
    expect(node.solicitations.map(({ at }) => at)).toEqual([0, 9000]);
  });
});

describe('answering', () => {
  it('answers a solicitation at once, unicast', () => {
    const node = new Node().input(USABLE).runUntil(5000).solicitation(PEER);
    expect(node.advertisements.at(-1)).toMatchObject({ at: 5000, to: 'fe80::2' });
  });

  it('answers a node that has no address yet by multicast', () => {
    const node = new Node().input(USABLE).runUntil(5000).solicitation(parseAddress('::')!);
    expect(node.advertisements.at(-1)).toMatchObject({ at: 5000, to: 'ff02::1' });
  });

  it('answers the first RA of a new neighbour at once, and only the first', () => {
    const node = new Node().input(USABLE).runUntil(5000).advertisement(PEER).advertisement(PEER);
    expect(node.advertisements.slice(4)).toMatchObject([{ at: 5000, to: 'fe80::2' }]);
  });

  it('sends no more than ten RAs in any second of a storm of solicitations, and answers all in the end', () => {
    const node = new Node().input(USABLE);
    for (let at = 0; at < 10_000; at += 5) node.runUntil(at).solicitation(at % 2 ? PEER : OTHER);
    const times = node.advertisements.map(({ at }) => at);
    for (const start of times)
      expect(times.filter((at) => at >= start && at < start + 1000).length).toBeLessThanOrEqual(10);
    expect(times.length).toBeGreaterThan(40);
    expect(node.advertisements.at(-1)!.at).toBeGreaterThan(9500);
  });
});

describe('neighbours', () => {
  it('finds a neighbour from an RA with lifetime 0, no link-layer address and unknown options (maghemite #782)', () => {
    const node = new Node().input(USABLE).advertisement(PEER, { options: [], raw: [99, 1, 0, 0, 0, 0, 0, 0] });
    expect(node.reports).toEqual(['0 found fe80::2']);
    expect(neighboursOf(node.state)).toEqual([
      { address: PEER, firstHeard: 0, lastHeard: 0, expiresAt: 30_000, answered: false },
    ]);
  });

  it('remembers who was heard while its own address was tentative', () => {
    const node = new Node().input(TENTATIVE).advertisement(PEER).runUntil(900);
    expect(node.reports).toEqual([]);
    expect(neighboursOf(node.state)).toEqual([]);
    node.input(USABLE);
    expect(node.reports).toEqual(['900 found fe80::2']);
    expect(node.solicitations).toHaveLength(1);
    expect(node.runUntil(20_000).solicitations).toHaveLength(1);
  });

  it('does not report who was heard long before the link became usable', () => {
    const node = new Node().input(TENTATIVE).advertisement(PEER).runUntil(40_000).input(USABLE);
    expect(node.reports).toEqual([]);
  });

  it('keeps several neighbours on one link apart (frr #13831, #8668)', () => {
    const node = new Node()
      .input(USABLE)
      .advertisement(PEER)
      .advertisement(OTHER)
      .advertisement(PEER)
      .advertisement(OTHER);
    expect(node.reports).toEqual(['0 found fe80::2', '0 found fe80::3']);
  });

  it('hears no neighbour in its own RA', () => {
    const node = new Node().input(TENTATIVE).advertisement(OWN).input(USABLE).advertisement(OWN);
    expect(node.reports).toEqual([]);
    expect(neighboursOf(node.state)).toEqual([]);
  });

  it('ages a silent neighbour out; lifetime 0 is no goodbye', () => {
    const node = new Node().input(USABLE).advertisement(PEER).runUntil(20_000).advertisement(PEER, { lifetime: 0 });
    node.runUntil(49_999);
    expect(node.reports).toEqual(['0 found fe80::2']);
    node.runUntil(50_000);
    expect(node.reports).toEqual(['0 found fe80::2', '50000 lost fe80::2 expired']);
    node.advertisement(PEER);
    expect(node.reports.at(-1)).toBe('50000 found fe80::2');
  });

  it('keeps a neighbour as long as its RA says when that is longer', () => {
    const node = new Node().input(USABLE).advertisement(PEER, { lifetime: 90 }).runUntil(89_999);
    expect(node.reports).toEqual(['0 found fe80::2']);
    expect(node.runUntil(90_000).reports.at(-1)).toBe('90000 lost fe80::2 expired');
  });

  it('loses all neighbours with the link', () => {
    const node = new Node().input(USABLE).advertisement(PEER).advertisement(OTHER).runUntil(1500).input(NO_CARRIER);
    expect(node.reports.slice(2)).toEqual(['1500 lost fe80::2 link-down', '1500 lost fe80::3 link-down']);
    expect(node.timer).toBeUndefined();
    expect(node.input(USABLE).reports).toHaveLength(4);
  });

  it('follows a neighbour whose MAC changes (frr #752)', () => {
    const mac = parseMac('02:00:00:00:00:99')!;
    const node = new Node().input(USABLE).advertisement(PEER);
    node.advertisement(PEER, { options: [{ kind: 'source-link-layer-address', address: mac }] });
    expect(formatMac(neighboursOf(node.state)[0]!.mac!)).toBe('02:00:00:00:00:99');
    expect(node.logs.at(-1)).toBe('neighbour fe80::2 has a new MAC: 02:00:00:00:00:02 is now 02:00:00:00:00:99');
    expect(node.reports).toEqual(['0 found fe80::2']);
  });

  describe('of which somebody invents more than there is room for', () => {
    const invented = (index: number) => {
      const address = Uint8Array.from(PEER);
      address.set([index >> 8, index & 0xff, 7], 12);
      return address;
    };
    const crowded = (count: number, ofLink: DiscoveryInput = USABLE) => {
      const node = new Node().input(ofLink);
      for (let index = 0; index < count; index++) node.advertisement(invented(index));
      return node;
    };

    it('does not grow without end', () => {
      const node = crowded(1000);
      expect(neighboursOf(node.state)).toHaveLength(64);
      expect(node.logs.at(-1)).toContain('64 neighbours are known on this link already');
    });

    it('gives the place of the one that is silent for longest to a newcomer, when it had time to speak BGP', () => {
      const node = crowded(64);
      node.now = 9999;
      expect(node.advertisement(OTHER).reports).not.toContain('9999 found fe80::3');
      node.advertisement(invented(0));
      node.now = 10_000;
      node.reports = [];
      expect(node.advertisement(OTHER).reports).toEqual([
        `10000 lost ${formatAddress(invented(1))} displaced`,
        '10000 found fe80::3',
      ]);
      expect(neighboursOf(node.state)).toHaveLength(64);
    });

    it('leaves their places to those that spoke BGP, and to a newcomer the time to do so', () => {
      const node = crowded(62).advertisement(PEER).input({ kind: 'answered', address: PEER });
      node.now = 10_000;
      node.advertisement(OTHER);
      for (let index = 1000; index < 1100; index++) node.advertisement(invented(index));
      const known = neighboursOf(node.state).map(({ address }) => formatAddress(address));
      expect(known).toHaveLength(64);
      expect(known).toEqual(expect.arrayContaining(['fe80::2', 'fe80::3']));
      expect(node.advertisement(PEER).state.neighbours[0]).toMatchObject({ address: PEER, answered: true });
    });

    it('says nothing of those that went while the link was not usable yet', () => {
      const node = crowded(64, TENTATIVE);
      node.now = 10_000;
      expect(node.advertisement(OTHER).reports).toEqual([]);
      expect(node.input(USABLE).reports).toHaveLength(64);
      expect(node.reports).toContain('10000 found fe80::3');
    });
  });

  it.each([
    [
      'an RA that is not from a link-local address',
      parseAddress('fd00::2')!,
      [134, 0, 0, 0, ...new Array<number>(12).fill(0)],
    ],
    ['a truncated RA', PEER, [134, 0, 0, 0]],
    ['an option of length 0', PEER, [134, 0, 0, 0, ...new Array<number>(12).fill(0), 1, 0]],
    ['no message at all', PEER, []],
  ])('ignores %s', (_, source, message) => {
    const node = new Node().input(USABLE);
    const sent = node.sent.length;
    node.input({ kind: 'packet', source, message: Uint8Array.from(message) });
    expect(node.reports).toEqual([]);
    expect(node.sent).toHaveLength(sent);
    expect(node.logs.at(-1)).toContain('is ignored');
  });

  it('ignores early and repeated wake-ups', () => {
    const node = new Node().input(USABLE);
    const { timer } = node;
    node.input({ kind: 'timer-expired' }).input({ kind: 'timer-expired' });
    expect(node.timer).toBe(timer);
    expect(node.sent).toHaveLength(2);
  });
});

describe('two nodes on one link', () => {
  /** Both ends on one virtual clock; messages take no time. */
  function connect(a: Node, b: Node): void {
    const deliver = (from: Address, to: Node, own: Address) => (destination: Address, message: Uint8Array) => {
      if (destination[0] === 0xff || equalBytes(destination, own)) to.input({ kind: 'packet', source: from, message });
    };
    a.onSend = deliver(OWN, b, PEER);
    b.onSend = deliver(PEER, a, OWN);
  }

  it.each([0, 10, 700, 5000])('know each other at once when the second is usable %i ms after the first', (delay) => {
    const a = new Node(OWN);
    const b = new Node(PEER);
    connect(a, b);
    a.input(USABLE).runUntil(delay);
    b.now = delay;
    b.input({ kind: 'link-usable', linkLocal: PEER, mac: Uint8Array.of(2, 0, 0, 0, 0, 2), mtu: 9216 });
    expect(a.reports).toEqual([`${delay} found fe80::2`]);
    expect(b.reports).toEqual([`${delay} found fe80::1`]);
    expect(a.advertisements.length + b.advertisements.length).toBeLessThan(12);
  });
});
