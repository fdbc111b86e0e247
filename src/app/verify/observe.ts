/** Asks every router of a lab and its kernel, each in the way of what runs there, and looks at the links. */
import { ControlClient } from '../../edge/control/client.js';
import type { Fabric, Route } from '../../edge/control/schema.js';
import { birdc } from '../lab/bird-driver.js';
import { driverOf } from '../lab/drivers.js';
import { vtysh } from '../lab/frr-driver.js';
import { kernelRoutes } from '../lab/kernel-routes.js';
import { controlSocket, type Lab } from '../lab/lab.js';
import { linkConditions } from '../lab/links.js';
import type { PlannedRouter } from '../lab/plan.js';
import { linkNames } from './failures.js';
import type { FabricState, NodeState, SeenRoute } from './observation.js';
import { readBirdRoutes } from './read-bird.js';
import { readFrrRoutes } from './read-frr.js';

export const STATE_FORMAT = 'heddle-verify-1';

export async function observeLab(lab: Lab): Promise<FabricState> {
  const names = new Map([...linkNames(lab.plan)].map(([name, link]) => [link, name]));
  const [conditions, routers] = await Promise.all([
    linkConditions(lab),
    Promise.all(lab.plan.routers.map((router) => observeRouter(lab, router))),
  ]);
  return {
    format: STATE_FORMAT,
    topology: lab.name,
    nodes: routers.map(({ node }) => node),
    links: conditions.map(({ link, state }) => ({ link: names.get(link)!, state })),
    routers: new Map(routers.map((state) => [state.node, state])),
  };
}

type DaemonState = Pick<NodeState, 'sessions' | 'routes' | 'fib' | 'fibProblems'>;

async function observeRouter(lab: Lab, router: PlannedRouter): Promise<NodeState> {
  const { name: node, implementation } = router;
  const kernel = kernelRoutes(lab, node);
  const head = { node, implementation };
  try {
    return { ...head, silent: null, ...(await askDaemon(lab, router)), kernel: [...(await kernel)] };
  } catch (error) {
    const silent = error instanceof Error ? error.message : String(error);
    return { ...head, silent, sessions: [], routes: [], fib: null, fibProblems: [], kernel: [...(await kernel)] };
  }
}

function askDaemon(lab: Lab, router: PlannedRouter): Promise<DaemonState> {
  if (router.implementation === 'heddle') return askHeddle(lab, router);
  return askOther(lab, router, router.implementation === 'frr' ? frrRoutes : birdRoutes);
}

async function askOther(
  lab: Lab,
  router: PlannedRouter,
  ask: (lab: Lab, router: PlannedRouter) => Promise<SeenRoute[]>,
): Promise<DaemonState> {
  const { missing } = await driverOf(router).sessions(lab, router);
  const reasons = new Map(missing.map((line) => [line.split(': ')[0], line.split(': ').slice(1).join(': ')]));
  const sessions = router.fabric.map((port) => {
    const reason = reasons.get(port.interface) ?? null;
    return { interface: port.interface, up: reason === null, reason };
  });
  return { sessions, routes: await ask(lab, router), fib: null, fibProblems: [] };
}

function families(lab: Lab): readonly ('ipv6' | 'ipv4')[] {
  return lab.plan.topology.addressing.ipv4 === undefined ? ['ipv6'] : ['ipv6', 'ipv4'];
}

async function frrRoutes(lab: Lab, { name }: PlannedRouter): Promise<SeenRoute[]> {
  const tables = await Promise.all(
    families(lab).map((family) => vtysh(lab, name, [`show bgp ${family} unicast detail json`])),
  );
  if (tables.some((text) => !text.trimStart().startsWith('{'))) throw new Error('vtysh gets no answer from bgpd');
  return tables.flatMap(readFrrRoutes);
}

async function birdRoutes(lab: Lab, router: PlannedRouter): Promise<SeenRoute[]> {
  const text = await birdc(lab, router, 'show route all');
  if (!/^BIRD .* ready\./m.test(text)) throw new Error('birdc gets no answer from BIRD');
  return readBirdRoutes(text);
}

async function askHeddle(lab: Lab, router: PlannedRouter): Promise<DaemonState> {
  const client = new ControlClient(controlSocket(lab, router.name));
  const [fabric, fib, neighbors, { differences }] = await Promise.all([
    client.fabric(),
    client.fib(),
    client.neighbors(),
    client.fibDifferences(),
  ]);
  return {
    sessions: router.fabric.map(({ interface: name }) => {
      const mine = neighbors.filter((neighbor) => neighbor.interface === name);
      if (mine.some(({ state }) => state === 'established')) return { interface: name, up: true, reason: null };
      const reason = mine[0] ? (mine[0].why ?? mine[0].reason) : 'no fabric interface of its configuration';
      return { interface: name, up: false, reason };
    }),
    routes: await heddleRoutes(client, fabric),
    fib: fib.map(({ prefix, primary, fallback, state, error }) => ({
      prefix,
      preferred: primary.map((hop) => hop.interface),
      fallback: fallback.map((hop) => hop.interface),
      state,
      error,
    })),
    fibProblems: differences.flatMap(({ prefix, why, inFlight }) =>
      prefix === null || inFlight ? [] : [{ prefix, why }],
    ),
  };
}

/** The matrix has it all, but why a path is not used. */
async function heddleRoutes(client: ControlClient, { uplinks, rows }: Fabric): Promise<SeenRoute[]> {
  return Promise.all(
    rows.map(async ({ prefix, cells }) => {
      const unused = cells.some(({ state }) => state === 'unused');
      const detail = unused ? await client.route(prefix) : undefined;
      const paths = cells.flatMap(({ state, colour, aigp }, index) => {
        const name = uplinks[index]!.interface;
        if (state === 'absent') return [];
        const use = state === 'unused' ? unusedPath(detail, name) : { use: state, reason: null };
        return [{ interface: name, colour, aigp, ...use }];
      });
      return { prefix, paths };
    }),
  );
}

function unusedPath(detail: Route | undefined, name: string): { use: 'hidden' | 'spare'; reason: string | null } {
  const path = detail?.paths.find((one) => one.interface === name);
  return path?.status === 'ineligible' ? { use: 'hidden', reason: path.reason } : { use: 'spare', reason: null };
}
