/**
 * Network namespaces and veth links of a lab, with as few processes as that takes: one `ip -batch` for all namespaces and
 * links, one shell per namespace for its kernel switches.
 */
import { LabError, run, tryRun } from './command.js';
import type { Endpoint, LabPlan, PlannedLink } from './plan.js';

/** Namespace of a node: `heddle-demo-leaf1`. */
export type NamespaceOf = (node: string) => string;

export async function listNamespaces(): Promise<readonly string[]> {
  const output = await run('ip', ['netns', 'list']);
  return output
    .split('\n')
    .map((line) => line.split(' ')[0]!)
    .filter((name) => name !== '');
}

/** Switches in both `all` (what is there) and `default` (what comes). Duplicate address detection starts at once. */
const COMMON = {
  'ipv6/conf/default/router_solicitation_delay': 0,
  'ipv6/conf/all/disable_ipv6': 0,
  'ipv6/conf/default/disable_ipv6': 0,
  // Asking again for a neighbour that was asked for a moment ago may be slow; not in a lab.
  'ipv4/conf/all/rp_filter': 0,
  'ipv4/conf/default/rp_filter': 0,
};

const ROUTER_SWITCHES: Readonly<Record<string, number>> = {
  ...COMMON,
  'ipv6/conf/all/forwarding': 1,
  'ipv6/conf/default/forwarding': 1,
  'ipv6/conf/default/accept_ra': 0,
  'ipv4/ip_forward': 1,
  'ipv6/fib_multipath_hash_policy': 1,
  'ipv4/fib_multipath_hash_policy': 1,
};

const HOST_SWITCHES: Readonly<Record<string, number>> = {
  ...COMMON,
  'ipv6/conf/default/accept_ra': 1,
  'ipv6/conf/default/autoconf': 1,
  // EUI-64 interface identifiers, whatever the machine's default is.
  'ipv6/conf/default/addr_gen_mode': 0,
};

/** Makes the namespaces and, down at both ends, the links. */
export async function createNamespaces(plan: LabPlan, namespaceOf: NamespaceOf): Promise<void> {
  const nodes = [...plan.routers, ...plan.hosts].map((node) => node.name);
  await ipBatch(nodes.map((node) => `netns add ${namespaceOf(node)}`));
  await Promise.all([
    ...plan.routers.map((router) => setSwitches(namespaceOf(router.name), ROUTER_SWITCHES)),
    ...plan.hosts.map((host) => setSwitches(namespaceOf(host.name), HOST_SWITCHES)),
  ]);
  await ipBatch(plan.links.map((link) => vethCommand(link, namespaceOf)));
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
      return ipBatch(
        mine.map((end) => `link set ${end.interface} up`),
        namespaceOf(node),
      );
    }),
  );
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

function vethCommand({ a, b }: PlannedLink, namespaceOf: NamespaceOf): string {
  return `link add ${a.interface} netns ${namespaceOf(a.node)} type veth peer name ${b.interface} netns ${namespaceOf(b.node)}`;
}

async function setSwitches(namespace: string, switches: Readonly<Record<string, number>>): Promise<void> {
  const writes = Object.entries(switches).map(([path, value]) => `echo ${value} >/proc/sys/net/${path}`);
  await run('ip', ['netns', 'exec', namespace, 'sh', '-ec', ['ip link set lo up', ...writes].join('\n')]);
}
