/**
 * The planes that forward in a real fabric: scenarios of whole fabrics hold on each of them. `HEDDLE_TEST_PLANE=ebpf` has every real fabric
 * on that one, whatever the tests say.
 */
import { describe, expect, it } from 'vitest';
import { pathOf } from '../../src/app/lab/counters.js';
import { controlSocket, type Lab } from '../../src/app/lab/lab.js';
import type { Topology } from '../../src/app/lab/topology.js';
import { ControlClient } from '../../src/edge/control/client.js';

export const PLANES = ['kernel', 'ebpf'] as const;
export type PlaneName = (typeof PLANES)[number];

const MOST = 0.5;
/** Milliseconds. */
const PATIENCE = 60_000;

const FORCED = PLANES.find((plane) => plane === process.env.HEDDLE_TEST_PLANE);

/** All, or the one that all fabrics are to be on. */
export function planesOfTests(): readonly PlaneName[] {
  return FORCED ? [FORCED] : PLANES;
}

/** The same scenarios on each plane. `define` gives the way to the lab, which is there when they run. */
export function describeOnPlanes(
  name: string,
  unusable: string | undefined,
  define: (plane: PlaneName) => () => Lab,
): void {
  if (unusable) console.log(`skipped: ${unusable}`);
  describe.skipIf(unusable).each(planesOfTests())(`${name} (%s plane)`, (plane) => {
    const lab = define(plane);
    if (plane === 'ebpf') it(SENT_ON, () => expectPlaneForwards(lab()));
  });
}

export const SENT_ON = 'its packets are sent on by the plane, not by the kernel';

/** The same fabric with every heddle router's packets forwarded by the plane. */
export function onPlane(topology: Topology, plane: PlaneName = FORCED ?? 'kernel'): Topology {
  if (plane === 'kernel') return topology;
  const routers = [...topology.spines, ...topology.leaves].filter(({ implementation }) => implementation === 'heddle');
  const settings = routers.map(({ name }) => [name, { ...topology.settings[name], plane }] as const);
  return { ...topology, settings: { ...topology.settings, ...Object.fromEntries(settings) } };
}

/** Packets that the router's eBPF plane has sent out, by interface. Fails where it has none. */
export async function forwardedByPlane(lab: Lab, router: string): Promise<ReadonlyMap<string, number>> {
  const notes = await new ControlClient(controlSocket(lab, router)).fibNotes();
  expect(notes.join('\n'), router).toMatch(/^eBPF plane on \S+ \((native|generic|tc)\)/m);
  const packets = new Map<string, number>();
  for (const note of notes) {
    const [, name, count] = /^eBPF plane to \S+ on (\S+): .*?(\d+) packets/.exec(note) ?? [];
    if (name !== undefined) packets.set(name, (packets.get(name) ?? 0) + Number(count));
  }
  return packets;
}

/**
 * A burst from the first host to the last one is sent on by the planes of its leaf and of the spines. Not always most of it: a daemon that
 * waits for its turn on a busy machine has no say for so long.
 */
export async function expectPlaneForwards(lab: Lab, colour = 1): Promise<void> {
  await expect.poll(() => shareOfPlanes(lab, colour), { timeout: PATIENCE }).toBeGreaterThan(MOST);
}

/** Of a burst: the smaller one of what the leaf's plane and the spines' have sent on. */
async function shareOfPlanes(lab: Lab, colour: number): Promise<number> {
  const { routers, hosts } = lab.plan;
  const [from, to] = [hosts[0]!, hosts.at(-1)!];
  const places = [[from.leaf], routers.filter(({ role }) => role === 'spine').map(({ name }) => name)];
  const counts = () =>
    Promise.all(
      places.map(async (names) => {
        const maps = await Promise.all(names.map((name) => forwardedByPlane(lab, name)));
        return maps.flatMap((packets) => [...packets.values()]).reduce((sum, count) => sum + count, 0);
      }),
    );
  const before = await counts();
  const { burst } = await pathOf(lab, { from: from.name, to: to.name, colour });
  const after = await counts();
  return Math.min(...after.map((count, place) => (count - before[place]!) / burst));
}
