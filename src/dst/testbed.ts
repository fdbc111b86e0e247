/**
 * The fabric that a scenario happens to, on virtual time, and what is known of it from outside: which faults are on, which
 * configuration each router is to run, and so what all routers must come to once it is quiet. Everything that is sent goes into a digest.
 */
import type { LabPlan, PlannedRouter } from '../app/lab/plan.js';
import { planLab } from '../app/lab/plan.js';
import { parseTopology } from '../app/lab/read-topology.js';
import { fabricShape } from '../app/trial/simulated-fabric.js';
import type { LogEvent } from '../core/ports/event-log.js';
import type { FabricInterfaceConfig, SpeakerConfig } from '../core/speaker/config.js';
import { SeededRandom } from '../simulator/seeded-random.js';
import { type FabricShape, VirtualFabric } from '../simulator/virtual-fabric.js';
import type { VirtualInterface } from '../simulator/virtual-interface.js';
import type { VirtualNode } from '../simulator/virtual-node.js';
import type { WireTap } from '../simulator/wire-tap.js';
import { Digest } from './digest.js';
import { Ledger } from './ledger.js';
import type { FabricSpec, Scenario } from './scenario.js';
import type { Violation } from './violation.js';

const BFD = { interval: 1000, multiplier: 3, strict: false };
const RESTARTER = { restartTime: 8, longLived: 0, selectionDeferral: 10 };
const HELPER = { longest: 10, longLived: 0 };

interface Plan {
  readonly plan: LabPlan;
  readonly shape: FabricShape;
}

const plans = new Map<string, Plan>();

/** Kept: parsing costs more than a start of the fabric. */
function planOf(spec: FabricSpec): Plan {
  const text = topologyText(spec);
  const known = plans.get(text);
  if (known) return known;
  const parsed = parseTopology(text);
  if (parsed.topology === undefined) throw new Error(parsed.problems.map(({ message }) => message).join('; '));
  const plan = planLab(parsed.topology);
  const made = { plan, shape: fabricShape(plan) };
  plans.set(text, made);
  return made;
}

/** The same fabric as a topology that a lab takes. */
export function topologyText({ spines, leaves, mode }: FabricSpec): string {
  return [
    'name: dst',
    `spines: ${spines}`,
    `leaves: ${leaves}`,
    'hosts-per-leaf: 1',
    `dpf-mode: ${mode}`,
    'addressing: { ipv6: "fc00:{leaf}:{host}:{uplink}::/64" }',
    '',
  ].join('\n');
}

function adapted({ balancing, ...config }: SpeakerConfig, spec: FabricSpec): SpeakerConfig {
  const link = (one: FabricInterfaceConfig): FabricInterfaceConfig => ({
    ...one,
    ...(spec.bfd && { bfd: BFD }),
    ...(spec.graceful && { restartHelper: HELPER }),
  });
  return {
    ...config,
    fabric: config.fabric.map(link),
    ...(spec.graceful && { restarter: RESTARTER }),
    ...(spec.balancing && balancing && { balancing }),
  };
}

export class Testbed {
  readonly plan: LabPlan;
  readonly fabric: VirtualFabric;
  readonly digest = new Digest();
  readonly ledger: Ledger;
  /** Of the cables. */
  readonly random: SeededRandom;
  /** What each router is to run; it does unless it is down. */
  readonly configs: Map<string, SpeakerConfig>;
  readonly down = new Set<string>();
  /** Links that nothing gets through, as `leaf1:spine2`. */
  readonly cut = new Set<string>();
  /** Found so far, whatever the moment. */
  readonly violations: Violation[] = [];
  /** Hears all that is sent too. */
  listener: WireTap | undefined;
  /** Starts and stops under way. */
  private readonly pending = new Map<string, Promise<void>>();

  constructor(
    readonly scenario: Scenario,
    private readonly trace?: (line: string) => void,
  ) {
    const { plan, shape } = planOf(scenario.fabric);
    this.plan = plan;
    this.random = new SeededRandom(scenario.seed ^ 0x5eed);
    const routers = shape.routers.map(({ name, config }) => ({ name, config: adapted(config, scenario.fabric) }));
    this.configs = new Map(routers.map(({ name, config }) => [name, config]));
    this.fabric = new VirtualFabric(
      { ...shape, routers },
      {
        seed: scenario.seed,
        delay: scenario.fabric.delay,
        log: (node) => ({ write: (event) => this.logged(node, event) }),
        tap: {
          packet: (from, kind, octets) => {
            this.digest.add(this.now, kind, from.mac, octets);
            this.listener?.packet(from, kind, octets);
          },
          written: (stream, octets) => {
            this.digest.add(this.now, `tcp ${stream.localPort} ${stream.remotePort}`, stream.local, octets);
            this.listener?.written(stream, octets);
          },
        },
      },
    );
    this.ledger = new Ledger({ asnOf: (node) => this.config(node).asn, found: (violation) => this.found(violation) });
    for (const { name } of routers) this.node(name).watchers = [this.ledger.watcher(name)];
  }

  get now(): number {
    return this.fabric.clock.now();
  }

  get routers(): readonly PlannedRouter[] {
    return this.plan.routers;
  }

  node(name: string): VirtualNode {
    return this.fabric.node(name);
  }

  config(name: string): SpeakerConfig {
    return this.configs.get(name)!;
  }

  /** Those whose process is to be there. */
  get running(): readonly PlannedRouter[] {
    return this.routers.filter(({ name }) => !this.down.has(name));
  }

  /** The end of `a` of the link to `b`; absent while the interfaces are deleted. */
  end(a: string, b: string): VirtualInterface | undefined {
    return this.node(a).links.byName(`to-${b}`);
  }

  pass(milliseconds: number): Promise<void> {
    return this.fabric.clock.runUntil(this.now + milliseconds);
  }

  found(violation: Violation): void {
    this.violations.push(violation);
    this.say(`VIOLATION ${violation.invariant} at ${violation.place}: ${violation.detail}`);
  }

  say(line: string): void {
    this.trace?.(`${(this.now / 1000).toFixed(6)} ${line}`);
  }

  /** Does that to a router when what was asked for before is done. */
  afterwards(router: string, work: () => Promise<void> | void): void {
    const before = this.pending.get(router) ?? Promise.resolve();
    const failed = (error: unknown) =>
      this.found({ invariant: 'no-exception', place: router, detail: describe(error) });
    this.pending.set(router, before.then(work).catch(failed));
  }

  private logged(node: string, { level, topic, message }: LogEvent): void {
    this.trace?.(`${(this.now / 1000).toFixed(6)} ${node} ${level} ${topic}: ${message}`);
  }
}

export function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
