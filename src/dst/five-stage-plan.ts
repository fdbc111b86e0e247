/**
 * A fabric of five stages, made of the plan of one of three: its leaves in pods, each pod with spines of its own, and above the spines of each
 * place in their pods a plane of superspines. Uplinks of leaves keep their colours, and so do the links above them (docs/scale.md).
 */
import type { FabricPort, LabPlan, PlannedLink, PlannedRouter } from '../app/lab/plan.js';
import type { RouterSpec } from '../app/lab/topology.js';

export const SUPERSPINES_PER_PLANE = 2;
const FIRST_SUPERSPINE_AS = 65_301;

/** `plan` has the leaves of all pods, and the spines of one. */
export function fiveStagePlan(plan: LabPlan, pods: number): LabPlan {
  const { topology } = plan;
  const leaves = topology.leaves.length / pods;
  const planes = topology.spines.length;
  const spineOf = (leaf: RouterSpec, place: number) => (Math.ceil(leaf.number / leaves) - 1) * planes + place;
  const specs = spineSpecs(plan, pods * planes);
  const link = (own: RouterSpec, peer: RouterSpec, place: number): FabricPort => ({
    interface: `to-${peer.name}`,
    peer,
    peerInterface: `to-${own.name}`,
    uplink: place,
    colour: topology.colours[place - 1]!,
  });
  const supers = numbers(planes * SUPERSPINES_PER_PLANE).map(superspineSpec);
  const places = numbers(planes);
  const leafRouters = plan.routers.flatMap((router): PlannedRouter[] => {
    if (router.role !== 'leaf') return [];
    return [{ ...router, fabric: places.map((place) => link(router, specs[spineOf(router, place) - 1]!, place)) }];
  });
  const spines = specs.map((spec): PlannedRouter => {
    const place = ((spec.number - 1) % planes) + 1;
    const down = topology.leaves.filter((leaf) => spineOf(leaf, place) === spec.number);
    const up = supers.filter((one) => planeOf(one) === place);
    const fabric = [...down, ...up].map((peer) => link(spec, peer, place));
    return { ...spec, routerId: `10.0.1.${spec.number}`, fabric, hosts: [] };
  });
  const above = supers.map((spec): PlannedRouter => {
    const place = planeOf(spec);
    const below = specs.filter(({ number }) => ((number - 1) % planes) + 1 === place);
    return {
      ...spec,
      routerId: `10.2.0.${spec.number}`,
      fabric: below.map((one) => link(spec, one, place)),
      hosts: [],
    };
  });
  const routers = [...above, ...spines, ...leafRouters];
  return {
    ...plan,
    topology: { ...topology, settings: settingsOf(plan, routers) },
    routers,
    links: [
      ...[...leafRouters, ...spines].flatMap((router) => linksUp(router, above.concat(spines))),
      ...plan.links.filter(({ b }) => plan.hosts.some(({ name }) => name === b.node)),
    ],
  };
}

export function superspineName(place: number, number: number): string {
  return `super${(place - 1) * SUPERSPINES_PER_PLANE + number}`;
}

export function isFiveStages({ routers }: LabPlan): boolean {
  return routers.some(({ name }) => name.startsWith('super'));
}

function planeOf({ number }: RouterSpec): number {
  return Math.ceil(number / SUPERSPINES_PER_PLANE);
}

function spineSpecs({ topology }: LabPlan, count: number): RouterSpec[] {
  const [first] = topology.spines;
  return numbers(count).map((number) => ({
    ...first!,
    name: `spine${number}`,
    number,
    asn: first!.asn + number - 1,
  }));
}

function superspineSpec(number: number): RouterSpec {
  return {
    name: `super${number}`,
    role: 'spine',
    number,
    asn: FIRST_SUPERSPINE_AS + number - 1,
    implementation: 'heddle',
  };
}

/** Those of a router whose other end is in the list: above it. */
function linksUp(router: PlannedRouter, above: readonly PlannedRouter[]): PlannedLink[] {
  const up = router.fabric.filter(({ peer }) => peer.role !== 'leaf' && above.some(({ name }) => name === peer.name));
  return up.map((port) => ({
    a: { node: router.name, interface: port.interface },
    b: { node: port.peer.name, interface: port.peerInterface },
  }));
}

/** All spines have those of the first. */
function settingsOf({ topology }: LabPlan, routers: readonly PlannedRouter[]): LabPlan['topology']['settings'] {
  const { settings, spines } = topology;
  const ofSpines = settings[spines[0]!.name] ?? {};
  return Object.fromEntries(
    routers.map(({ name, role }) => [name, role === 'leaf' ? (settings[name] ?? {}) : ofSpines]),
  );
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
