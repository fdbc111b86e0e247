/**
 * A fabric to try things on, real or simulated behind the same face: the demo tells its story on one, and the scenario tests
 * run each scenario on both.
 */
import type { Colour } from '../../core/speaker/config.js';
import type { Fabric, LoadBalancing } from '../../edge/control/schema.js';
import type { LabPlan } from '../lab/plan.js';
import type { FlowReport } from '../lab/probe-report.js';

/** Interfaces by the metric of the kernel route that names them. */
export interface ForwardingRoutes {
  /** Metric 20. */
  readonly preferred: readonly string[];
  /** Metric 30. */
  readonly fallback: readonly string[];
}

/** Objects that a router has put into its kernel since it started, those replaced included. */
export interface KernelWrites {
  readonly nextHops: number;
  readonly groups: number;
  readonly routes: number;
}

export interface Traffic {
  /** Names this moment: what is lost from here on is told apart. */
  mark(name: string): void;
  /** One report per flow. */
  stop(): Promise<readonly FlowReport[]>;
}

/** Of a leaf's uplinks. */
export interface BurstyFlows {
  /** Each a number of its own, which decides the flow's hash. */
  readonly flows: readonly number[];
  /** Octets a second, all flows together, on average. */
  readonly rate: number;
  /** Milliseconds of a burst and of the pause after it; without a pause flows are steady. */
  readonly burst: number;
  readonly pause: number;
}

export interface FlowEnds {
  readonly from: string;
  readonly to: string;
}

export interface Ways {
  readonly out: readonly string[];
  readonly in: readonly string[];
}

export interface TrialFabric {
  readonly plan: LabPlan;
  /** What it is made of, for people: `network namespaces of this machine`. */
  readonly description: string;
  /** `The kernel of`, or what stands for it. */
  readonly routesOf: string;
  /** Starts every router with all links down. `onStep` is told what is being done. */
  build(onStep: (step: string) => void): Promise<void>;
  /** Sets all links up. */
  raise(): Promise<void>;
  /** Waits until all sessions are up, all routes installed and all hosts have their addresses; resolves with what is missing. */
  ready(timeout: number): Promise<readonly string[]>;
  /** Waits until `condition` holds; false after `timeout` milliseconds. */
  until(condition: () => Promise<boolean>, timeout: number): Promise<boolean>;
  /** Lets `duration` milliseconds pass. */
  pause(duration: number): Promise<void>;
  /** Milliseconds from link-up to all routes in the kernel, of the slowest heddle router; `undefined` until all know it. */
  setUpTime(): Promise<number | undefined>;
  /** Sessions that came up at their first try, and all sessions that came up. */
  sessionTries(): Promise<{ readonly first: number; readonly total: number }>;
  /** The forwarding table's routes of one prefix on one router. */
  routes(router: string, prefix: string): Promise<ForwardingRoutes>;
  /** Those of all prefixes that the router forwards for others, by prefix. */
  table(router: string): Promise<ReadonlyMap<string, ForwardingRoutes>>;
  /** Interface that the forwarding table has for an address now; `undefined` when it has none. */
  lookup(router: string, address: string): Promise<string | undefined>;
  /** Next-hop groups that the kernel has of the router. */
  groupCount(router: string): Promise<number>;
  /** By heddle's own account. */
  writes(router: string): Promise<KernelWrites>;
  /** The same for people: the lines that `ip -6 route show PREFIX` prints. */
  routeLines(router: string, prefix: string): Promise<readonly string[]>;
  matrix(router: string): Promise<Fabric>;
  /** Uplinks of the first host's leaf that packets of a colour really take. */
  carriers(ends: FlowEnds, colour: Colour): Promise<readonly string[]>;
  /** The same at both ends: uplinks of the first host's leaf that they leave by, and of the second's that they come in by. */
  ways(ends: FlowEnds, colour: Colour): Promise<Ways>;
  /** Cuts the links between two nodes, or the one with that number, at the first one's end. */
  fail(a: string, b: string, link?: number): Promise<void>;
  /** The same without a sign at either end: what passes between them is lost, or only what the first one sends (`out`). */
  silence(a: string, b: string, ways: 'both' | 'out'): Promise<void>;
  /** Undoes all of the above. */
  heal(a: string, b: string, link?: number): Promise<void>;
  /** Deletes the interfaces between two nodes, at both ends. */
  remove(a: string, b: string): Promise<void>;
  /** Makes them anew. */
  restore(a: string, b: string): Promise<void>;
  /** Stops the process of a router; its kernel goes on. */
  suspend(router: string): Promise<void>;
  resume(router: string): Promise<void>;
  /** One flow per colour, a datagram a millisecond. */
  traffic(ends: FlowEnds): Promise<Traffic>;
  /** The uplink that the first host's leaf has now for each flow of a colour. */
  placement(ends: FlowEnds, colour: Colour, flows: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Flows of a colour, from now until they are stopped. */
  bursts(ends: FlowEnds, colour: Colour, flows: BurstyFlows): Promise<{ stop(): Promise<void> }>;
  /** Packets that a router's interfaces with a rate were given so far, those dropped included. */
  offered(router: string): Promise<ReadonlyMap<string, number>>;
  dlb(router: string): Promise<LoadBalancing>;
  /** Stops everything and leaves nothing; resolves with what was left all the same. */
  down(): Promise<readonly string[]>;
}
