/**
 * Network namespaces and veth links of a lab, with as few processes as that takes: one `ip -batch` for all namespaces and
 * links, one shell per namespace for its kernel switches.
 */
import { LabError, run, tryRun } from './command.js';
import { rateCommand, rateOf } from './link-rate.js';
import { type Endpoint, isIpv4, type LabPlan, type PlannedHost, type PlannedLink, type PlannedRouter } from './plan.js';
import { HOST_SWITCHES, ROUTER_SWITCHES } from './switches.js';
import { isBird } from './topology.js';

/** Namespace of a node: `heddle-demo-leaf1`. */
export type NamespaceOf = (node: string) => string;

export async function listNamespaces(): Promise<readonly string[]> {
  const output = await run('ip', ['netns', 'list']);
  return output
    .split('\n')
    .map((line) => line.split(' ')[0]!)
    .filter((name) => name !== '');
}

/** Makes the namespaces and, down at both ends, the links. */
export async function createNamespaces(plan: LabPlan, namespaceOf: NamespaceOf): Promise<void> {
  const nodes = [...plan.routers, ...plan.hosts].map((node) => node.name);
  await ipBatch(nodes.map((node) => `netns add ${namespaceOf(node)}`));
  await Promise.all([
    ...plan.routers.map((router) => setSwitches(namespaceOf(router.name), ROUTER_SWITCHES)),
    ...plan.hosts.map((host) => setSwitches(namespaceOf(host.name), HOST_SWITCHES)),
  ]);
  await ipBatch(plan.links.map((link) => vethCommand(link, namespaceOf)));
  await limitLinks(plan, plan.links, namespaceOf);
  await Promise.all([
    ...plan.hosts.map((host) => ipBatch(hostAddresses(host), namespaceOf(host.name))),
    ...plan.routers.map((router) => ipBatch(gatewayAddresses(router), namespaceOf(router.name))),
  ]);
}

/** IPv6 hosts form their addresses themselves; IPv4 has nobody to ask. */
function hostAddresses(host: PlannedHost): string[] {
  return host.prefixes.flatMap(({ hostAddress }) =>
    hostAddress === undefined ? [] : [`addr add ${hostAddress} dev ${host.interface}`],
  );
}

/** heddle and FRR assign their gateway addresses; BIRD does not. */
function gatewayAddresses(router: PlannedRouter): string[] {
  if (!isBird(router)) return [];
  return router.hosts.flatMap((port) =>
    port.prefixes.map((planned) => `addr add ${planned.gateway} dev ${port.interface}`),
  );
}

export async function deleteNamespaces(names: readonly string[]): Promise<void> {
  const existing = new Set(await listNamespaces());
  await ipBatch(names.filter((name) => existing.has(name)).map((name) => `netns del ${name}`));
}

/** Sets all links up, both ends, one process a namespace. */
export async function setLinksUp(plan: LabPlan, namespaceOf: NamespaceOf): Promise<void> {
  const ends = plan.links.flatMap((link) => [link.a, link.b]);
  const nodes = [...new Set(ends.map((end) => end.node))];
  await Promise.all(
    nodes.map((node) => {
      const mine = ends.filter((end) => end.node === node);
      const routes = plan.hosts.filter((host) => host.name === node).flatMap(ipv4DefaultRoute);
      return ipBatch([...mine.map((end) => `link set ${end.interface} up`), ...routes], namespaceOf(node));
    }),
  );
}

function ipv4DefaultRoute(host: PlannedHost): string[] {
  const first = host.prefixes.find(isIpv4);
  return first ? [`route replace default via ${first.gateway.split('/')[0]} dev ${host.interface}`] : [];
}

/** Administrative state of one end; the other end loses or regains carrier with it. */
export async function setLink(end: Endpoint, state: 'up' | 'down', namespaceOf: NamespaceOf): Promise<void> {
  await run('ip', ['-n', namespaceOf(end.node), 'link', 'set', end.interface, state]);
}

/** Runs `ip` commands, one a line, in a single process; in `namespace` when one is given. */
export async function ipBatch(lines: readonly string[], namespace?: string): Promise<void> {
  if (lines.length === 0) return;
  const where = namespace === undefined ? [] : ['-n', namespace];
  const result = await tryRun('ip', [...where, '-batch', '-'], { input: `${lines.join('\n')}\n` });
  if (result.status === 0) return;
  const place = /-:(\d+)/.exec(result.stderr);
  const line = place ? lines[Number(place[1]) - 1] : lines[0];
  throw new LabError(`ip ${line} failed: ${result.stderr.trim().split('\n')[0]}`);
}

/** Gives the links that have a rate their token buckets, both ends, one process a namespace. */
export async function limitLinks(
  plan: LabPlan,
  links: readonly PlannedLink[],
  namespaceOf: NamespaceOf,
): Promise<void> {
  const ends = links.flatMap((link) => {
    const rate = rateOf(plan, link);
    return rate === undefined ? [] : [link.a, link.b].map((end) => ({ node: end.node, line: rateCommand(end, rate) }));
  });
  await Promise.all(
    [...new Set(ends.map(({ node }) => node))].map(async (node) => {
      const lines = ends.filter((end) => end.node === node).map(({ line }) => line);
      const input = `${lines.join('\n')}\n`;
      const result = await tryRun('tc', ['-n', namespaceOf(node), '-batch', '-'], { input });
      if (result.status !== 0) throw new LabError(`tc on ${node} failed: ${result.stderr.trim().split('\n')[0]}`);
    }),
  );
}

/** Line of a batch. */
export function vethCommand({ a, b }: PlannedLink, namespaceOf: NamespaceOf): string {
  return `link add ${a.interface} netns ${namespaceOf(a.node)} type veth peer name ${b.interface} netns ${namespaceOf(b.node)}`;
}

export async function setSwitches(namespace: string, switches: Readonly<Record<string, number>>): Promise<void> {
  const writes = Object.entries(switches).map(([path, value]) => `echo ${value} >/proc/sys/net/${path}`);
  await run('ip', ['netns', 'exec', namespace, 'sh', '-ec', ['ip link set lo up', ...writes].join('\n')]);
}
