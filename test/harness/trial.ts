/** Scenarios that run twice: on virtual time in this process, and for real in network namespaces. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planLab } from '../../src/app/lab/plan.js';
import type { FlowReport } from '../../src/app/lab/probe-report.js';
import type { Topology } from '../../src/app/lab/topology.js';
import { NamespaceFabric } from '../../src/app/trial/namespace-fabric.js';
import { SimulatedFabric } from '../../src/app/trial/simulated-fabric.js';
import type { FlowEnds, ForwardingRoutes, Traffic, TrialFabric } from '../../src/app/trial/trial-fabric.js';
import { labUnusable, topologyOf } from './lab.js';
import { expectPlaneForwards, onPlane, type PlaneName, planesOfTests, SENT_ON } from './planes.js';

/** Milliseconds; a busy machine needs them, a quiet one is done in a fraction. */
export const PATIENCE = 120_000;
/** Milliseconds of traffic before and after what is done to it. */
const LEAD = 300;

export interface Trial {
  readonly fabric: TrialFabric;
  readonly real: boolean;
  /** Of a real fabric. */
  readonly plane?: PlaneName;
  scenario(name: string, body: () => Promise<void>): void;
  /** Sends traffic while `body` runs; resolves with a report of each flow. */
  under(ends: FlowEnds, body: (traffic: Traffic) => Promise<void>): Promise<readonly FlowReport[]>;
  /** Waits until `look` gives `expected`, then holds it to that. */
  settles<Value>(look: () => Promise<Value>, expected: Value): Promise<void>;
}

interface Kind {
  readonly kind: string;
  readonly plane?: PlaneName;
  readonly unusable: string | undefined;
  create(): TrialFabric;
  /** Looked at when all scenarios are over. */
  check?(fabric: TrialFabric): Promise<void>;
}

function realKind(topology: Topology, plane: PlaneName): Kind {
  const ebpf = plane === 'ebpf';
  return {
    kind: ebpf ? 'real, eBPF plane' : 'real',
    plane,
    unusable: labUnusable({ peers: false }),
    create: () => new NamespaceFabric(onPlane(topology, plane), { prefix: 'fw' }),
    ...(ebpf && {
      check: (fabric) => (fabric instanceof NamespaceFabric ? expectPlaneForwards(fabric.lab) : Promise.resolve()),
    }),
  };
}

/**
 * A fabric of each kind, built and ready before its scenarios and taken down after them: simulated, and for real on each plane. `topology`
 * is the text of a file.
 */
export function describeTrials(name: string, topology: string, define: (trial: Trial) => void): void {
  describeKinds(name, topology, planesOfTests(), define);
}

/** Of what the kernel's next-hop groups do, and nobody else does in the same way. */
export function describeGroupTrials(name: string, topology: string, define: (trial: Trial) => void): void {
  describeKinds(name, topology, ['kernel'], define);
}

function describeKinds(
  name: string,
  topology: string,
  planes: readonly PlaneName[],
  define: (trial: Trial) => void,
): void {
  const parsed = topologyOf(topology);
  const simulated: Kind = {
    ...{ kind: 'simulated', unusable: undefined },
    create: () => new SimulatedFabric(planLab(parsed), { seed: 7 }),
  };
  const kinds = [simulated, ...planes.map((plane) => realKind(parsed, plane))];
  describe.each(kinds)(`${name} ($kind)`, ({ plane, unusable, create, check }) => {
    const fabric: TrialFabric = create();
    beforeAll(async () => {
      if (unusable !== undefined) return;
      await fabric.build(() => {});
      await fabric.raise();
      expect(await fabric.ready(PATIENCE)).toEqual([]);
    });
    afterAll(async () => {
      if (unusable === undefined) expect(await fabric.down()).toEqual([]);
    });
    const scenario = (title: string, body: () => Promise<void>) =>
      it(title, async (context) => {
        if (unusable !== undefined) return context.skip(unusable);
        await body();
      });
    define({
      fabric,
      real: plane !== undefined,
      ...(plane && { plane }),
      scenario,
      under: async (ends, body) => {
        const traffic = await fabric.traffic(ends);
        await fabric.pause(LEAD);
        try {
          await body(traffic);
          await fabric.pause(LEAD);
        } catch (error) {
          await traffic.stop();
          throw error;
        }
        return traffic.stop();
      },
      settles: async (look, expected) => {
        let seen = await look();
        const isThere = () => JSON.stringify(seen) === JSON.stringify(expected);
        if (!isThere())
          await fabric.until(async () => {
            seen = await look();
            return isThere();
          }, PATIENCE);
        expect(seen).toEqual(expected);
      },
    });
    if (check) scenario(SENT_ON, () => check(fabric));
  });
}

/** Where the prefixes of a forwarding table go, and how many go there: `spine1 | spine2 spine3` names the preferred and the others. */
export function ways(table: ReadonlyMap<string, ForwardingRoutes>): Record<string, number> {
  const found: Record<string, number> = {};
  const names = (interfaces: readonly string[]) => [...interfaces].sort().join(' ').replaceAll('to-', '');
  for (const { preferred, fallback } of table.values()) {
    const key = `${names(preferred)} | ${names(fallback)}`;
    found[key] = (found[key] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(found).sort());
}
