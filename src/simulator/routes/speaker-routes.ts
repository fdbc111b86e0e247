/**
 * Forwarding as heddle's speakers decide it: the fabric's routers are started on virtual time, and what they write into their kernels' tables, at the
 * start and at every failure that a run is going to have, is what the packets of the run are forwarded by. The control plane does not depend on
 * the load (its packets go first), so it is played before the packets are, and their changes come at the moment they came in the play.
 */
import { FALLBACK_METRIC, PRIMARY_METRIC } from '../../core/fib/types.js';
import { formatPrefix } from '../../core/net/prefix.js';
import { type Forwarding, hostForwarding } from '../network/forwarding.js';
import { leavesOf, type Topology } from '../network/topology.js';
import { VirtualFabric } from '../virtual-fabric.js';
import { planePrefix, portName, portOf, type RoutingPlan, routerName, speakerFabric } from './speaker-fabric.js';

const PS_PER_MS = 1e9;
/** Milliseconds of virtual time in which a fabric must have come up; duplicate address detection takes one second of them. */
const UP_LIMIT = 60_000;
/** Routers on the way of what is told, and as many again for what follows from it. */
const MOST_HOPS = 12;
/** Without a change for so long (milliseconds) beyond the time that tables take, the fabric stands still. */
const SETTLED = 1500;
/** How finely changes of tables are seen after a failure, milliseconds. */
const STEP = 0.05;

/** A link goes down or comes back, picoseconds after the start of the run. */
export interface CarrierChange {
  readonly at: number;
  readonly link: number;
  readonly up: boolean;
}

/** What a switch does with a prefix from a moment on. */
export interface RouteChange {
  /** Picoseconds after the start of the run; 0 or less: from the start. */
  readonly at: number;
  readonly node: number;
  readonly prefix: number;
  readonly primary: readonly number[];
  readonly fallback: readonly number[];
}

export interface SpeakerRoutes {
  readonly plan: RoutingPlan;
  /** In order of time. */
  readonly changes: readonly RouteChange[];
}

export interface PlayOptions {
  readonly seed: number;
  /** Milliseconds that a router takes from learning something to working its tables. */
  readonly tableDelay: number;
  /** Until when changes are followed, picoseconds after the start of the run. */
  readonly until: number;
}

/** Plays the control plane of a run. */
export async function playSpeakers(
  topology: Topology,
  plan: RoutingPlan,
  failures: readonly CarrierChange[],
  options: PlayOptions,
): Promise<SpeakerRoutes> {
  const play = new Play(topology, plan, options);
  await play.bringUp();
  for (const failure of [...failures].sort((a, b) => a.at - b.at)) {
    await play.followUntil(failure.at);
    play.change(failure);
  }
  if (failures.length > 0) await play.followUntil(options.until);
  return { plan, changes: play.changes };
}

class Play {
  readonly changes: RouteChange[] = [];
  private readonly fabric: VirtualFabric;
  private readonly tableDelay: number;
  private readonly last = new Map<string, string>();
  private readonly dirty = new Set<number>();
  private readonly nodes: readonly number[];
  private readonly prefixes = new Map<string, number>();
  /** Virtual milliseconds at which a table changed last. */
  private changed = 0;
  /** Virtual milliseconds at which the run starts. */
  private start = 0;

  constructor(
    private readonly topology: Topology,
    plan: RoutingPlan,
    options: PlayOptions,
  ) {
    this.tableDelay = options.tableDelay;
    this.nodes = topology.tiers.map((_, index) => topology.hosts + index);
    this.fabric = new VirtualFabric(speakerFabric(topology, plan), {
      seed: options.seed,
      delay: 0.001,
      log: () => ({ write: () => {} }),
      systemMac: true,
      sharedAttributes: true,
      tableDelay: options.tableDelay,
    });
    leavesOf(topology).forEach((_, leaf) => {
      for (let plane = 0; plane < plan.planes; plane++) {
        this.prefixes.set(formatPrefix(planePrefix(leaf, plane)), leaf * plan.planes + plane);
      }
    });
    for (const node of this.nodes) this.node(node).tables.hearOperations(() => this.hear(node));
  }

  private hear(node: number): void {
    this.dirty.add(node);
    this.changed = this.fabric.clock.now();
  }

  async bringUp(): Promise<void> {
    const { fabric } = this;
    await fabric.start();
    fabric.raiseLinks();
    const isUp = () => fabric.converged;
    // Each router on a route's way takes its time, and nothing is to be seen meanwhile.
    const [limit, settled] = [UP_LIMIT + MOST_HOPS * this.tableDelay, SETTLED + this.tableDelay];
    if (!(await fabric.clock.runUntilDone(isUp, limit))) throw new Error('the routers of the fabric do not converge');
    // Counted from the last change: in rounds of which a whole one had to be quiet it took a tenth more work.
    this.changed = fabric.clock.now();
    while (fabric.clock.now() < Math.min(this.changed + settled, limit))
      await fabric.clock.runUntil(this.changed + settled);
    this.start = fabric.clock.now();
    for (const node of this.nodes) this.dirty.add(node);
    await this.note();
  }

  /** `at` in picoseconds after the start of the run. */
  async followUntil(at: number): Promise<void> {
    const { clock } = this.fabric;
    const end = this.start + at / PS_PER_MS;
    while (clock.now() < end) {
      await clock.runUntil(Math.min(end, clock.now() + STEP));
      await this.note();
    }
  }

  change({ link, up }: CarrierChange): void {
    const { a, b } = this.topology.links[link]!;
    const ends = [
      { node: a, port: link * 2 },
      { node: b, port: link * 2 + 1 },
    ];
    for (const { node, port } of ends) this.interfaceOf(node, port)?.setAdmin(up);
  }

  private interfaceOf(node: number, port: number) {
    return [...this.node(node).links.all()].find(({ name }) => name === portName(port));
  }

  private node(node: number) {
    return this.fabric.node(routerName(this.topology, node));
  }

  /** Puts what has changed in the tables into the list. */
  private async note(): Promise<void> {
    const at = Math.round((this.fabric.clock.now() - this.start) * PS_PER_MS);
    for (const node of [...this.dirty].sort((a, b) => a - b)) {
      for (const [prefix, ways] of await this.waysAt(node)) {
        const key = `${node} ${prefix}`;
        const value = `${ways.primary.join()}|${ways.fallback.join()}`;
        if (this.last.get(key) === value) continue;
        this.last.set(key, value);
        this.changes.push({ at, node, prefix, ...ways });
      }
    }
    this.dirty.clear();
  }

  /** Ports by prefix, of every prefix of the fabric; none where there is no route. */
  private async waysAt(node: number): Promise<Map<number, { primary: number[]; fallback: number[] }>> {
    const { tables, links } = this.node(node);
    const { nextHops, groups, routes } = await tables.dump('everything');
    const ports = new Map(nextHops.map((one) => [one.id, [portOf(links.byIndex(one.interfaceIndex)!.name)]]));
    for (const { id, members } of groups) {
      const all = members.flatMap((member) => ports.get(member.id) ?? []);
      ports.set(
        id,
        all.sort((a, b) => a - b),
      );
    }
    const ways = new Map([...this.prefixes.values()].map((prefix) => [prefix, { primary: none(), fallback: none() }]));
    for (const { prefix, metric, nextHop } of routes) {
      const way = ways.get(this.prefixes.get(formatPrefix(prefix)) ?? -1);
      if (way && metric === PRIMARY_METRIC) way.primary = ports.get(nextHop) ?? [];
      if (way && metric === FALLBACK_METRIC) way.fallback = ports.get(nextHop) ?? [];
    }
    return ways;
  }
}

const none = (): number[] => [];

/** Forwarding as it is at the start of a run; `applyChange` for what comes later. Hosts have an address in each plane of their leaf. */
export function forwardingBy(topology: Topology, routes: SpeakerRoutes, isUp: (port: number) => boolean): Forwarding {
  const forwarding = hostForwarding(topology, routes.plan.planes, isUp);
  for (const change of routes.changes) if (change.at <= 0) applyChange(forwarding, change);
  return forwarding;
}

export function applyChange(forwarding: Forwarding, { node, prefix, primary, fallback }: RouteChange): void {
  forwarding.set(node, prefix, primary, fallback);
}
