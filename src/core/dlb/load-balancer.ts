/**
 * The control loop of load balancing: reads the meters at an interval, rates every link, and tells the FIB the shares of the
 * groups that carry traffic now. What it decides is in flowlet-shares.ts (mode `flowlet`) and adaptive-shares.ts (`adaptive`);
 * in the other modes it only looks.
 */
import type { BalancedGroup, BalancedMember } from '../fib/types.js';
import type { Clock } from '../ports/clock.js';
import type { EventLog } from '../ports/event-log.js';
import type { NextHopId } from '../ports/kernel-tables.js';
import type { LinkLoad, LoadMeters, LoadReading } from '../ports/load-meters.js';
import { type AdaptiveSettings, adaptiveShares } from './adaptive-shares.js';
import { type FlowletSettings, FlowletShares } from './flowlet-shares.js';
import { type Band, BEST_BAND, LinkQuality, type QualitySettings } from './link-quality.js';
import { shareBudget, wholeShares } from './shares.js';

/**
 * `flowlet`: shares follow link quality, and idle buckets follow the shares. `adaptive`: a scan now and then shifts shares by
 * what each next hop really carries. `assigned-flow`: a flow stays where its hash put it. `off`: the same over resilient groups.
 */
export type BalancingMode = 'off' | 'flowlet' | 'assigned-flow' | 'adaptive';

export interface BalancingConfig {
  readonly mode: BalancingMode;
  /** Milliseconds between looks at the links. */
  readonly interval: number;
  readonly quality: QualitySettings;
  readonly flowlet: FlowletSettings;
  /** `scanInterval` in milliseconds. */
  readonly adaptive: AdaptiveSettings & { readonly scanInterval: number };
}

/** What the loop needs of the FIB. */
export interface Balanced {
  balancedGroups(): Iterable<BalancedGroup>;
  /** Sets the shares of a group, in the order of its members, until one of them comes or goes. */
  reweigh(group: NextHopId, shares: readonly number[]): void;
}

export interface LinkView {
  readonly interfaceIndex: number;
  /** Octets a second; 0 when nobody knows. */
  readonly capacity: number;
  readonly rate: number;
  /** Octets waiting. */
  readonly backlog: number;
  /** Per cent. */
  readonly load: number;
  readonly queue: number;
  readonly band: Band;
}

export interface GroupView {
  readonly id: NextHopId;
  readonly members: readonly (BalancedMember & {
    readonly share: number;
    /** Packets a second since the last look at the groups; `undefined` where the kernel does not count. */
    readonly packetRate?: number;
  })[];
  /** Times that shares were moved. */
  readonly moves: number;
}

interface GroupState {
  /** As it was told last: the FIB says the same object as long as it is the same. */
  group: BalancedGroup;
  readonly key: string;
  readonly flowlet: FlowletShares;
  shares: readonly number[];
  moves: number;
  packets: ReadonlyMap<NextHopId, number>;
  /** When they were that many, in milliseconds. */
  countedAt: number;
  rates: ReadonlyMap<NextHopId, number>;
}

export interface LoadBalancerParts {
  readonly config: BalancingConfig;
  /** Buckets of a resilient group. */
  readonly buckets: number;
  readonly fib: Balanced;
  readonly meters: LoadMeters;
  /** Octets a second of a link; `undefined` when unknown. */
  readonly speedOf: (interfaceIndex: number) => number | undefined;
  readonly clock: Clock;
  readonly log: EventLog;
}

/** Milliseconds between looks at the counters of groups, which are many. */
const GROUP_INTERVAL = 1000;

export class LoadBalancer {
  readonly #parts: LoadBalancerParts;
  readonly #links = new Map<number, LinkQuality>();
  readonly #groups = new Map<NextHopId, GroupState>();
  #cancel: () => void = () => {};
  #stopped = false;
  #failing = false;
  #groupsAt = Number.NEGATIVE_INFINITY;

  constructor(parts: LoadBalancerParts) {
    this.#parts = parts;
  }

  start(): void {
    const { clock, config } = this.#parts;
    if (this.#stopped) return;
    this.#cancel = clock.schedule(clock.now() + config.interval, () => {
      void this.look().then(() => this.start());
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  links(): LinkView[] {
    return [...this.#links].map(([interfaceIndex, link]) => {
      const { capacity, rate, backlog, load, queue, band } = link;
      return { interfaceIndex, capacity, rate, backlog, load, queue, band };
    });
  }

  groups(): GroupView[] {
    const views: GroupView[] = [];
    for (const { id, members } of this.#parts.fib.balancedGroups()) {
      const state = this.#groups.get(id);
      const due = wholeShares(
        members.map((member) => member.due),
        shareBudget(this.#parts.buckets),
      );
      views.push({
        id,
        moves: state?.moves ?? 0,
        members: members.map((member, place) => {
          const packetRate = state?.rates.get(member.id);
          const share = state?.shares[place] ?? due[place]!;
          return { ...member, share, ...(packetRate !== undefined && { packetRate }) };
        }),
      });
    }
    return views;
  }

  /** One look, at once. Never rejects: what the kernel refuses is said once, until it answers again. */
  async look(): Promise<void> {
    const { clock, config } = this.#parts;
    const scan =
      clock.now() - this.#groupsAt >= (config.mode === 'adaptive' ? config.adaptive.scanInterval : GROUP_INTERVAL);
    try {
      const reading = await this.#parts.meters.read({ groups: scan });
      if (this.#stopped) return;
      this.#failing = false;
      this.#rate(reading.links);
      this.#balance(scan ? reading.groups : undefined);
    } catch (error) {
      if (!this.#failing) this.#say('error', `link loads cannot be read: ${String((error as Error).message)}`);
      this.#failing = true;
    }
  }

  #rate(loads: readonly LinkLoad[]): void {
    const { clock, config, speedOf } = this.#parts;
    const at = clock.now() / 1000;
    const present = new Set<number>();
    for (const { interfaceIndex, octets, backlog, limit } of loads) {
      const capacity = Math.min(limit ?? Number.POSITIVE_INFINITY, speedOf(interfaceIndex) ?? Number.POSITIVE_INFINITY);
      if (!Number.isFinite(capacity) || capacity <= 0) continue;
      present.add(interfaceIndex);
      let link = this.#links.get(interfaceIndex);
      if (link?.capacity !== capacity) link = new LinkQuality(config.quality, capacity);
      this.#links.set(interfaceIndex, link);
      link.sample({ at, octets, backlog });
    }
    for (const index of this.#links.keys()) if (!present.has(index)) this.#links.delete(index);
  }

  #balance(loads: LoadReading['groups'] | undefined): void {
    const { fib, config, clock } = this.#parts;
    const inUse = new Set<NextHopId>();
    if (loads) this.#groupsAt = clock.now();
    const counts = new Map(loads?.map(({ id, packets }) => [id, packets]));
    for (const group of fib.balancedGroups()) {
      inUse.add(group.id);
      const state = this.#stateOf(group);
      if (loads) count(state, counts.get(group.id), clock.now());
      if (config.mode === 'flowlet') this.#follow(group, state);
      if (config.mode === 'adaptive' && loads) this.#scan(group, state);
    }
    for (const id of this.#groups.keys()) if (!inUse.has(id)) this.#groups.delete(id);
  }

  #follow(group: BalancedGroup, state: GroupState): void {
    const qualities = group.members.map(({ interfaceIndex }) => {
      const { band, score } = this.#links.get(interfaceIndex) ?? { band: BEST_BAND, score: 0 };
      return { band, score };
    });
    if (state.flowlet.look(qualities)) this.#move(group, state, state.flowlet.shares);
  }

  #scan(group: BalancedGroup, state: GroupState): void {
    const members = group.members.map(({ id, due }, place) => {
      return { due, share: state.shares[place]!, rate: state.rates.get(id) ?? 0 };
    });
    const shares = adaptiveShares(members, this.#parts.config.adaptive);
    if (shares) this.#move(group, state, shares);
  }

  #move({ id, members }: BalancedGroup, state: GroupState, shares: readonly number[]): void {
    state.shares = shares;
    state.moves++;
    // The kernel counts anew for a group that is replaced.
    state.packets = new Map(members.map((member) => [member.id, 0]));
    state.countedAt = this.#parts.clock.now();
    this.#say('debug', `group ${id}: shares ${shares.join(' ')}`);
    this.#parts.fib.reweigh(id, shares);
  }

  #stateOf(group: BalancedGroup): GroupState {
    const { id, members } = group;
    const known = this.#groups.get(id);
    if (known?.group === group) return known;
    const key = members.map((member) => `${member.id}*${member.due}`).join(',');
    if (known?.key === key) {
      known.group = group;
      return known;
    }
    const { config, buckets } = this.#parts;
    const due = members.map((member) => member.due);
    const flowlet = new FlowletShares(config.flowlet, due, shareBudget(buckets));
    const fresh: GroupState = {
      group,
      key,
      flowlet,
      shares: flowlet.shares,
      moves: 0,
      packets: new Map(),
      countedAt: 0,
      rates: new Map(),
    };
    this.#groups.set(id, fresh);
    return fresh;
  }

  #say(level: 'debug' | 'error', message: string): void {
    this.#parts.log.write({ level, topic: 'dlb', message });
  }
}

/** What is less than before counts from zero: another program replaced the group. */
function count(state: GroupState, packets: ReadonlyMap<NextHopId, number> | undefined, at: number): void {
  const before = state.packets;
  const elapsed = (at - state.countedAt) / 1000;
  state.packets = packets ?? new Map();
  state.countedAt = at;
  if (!packets || before.size === 0 || elapsed <= 0) {
    state.rates = new Map();
    return;
  }
  state.rates = new Map(
    [...packets].map(([id, now]) => {
      const last = before.get(id) ?? 0;
      return [id, (now >= last ? now - last : now) / elapsed];
    }),
  );
}
