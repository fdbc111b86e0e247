/** Whether a fabric can be simulated: the reason why not, before anything runs. */
import { SimulationInputError } from '../input-error.js';
import type { FabricLink, Topology } from '../network/topology.js';

/** The topology itself, when nothing is wrong with it. */
export function checkTopology(topology: Topology): Topology {
  const problem = wrongNodes(topology) ?? wrongLink(topology) ?? wrongHost(topology) ?? unreachableHost(topology);
  if (problem !== undefined) throw new SimulationInputError(problem);
  return topology;
}

function wrongNodes({ hosts, switches, tiers, names }: Topology): string | undefined {
  if (hosts < 1) return 'a fabric without hosts';
  if (switches < 1) return 'a fabric without switches';
  if (tiers.length !== switches) return `tiers of ${tiers.length} switches, of ${switches}`;
  if (names.length !== hosts + switches) return `names of ${names.length} nodes, of ${hosts + switches}`;
  const seen = new Set<string>();
  const twice = names.find((name) => seen.size === seen.add(name).size);
  return twice === undefined ? undefined : `two nodes are called ${twice}`;
}

function wrongLink(topology: Topology): string | undefined {
  for (const link of topology.links) {
    const problem = problemOf(link, topology);
    if (problem !== undefined) return `link ${nameOf(link.a, topology)} - ${nameOf(link.b, topology)}: ${problem}`;
  }
  return undefined;
}

function problemOf({ a, b, rate, delay, loss }: FabricLink, { hosts, switches }: Topology): string | undefined {
  const isNode = (node: number) => Number.isInteger(node) && node >= 0 && node < hosts + switches;
  if (!isNode(a) || !isNode(b)) return 'an end that is no node of the fabric';
  if (a === b) return 'both ends are the same node';
  if (b < hosts) return a < hosts ? 'both ends are hosts' : 'the host must be the lower end';
  if (!(rate > 0) || !Number.isFinite(rate)) return `a rate of ${rate} bit/s: it must be more than 0`;
  if (!(delay >= 0) || !Number.isFinite(delay)) return `a delay of ${delay} ps: it must be 0 or more`;
  return loss >= 0 && loss < 1 ? undefined : `a loss of ${loss}: it must be 0 or more, and less than 1`;
}

function wrongHost(topology: Topology): string | undefined {
  const { hosts, links, tiers } = topology;
  const ports = new Int32Array(hosts);
  for (const { a, b } of links) {
    if (a >= hosts) continue;
    ports[a] = ports[a]! + 1;
    const name = nameOf(a, topology);
    if (ports[a] === 2) return `${name} has several ports; a host is one port of a NIC: make it several hosts`;
    if (tiers[b - hosts] !== 0) return `${name} is at ${nameOf(b, topology)}, which is no leaf`;
  }
  const without = ports.indexOf(0);
  return without < 0 ? undefined : `${nameOf(without, topology)} has no link`;
}

/** A host that others have no way to. */
function unreachableHost(topology: Topology): string | undefined {
  const { hosts, switches, links } = topology;
  const neighbours: number[][] = Array.from({ length: hosts + switches }, () => []);
  for (const { a, b } of links) {
    neighbours[a]!.push(b);
    neighbours[b]!.push(a);
  }
  const reached = new Set([0]);
  for (const node of reached) for (const neighbour of neighbours[node]!) reached.add(neighbour);
  for (let host = 1; host < hosts; host++) {
    if (!reached.has(host)) return `no way from ${nameOf(0, topology)} to ${nameOf(host, topology)}`;
  }
  return undefined;
}

function nameOf(node: number, { names }: Topology): string {
  return names[node] ?? `node ${node}`;
}
