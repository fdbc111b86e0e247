/**
 * Fabrics from the topology text of the public ns-3 models: `nodes switches links`, the numbers of the switches, then a link a line, `node node rate delay
 * loss` (`0 128 100Gbps 1000ns 0`). Links keep their order, and so do hosts: their flow files and hash results are the same here. What the text does not
 * say, tiers, follows from how far a switch is from hosts.
 */
import { SimulationInputError } from '../input-error.js';
import type { FabricLink, Topology } from '../network/topology.js';
import { checkTopology } from './check-topology.js';

const BITS: Readonly<Record<string, number>> = { bps: 1, Kbps: 1e3, Mbps: 1e6, Gbps: 1e9, Tbps: 1e12 };
const PICOSECONDS: Readonly<Record<string, number>> = { ps: 1, ns: 1e3, us: 1e6, ms: 1e9, s: 1e12 };
const TIER_NAMES = ['leaf', 'spine', 'superspine'];

interface Line {
  readonly number: number;
  readonly words: readonly string[];
}

export function parseNs3Topology(text: string): Topology {
  const lines = text
    .split('\n')
    .map((line, index): Line => ({ number: index + 1, words: line.trim().split(/\s+/) }))
    .filter(({ words }) => words[0] !== '');
  const [counts, switchLine, ...linkLines] = lines;
  if (!counts || !switchLine) throw new SimulationInputError('topology: two lines at least are needed');
  const [nodes, switchCount, linkCount] = numbersOf(counts, 3);
  const switches = new Set(numbersOf(switchLine, switchCount!));
  if (switches.size !== switchCount || Math.max(...switches) >= nodes!) {
    throw bad(switchLine, `the numbers of ${switchCount} switches are needed, each below ${nodes} and once`);
  }
  if (linkLines.length < linkCount!)
    throw bad(counts, `${linkCount} links are announced and ${linkLines.length} follow`);
  const order = Array.from({ length: nodes! }, (_, node) => node);
  const hosts = order.filter((node) => !switches.has(node));
  const numbers = new Map([...hosts, ...order.filter((node) => switches.has(node))].map((node, at) => [node, at]));
  const links = linkLines.slice(0, linkCount).map((line) => linkOf(line, numbers));
  return checkTopology(finished(hosts.length, switches.size, links));
}

function numbersOf(line: Line, count: number): number[] {
  const numbers = line.words.map((word) => (/^\d{1,9}$/.test(word) ? Number(word) : Number.NaN));
  if (numbers.length === count && !numbers.includes(Number.NaN)) return numbers;
  throw bad(line, `${count} whole numbers are needed`);
}

function linkOf(line: Line, numbers: ReadonlyMap<number, number>): FabricLink {
  const [one, other, rate, delay, loss, ...more] = line.words;
  if (loss === undefined || more.length > 0) throw bad(line, 'expected NODE NODE RATE DELAY LOSS');
  const [a, b] = [one!, other!].map((word) => {
    const node = /^\d+$/.test(word) ? numbers.get(Number(word)) : undefined;
    if (node === undefined) throw bad(line, `${word} is no node`);
    return node;
  }) as [number, number];
  if (!/^[\d.]+$/.test(loss)) throw bad(line, `loss ${loss}: expected a number`);
  return {
    a,
    b,
    rate: measure(line, rate!, BITS),
    delay: measure(line, delay!, PICOSECONDS),
    loss: Number(loss),
  };
}

function measure(line: Line, word: string, units: Readonly<Record<string, number>>): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([A-Za-z]+)$/.exec(word) ?? [];
  const factor = unit === undefined ? undefined : units[unit];
  if (factor === undefined) throw bad(line, `${word}: expected a number and one of ${Object.keys(units).join(', ')}`);
  return Number(number) * factor;
}

/** With tiers and names; the end of a link that is nearer to hosts is the lower one. */
function finished(hosts: number, switches: number, links: readonly FabricLink[]): Topology {
  const heights = heightsOf(hosts + switches, hosts, links);
  const tiers = Array.from({ length: switches }, (_, index) => heights[hosts + index]! - 1);
  const counts = new Map<string, number>();
  const names = tiers.map((tier) => {
    const kind = TIER_NAMES[tier] ?? `tier${tier}-`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return `${kind}${counts.get(kind)}`;
  });
  return {
    hosts,
    switches,
    links: links.map((link) => (heights[link.a]! <= heights[link.b]! ? link : { ...link, a: link.b, b: link.a })),
    tiers,
    names: [...Array.from({ length: hosts }, (_, host) => `host${host + 1}`), ...names],
  };
}

/** Links to the nearest host; 1 for what no host can reach, which is refused for other reasons. */
function heightsOf(nodes: number, hosts: number, links: readonly FabricLink[]): number[] {
  const heights = Array.from({ length: nodes }, (_, node) => (node < hosts ? 0 : Number.POSITIVE_INFINITY));
  let changed = true;
  while (changed) {
    changed = false;
    for (const { a, b } of links) {
      for (const [from, to] of [[a, b] as const, [b, a] as const]) {
        if (heights[from]! + 1 >= heights[to]!) continue;
        heights[to] = heights[from]! + 1;
        changed = true;
      }
    }
  }
  return heights.map((height) => (Number.isFinite(height) ? height : 1));
}

function bad(line: Line, reason: string): SimulationInputError {
  return new SimulationInputError(`topology line ${line.number}: ${reason}`);
}
