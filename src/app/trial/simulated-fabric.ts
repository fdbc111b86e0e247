/** The trial fabric on virtual time in this process: the same speakers, no root, no Linux. */

import { FALLBACK_METRIC, PRIMARY_METRIC } from '../../core/fib/types.js';

import { type Address, parseAddress } from '../../core/net/address.js';
import { counted } from '../../core/net/counted.js';
import { formatPrefix, type Prefix } from '../../core/net/prefix.js';
import type { EventLog } from '../../core/ports/event-log.js';
import type { Colour } from '../../core/speaker/config.js';
import type { Fabric, LoadBalancing } from '../../edge/control/schema.js';
import { SeededRandom } from '../../simulator/seeded-random.js';
import { type FabricShape, VirtualFabric, type WireEnd } from '../../simulator/virtual-fabric.js';
import { VirtualTraffic } from '../../simulator/virtual-traffic.js';
import { parseConfig } from '../config/parse-config.js';
import { loadBalancing } from '../daemon/dlb-view.js';
import { fabricMatrix } from '../daemon/fabric-view.js';
import { rateOf } from '../lab/link-rate.js';
import { nodeConfig } from '../lab/node-config.js';
import { type FabricPort, isIpv4, type LabPlan, type PlannedLink, type PlannedRouter } from '../lab/plan.js';
import { type Arrival, type FlowReport, type Mark, reportFlow } from '../lab/probe-report.js';
import type {
  BurstyFlows,
  FlowEnds,
  ForwardingRoutes,
  KernelWrites,
  Traffic,
  TrialFabric,
  Ways,
} from './trial-fabric.js';

/** Milliseconds: the size of a step when a condition is waited for. */
const STEP = 10;
const WIRE_DELAY = 0.01;
/** Milliseconds for what the routers still have to tell each other after each is done with itself. */
const SETTLE_TIME = 100;
/** Packets of a burst that shows which uplinks carry a flow. */
const BURST = 64;
/** Octets of a packet of a bursty flow. */
const PACKET = 1000;

export interface SimulatedFabricOptions {
  readonly seed: number;
  readonly log?: (node: string) => EventLog;
}

export class SimulatedFabric implements TrialFabric {
  readonly description = 'simulated links in this process, on virtual time';
  readonly routesOf = 'The simulated kernel of';
  readonly fabric: VirtualFabric;
  private readonly prefixTexts = new WeakMap<Prefix, string>();

  constructor(
    readonly plan: LabPlan,
    private readonly options: SimulatedFabricOptions,
  ) {
    const { seed, log = () => ({ write: () => {} }) } = options;
    this.fabric = new VirtualFabric(fabricShape(plan), { seed, delay: WIRE_DELAY, log });
    for (const link of plan.links) this.limit(link);
  }

  /** As the token buckets of a lab do. */
  private limit(link: PlannedLink): void {
    const rate = rateOf(this.plan, link);
    if (rate === undefined) return;
    for (const end of [link.a, link.b]) this.fabric.node(end.node).links.byName(end.interface)!.queue.limit = rate / 8;
  }

  async build(onStep: (step: string) => void): Promise<void> {
    onStep(counted(this.plan.routers.length, 'speaker'));
    await this.fabric.start();
  }

  async raise(): Promise<void> {
    this.fabric.raiseLinks();
  }

  async ready(timeout: number): Promise<readonly string[]> {
    const { clock } = this.fabric;
    if (await clock.runUntilDone(() => this.fabric.converged, clock.now() + timeout)) {
      await clock.runUntil(clock.now() + SETTLE_TIME);
      return [];
    }
    return this.plan.routers
      .filter(({ name }) => this.speaker(name).convergence.duration === undefined)
      .map(({ name }) => `${name}: not converged`);
  }

  async until(condition: () => Promise<boolean>, timeout: number): Promise<boolean> {
    const { clock } = this.fabric;
    const end = clock.now() + timeout;
    while (!(await condition())) {
      if (clock.now() >= end) return false;
      await clock.runUntil(clock.now() + STEP);
    }
    return true;
  }

  async pause(duration: number): Promise<void> {
    await this.fabric.clock.runUntil(this.fabric.clock.now() + duration);
  }

  async setUpTime(): Promise<number | undefined> {
    const times = this.plan.routers.map(({ name }) => this.speaker(name).convergence.duration);
    return times.every((time) => time !== undefined) ? Math.max(...times) : undefined;
  }

  async sessionTries(): Promise<{ first: number; total: number }> {
    const sessions = this.plan.routers.flatMap(({ name }) =>
      this.speaker(name).fabricLinks.flatMap((link) => link.sessions().map((session) => session.summary())),
    );
    const up = sessions.filter(({ state }) => state === 'established');
    return { first: up.filter(({ lastDown }) => lastDown === undefined).length, total: up.length };
  }

  async routes(router: string, prefix: string): Promise<ForwardingRoutes> {
    return (await this.table(router)).get(prefix) ?? { preferred: [], fallback: [] };
  }

  async table(router: string): Promise<ReadonlyMap<string, ForwardingRoutes>> {
    const { tables, links } = this.fabric.node(router);
    const { nextHops, groups, routes } = await tables.dump('everything');
    const names = new Map(nextHops.map(({ id, interfaceIndex }) => [id, links.byIndex(interfaceIndex)?.name ?? '']));
    const interfaces = new Map(
      groups.map(({ id, members }) => [id, members.map((member) => names.get(member.id) ?? '')]),
    );
    const table = new Map<string, ForwardingRoutes>();
    for (const { prefix, metric, nextHop } of routes) {
      const text = this.textOf(prefix);
      const known = table.get(text) ?? { preferred: [], fallback: [] };
      const found = interfaces.get(nextHop) ?? [];
      table.set(text, metric === PRIMARY_METRIC ? { ...known, preferred: found } : { ...known, fallback: found });
    }
    return table;
  }

  /** Kept, because tables are looked at again and again. */
  private textOf(prefix: Prefix): string {
    const known = this.prefixTexts.get(prefix);
    if (known !== undefined) return known;
    const text = formatPrefix(prefix);
    this.prefixTexts.set(prefix, text);
    return text;
  }

  async lookup(router: string, address: string): Promise<string | undefined> {
    const { tables, links } = this.fabric.node(router);
    const [nextHop] = tables.lookup(parseAddress(address) ?? new Uint8Array(16));
    return nextHop && links.byIndex(nextHop.interfaceIndex)?.name;
  }

  async groupCount(router: string): Promise<number> {
    return (await this.fabric.node(router).tables.dump('next-hops')).groups.length;
  }

  async writes(router: string): Promise<KernelWrites> {
    return this.speaker(router).fib.counters.written;
  }

  async routeLines(router: string, prefix: string): Promise<readonly string[]> {
    const { preferred, fallback } = await this.routes(router, prefix);
    const line = (interfaces: readonly string[], metric: number) =>
      interfaces.length === 0 ? [] : [`${prefix} metric ${metric} dev ${interfaces.join(' dev ')}`];
    return [...line(preferred, PRIMARY_METRIC), ...line(fallback, FALLBACK_METRIC)];
  }

  async matrix(router: string): Promise<Fabric> {
    const { uplinks, rows } = fabricMatrix(this.speaker(router));
    return { uplinks: [...uplinks], rows: [...rows] };
  }

  async carriers(ends: FlowEnds, colour: Colour): Promise<readonly string[]> {
    return (await this.ways(ends, colour)).out;
  }

  async ways(ends: FlowEnds, colour: Colour): Promise<Ways> {
    const used = this.burst(ends, colour);
    return {
      out: this.uplinks(ends.from, ({ interface: name }) => used.some(([, leaf]) => leaf?.interface === name)),
      in: this.uplinks(ends.to, ({ peer, peerInterface }) =>
        used.some(([, , spine]) => spine?.node === peer.name && spine.interface === peerInterface),
      ),
    };
  }

  async fail(a: string, b: string, link?: number): Promise<void> {
    this.fabric.fail(a, b, link);
  }

  async silence(a: string, b: string, ways: 'both' | 'out'): Promise<void> {
    this.fabric.silence(a, b);
    if (ways === 'both') this.fabric.silence(b, a);
  }

  async heal(a: string, b: string, link?: number): Promise<void> {
    this.fabric.heal(a, b, link);
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const)
      this.fabric.silence(from, to, false);
  }

  async remove(a: string, b: string): Promise<void> {
    this.fabric.remove(a, b);
  }

  async restore(a: string, b: string): Promise<void> {
    this.fabric.restore(a, b);
    const made = ({ a: leaf, b: other }: PlannedLink) =>
      [leaf.node, other.node].every((node) => node === a || node === b);
    for (const link of this.plan.links.filter(made)) this.limit(link);
  }

  async suspend(router: string): Promise<void> {
    this.fabric.node(router).suspension.suspend();
  }

  async resume(router: string): Promise<void> {
    this.fabric.node(router).suspension.resume();
  }

  async traffic(ends: FlowEnds): Promise<Traffic> {
    return new SimulatedTraffic(
      this.fabric,
      ends,
      this.plan.topology.colours.map((colour) => ({ colour, address: this.hostAddress(ends.to, colour) })),
    );
  }

  async placement(ends: FlowEnds, colour: Colour, flows: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const leaf = this.plan.hosts.find(({ name }) => name === ends.from)?.leaf ?? '';
    const address = this.hostAddress(ends.to, colour);
    const uplinks = flows.map((hash): [number, string] => [hash, this.fabric.placement(leaf, address, hash) ?? '']);
    return new Map(uplinks);
  }

  async bursts({ from, to }: FlowEnds, colour: Colour, shape: BurstyFlows): Promise<{ stop(): Promise<void> }> {
    const { flows, burst, pause } = shape;
    const rate = ((shape.rate / flows.length / 1000) * (burst + pause)) / burst;
    const address = this.hostAddress(to, colour);
    const each = flows.map((hash) => ({ from, to: address, hash, rate, burst, pause }));
    const traffic = new VirtualTraffic(this.fabric, each, new SeededRandom(this.options.seed));
    return { stop: async () => traffic.stop() };
  }

  async offered(router: string): Promise<ReadonlyMap<string, number>> {
    const limited = [...this.fabric.node(router).links.all()].filter(({ queue }) => queue.limit !== undefined);
    return new Map(limited.map(({ name, queue }) => [name, (queue.sent + queue.backlog + queue.dropped) / PACKET]));
  }

  async dlb(router: string): Promise<LoadBalancing> {
    return loadBalancing(this.speaker(router));
  }

  async down(): Promise<readonly string[]> {
    await this.fabric.stop();
    const left = await Promise.all(
      this.plan.routers.map(async ({ name }) => {
        const { nextHops, groups, routes } = await this.fabric.node(name).tables.dump('everything');
        const count = nextHops.length + groups.length + routes.length;
        return count === 0 ? [] : [`${name}: ${count} kernel objects`];
      }),
    );
    return left.flat();
  }

  private speaker(router: string) {
    const { speaker } = this.fabric.node(router);
    if (!speaker) throw new Error(`${router} has not been started`);
    return speaker;
  }

  /** Any address in the host's prefix of that colour: the leaf forwards the prefix. */
  private hostAddress(host: string, colour: Colour): Address {
    const planned = this.plan.hosts
      .find(({ name }) => name === host)
      ?.prefixes.find((prefix) => prefix.colour === colour && !isIpv4(prefix));
    if (!planned) throw new Error(`${host} has no prefix of colour ${colour}`);
    const address = Uint8Array.from(planned.prefix.address);
    address[15] = 0x10;
    return address;
  }

  /** Ways of the packets that arrive: host, leaf, spine, leaf, host. */
  private burst({ from, to }: FlowEnds, colour: Colour): WireEnd[][] {
    const address = this.hostAddress(to, colour);
    const paths = Array.from({ length: BURST }, (_, flow) => this.fabric.trace(from, address, flow));
    return paths.filter((path) => path.at(-1)?.node === to);
  }

  private uplinks(host: string, isUsed: (port: FabricPort) => boolean): string[] {
    const leaf = this.plan.hosts.find(({ name }) => name === host)?.leaf;
    const router = this.plan.routers.find(({ name }) => name === leaf);
    return (router?.fabric ?? []).filter(isUsed).map((port) => port.interface);
  }
}

/** Walks one packet a flow and millisecond, and remembers which arrived. */
class SimulatedTraffic implements Traffic {
  private readonly arrivals = new Map<Colour, Arrival[]>();
  private readonly marks: Mark[] = [];
  private sent = 0;
  private stopped = false;

  constructor(
    private readonly fabric: VirtualFabric,
    private readonly ends: FlowEnds,
    private readonly flows: readonly { readonly colour: Colour; readonly address: Address }[],
  ) {
    for (const { colour } of flows) this.arrivals.set(colour, []);
    this.tick();
  }

  mark(name: string): void {
    this.marks.push({ name, at: this.fabric.clock.now() });
  }

  async stop(): Promise<readonly FlowReport[]> {
    this.stopped = true;
    const stoppedAt = this.fabric.clock.now();
    return this.flows.map(({ colour }) =>
      reportFlow(
        {
          flow: `colour ${colour}`,
          sent: this.sent,
          interval: 1,
          arrivals: this.arrivals.get(colour) ?? [],
          stoppedAt,
        },
        this.marks,
      ),
    );
  }

  private tick(): void {
    if (this.stopped) return;
    const { clock } = this.fabric;
    const now = clock.now();
    const sequence = this.sent++;
    for (const { colour, address } of this.flows) {
      const path = this.fabric.walk(this.ends.from, address, sequence);
      if (path.at(-1) === this.ends.to) this.arrivals.get(colour)?.push({ sequence, sentAt: now, receivedAt: now });
    }
    clock.schedule(now + 1, () => this.tick());
  }
}

/** The plan's routers as speakers; all of them must be heddle. */
export function fabricShape(plan: LabPlan): FabricShape {
  return {
    routers: plan.routers.map((router) => ({ name: router.name, config: speakerConfig(plan, router) })),
    hosts: plan.hosts.map(({ name }) => name),
    wires: plan.links,
  };
}

function speakerConfig(plan: LabPlan, router: PlannedRouter) {
  if (router.implementation !== 'heddle')
    throw new Error(`${router.name} runs ${router.implementation}, which cannot be simulated`);
  const parsed = parseConfig(nodeConfig(plan, router, '/nowhere').text);
  if (parsed.config) return parsed.config.speaker;
  throw new Error(`the configuration made for ${router.name} is wrong: ${parsed.problems[0]?.message}`);
}
