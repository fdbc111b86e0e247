/** Links of a lab that packets of a path MTU do not fit through. RoCE packets are not to be fragmented. */
import { MOST_OVERHEAD } from '../../core/wire/rocev2/roce-packet.js';
import { run } from '../lab/command.js';
import { findHost } from '../lab/hosts.js';
import { type Lab, namespaceOf } from '../lab/lab.js';
import type { Endpoint } from '../lab/plan.js';

/** InfiniBand Architecture 1.4, section 14.2.5.6. */
export const PATH_MTUS = [256, 512, 1024, 2048, 4096] as const;

const IPV6_AND_UDP = 48;

/** Octets of the largest IPv6 packet. */
export function packetOctets(pathMtu: number): number {
  return pathMtu + MOST_OVERHEAD + IPV6_AND_UDP;
}

interface LinkJson {
  readonly ifname: string;
  readonly mtu: number;
}

/** How many are named. */
const MOST_NAMED = 4;

/** A line with the interfaces that are too narrow and what would help, of the links that hosts and their leaves may use. */
export async function narrowLinks(lab: Lab, hosts: readonly string[], pathMtu: number): Promise<string | undefined> {
  const leaves = new Set(hosts.map((host) => findHost(lab, host).leaf));
  const used = lab.plan.links.filter(({ a, b }) => leaves.has(a.node) && (hosts.includes(b.node) || isRouter(lab, b)));
  const ends = used.flatMap(({ a, b }) => [a, b]);
  const nodes = [...new Set(ends.map(({ node }) => node))];
  const mtus = new Map(await Promise.all(nodes.map(async (node) => [node, await mtusOf(lab, node)] as const)));
  const narrow = ends.flatMap(({ node, interface: name }) => {
    const mtu = mtus.get(node)?.get(name) ?? Number.POSITIVE_INFINITY;
    return mtu < packetOctets(pathMtu) ? [{ name: `${node}/${name}`, mtu }] : [];
  });
  return narrow.length === 0 ? undefined : narrowLine(narrow, pathMtu);
}

function narrowLine(narrow: readonly { readonly name: string; readonly mtu: number }[], pathMtu: number): string {
  const named = narrow.slice(0, MOST_NAMED).map(({ name, mtu }) => `${name} (MTU ${mtu})`);
  const more = narrow.length > MOST_NAMED ? ` and ${narrow.length - MOST_NAMED} more` : '';
  const least = Math.min(...narrow.map(({ mtu }) => mtu));
  const fitting = PATH_MTUS.findLast((candidate) => packetOctets(candidate) <= least);
  const help = fitting === undefined ? 'raise their MTU' : `raise their MTU, or use --mtu ${fitting}`;
  return `packets of ${packetOctets(pathMtu)} octets (--mtu ${pathMtu}) do not fit through ${named.join(', ')}${more}: ${help}`;
}

function isRouter(lab: Lab, { node }: Endpoint): boolean {
  return lab.plan.routers.some(({ name }) => name === node);
}

async function mtusOf(lab: Lab, node: string): Promise<ReadonlyMap<string, number>> {
  const links: readonly LinkJson[] = JSON.parse(await run('ip', ['-n', namespaceOf(lab, node), '-j', 'link', 'show']));
  return new Map(links.map(({ ifname, mtu }) => [ifname, mtu]));
}
