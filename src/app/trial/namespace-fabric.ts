/** The trial fabric made of network namespaces: real daemons, the real kernel, real packets. */

import { setTimeout as sleep } from 'node:timers/promises';
import { FALLBACK_METRIC, PRIMARY_METRIC } from '../../core/fib/types.js';
import type { Colour } from '../../core/speaker/config.js';
import { ControlClient } from '../../edge/control/client.js';
import type { Fabric, LoadBalancing } from '../../edge/control/schema.js';
import { buildLab, raiseLinks, tearDown } from '../lab/build.js';
import { prepareBursts } from '../lab/bursts.js';
import { run, tryRun } from '../lab/command.js';
import { offeredPackets, pathOf } from '../lab/counters.js';
import { waitHostAddresses } from '../lab/hosts.js';
import { kernelRoutes } from '../lab/kernel-routes.js';
import { controlSocket, describeLab, type Lab, type LabOptions, namespaceOf } from '../lab/lab.js';
import { deleteLink, failLink, healLink, remakeLink, silenceLink } from '../lab/links.js';
import { placementOf } from '../lab/placement.js';
import type { LabPlan } from '../lab/plan.js';
import { poll } from '../lab/poll.js';
import { colourFlow, colourFlows, startProbe } from '../lab/probe.js';
import { signalProcess } from '../lab/processes.js';
import { waitReady } from '../lab/readiness.js';
import type { Topology } from '../lab/topology.js';
import type {
  BurstyFlows,
  FlowEnds,
  ForwardingRoutes,
  KernelWrites,
  Traffic,
  TrialFabric,
  Ways,
} from './trial-fabric.js';

/** Milliseconds between two looks at a condition. */
const INTERVAL = 50;
/** Flows are told apart by their source ports: this and their number. */
const FIRST_PORT = 20_000;

export class NamespaceFabric implements TrialFabric {
  readonly description = 'network namespaces of this machine: real daemons, kernel routes and packets';
  readonly routesOf = 'The kernel of';
  readonly lab: Lab;
  /** Wall-clock milliseconds just before the first link is set up: the daemons hear of it later. */
  private raisedAt = 0;

  constructor(topology: Topology, options: LabOptions = {}) {
    this.lab = describeLab(topology, options);
  }

  get plan(): LabPlan {
    return this.lab.plan;
  }

  async build(onStep: (step: string) => void): Promise<void> {
    await buildLab(this.lab, { onStep });
  }

  raise(): Promise<void> {
    this.raisedAt = Date.now();
    return raiseLinks(this.lab);
  }

  async ready(timeout: number): Promise<readonly string[]> {
    const { missing } = await waitReady(this.lab, { timeout });
    return missing.length > 0 ? missing : waitHostAddresses(this.lab, timeout);
  }

  until(condition: () => Promise<boolean>, timeout: number): Promise<boolean> {
    return poll(condition, { timeout, interval: INTERVAL });
  }

  async pause(duration: number): Promise<void> {
    await sleep(duration);
  }

  async setUpTime(): Promise<number | undefined> {
    const summaries = await Promise.all(this.heddles().map((name) => this.control(name).summary()));
    const times = summaries.map(({ startup }) => Date.parse(startup.convergedAt ?? ''));
    return times.some(Number.isNaN) ? undefined : Math.max(...times) - this.raisedAt;
  }

  async sessionTries(): Promise<{ first: number; total: number }> {
    const sessions = (await Promise.all(this.heddles().map((name) => this.control(name).neighbors()))).flat();
    const up = sessions.filter(({ state }) => state === 'established');
    return { first: up.filter(({ lastDown }) => lastDown === null).length, total: up.length };
  }

  async routes(router: string, prefix: string): Promise<ForwardingRoutes> {
    return (await this.table(router)).get(prefix) ?? { preferred: [], fallback: [] };
  }

  async table(router: string): Promise<ReadonlyMap<string, ForwardingRoutes>> {
    const table = new Map<string, ForwardingRoutes>();
    for (const { prefix, metric, interfaces } of await kernelRoutes(this.lab, router)) {
      const known = table.get(prefix) ?? { preferred: [], fallback: [] };
      if (metric === PRIMARY_METRIC) table.set(prefix, { ...known, preferred: interfaces });
      if (metric === FALLBACK_METRIC) table.set(prefix, { ...known, fallback: interfaces });
    }
    return table;
  }

  async lookup(router: string, address: string): Promise<string | undefined> {
    const { status, stdout } = await tryRun('ip', [
      '-n',
      namespaceOf(this.lab, router),
      '-j',
      '-6',
      'route',
      'get',
      address,
    ]);
    const [route]: readonly { readonly dev?: string }[] = status === 0 ? JSON.parse(stdout) : [];
    return route?.dev;
  }

  async groupCount(router: string): Promise<number> {
    const output = await run('ip', ['-n', namespaceOf(this.lab, router), '-j', 'nexthop', 'show', 'groups']);
    const groups: readonly unknown[] = JSON.parse(output || '[]');
    return groups.length;
  }

  async writes(router: string): Promise<KernelWrites> {
    return (await this.control(router).summary()).fib.written;
  }

  async routeLines(router: string, prefix: string): Promise<readonly string[]> {
    const output = await run('ip', ['-n', namespaceOf(this.lab, router), '-6', 'route', 'show', prefix]);
    return output.split('\n').filter((line) => line.trim() !== '');
  }

  matrix(router: string): Promise<Fabric> {
    return this.control(router).fabric();
  }

  async carriers(ends: FlowEnds, colour: Colour): Promise<readonly string[]> {
    return (await pathOf(this.lab, { ...ends, colour })).carriers;
  }

  async ways(ends: FlowEnds, colour: Colour): Promise<Ways> {
    const { carriers, arrivals } = await pathOf(this.lab, { ...ends, colour });
    return { out: carriers, in: arrivals };
  }

  async fail(a: string, b: string, link?: number): Promise<void> {
    await failLink(this.lab, linkText(a, b, link));
  }

  async silence(a: string, b: string, ways: 'both' | 'out'): Promise<void> {
    await silenceLink(this.lab, `${a}:${b}`, ways);
  }

  async heal(a: string, b: string, link?: number): Promise<void> {
    await healLink(this.lab, linkText(a, b, link));
  }

  async remove(a: string, b: string): Promise<void> {
    await deleteLink(this.lab, `${a}:${b}`);
  }

  async restore(a: string, b: string): Promise<void> {
    await remakeLink(this.lab, `${a}:${b}`);
  }

  async suspend(router: string): Promise<void> {
    signalProcess(this.lab.directory, router, 'SIGSTOP');
  }

  async resume(router: string): Promise<void> {
    signalProcess(this.lab.directory, router, 'SIGCONT');
  }

  async traffic({ from, to }: FlowEnds): Promise<Traffic> {
    const flows = await colourFlows(this.lab, from, to);
    return startProbe({ from: namespaceOf(this.lab, from), to: namespaceOf(this.lab, to), flows });
  }

  async placement(ends: FlowEnds, colour: Colour, flows: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const flow = await colourFlow(this.lab, { ...ends, colour });
    const placed = await placementOf(this.lab, ends.from, { flow, sourcePorts: flows.map((n) => FIRST_PORT + n) });
    return new Map([...placed].map(([port, uplink]) => [port - FIRST_PORT, uplink]));
  }

  async bursts(ends: FlowEnds, colour: Colour, { flows, ...shape }: BurstyFlows): Promise<{ stop(): Promise<void> }> {
    const { source, destination, port } = await colourFlow(this.lab, { ...ends, colour });
    const [from, to] = [ends.from, ends.to].map((host) => namespaceOf(this.lab, host));
    const sourcePorts = flows.map((n) => FIRST_PORT + n);
    const bursts = await prepareBursts(from!, to!, { source, address: destination, port, sourcePorts, ...shape });
    bursts.begin();
    return { stop: () => bursts.stop().then(() => undefined) };
  }

  offered(router: string): Promise<ReadonlyMap<string, number>> {
    return offeredPackets(namespaceOf(this.lab, router));
  }

  dlb(router: string): Promise<LoadBalancing> {
    return this.control(router).dlb();
  }

  async down(): Promise<readonly string[]> {
    const { strangers } = await tearDown(this.lab);
    return strangers;
  }

  control(router: string): ControlClient {
    return new ControlClient(controlSocket(this.lab, router));
  }

  private heddles(): string[] {
    return this.plan.routers.filter(({ implementation }) => implementation === 'heddle').map(({ name }) => name);
  }
}

function linkText(a: string, b: string, link: number | undefined): string {
  return link === undefined ? `${a}:${b}` : `${a}:${b}/${link}`;
}
