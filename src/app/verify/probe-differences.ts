/** What probe packets did on their way, hop by hop, against the model. */
import { type Difference, difference } from './difference.js';
import type { Loads } from './link-loads.js';

/** A direction of a link, with the packets that grew its counters at both ends. */
export interface LinkCount {
  readonly link: string;
  readonly from: string;
  readonly to: string;
  /** Of `from`. */
  readonly interface: string;
  readonly sent: number;
  readonly received: number;
}

export interface ProbeReading {
  readonly prefix: string;
  /** The destination. */
  readonly host: string;
  /** By all sources. */
  readonly sent: number;
  /** In packets. */
  readonly expected: Loads;
  readonly links: readonly LinkCount[];
}

/** Fewer than this is the chatter of daemons. */
const NOISE = 8;
/** Part of the probes that must arrive. */
const ENOUGH = 0.98;

/** `known`: nodes and prefixes whose kernel is known to differ, as `NODE PREFIX`. */
export function probeDifferences(readings: readonly ProbeReading[], known: ReadonlySet<string>): Difference[] {
  return readings.flatMap((reading) => [...strays(reading, known), ...losses(reading)]);
}

/** Where a node sends probes on by other links than expected. */
function strays({ prefix, expected, links }: ProbeReading, known: ReadonlySet<string>): Difference[] {
  const nodes = [...new Set(links.map(({ from }) => from))];
  const wanted = new Set(expected.links.filter(({ load }) => load > 0).map(({ link, from }) => `${link} ${from}`));
  /** An earlier hop has split them by the same hash: all that come here may take one of several links. */
  const isChosenBefore = (node: string) =>
    expected.links.some(({ to, from, load }) => to === node && load > 0 && wantedOf(from).length > 1);
  const wantedOf = (node: string) => expected.links.filter(({ from, load }) => from === node && load > 0);
  return nodes.flatMap((node) => {
    const own = links.filter(({ from }) => from === node);
    const used = own.filter(({ sent }) => sent >= NOISE).map((one) => one.interface);
    const due = own.filter(({ link, from }) => wanted.has(`${link} ${from}`)).map((one) => one.interface);
    if (used.join() === due.join() || (isChosenBefore(node) && isPart(used, due))) return [];
    const inherited = due.length === 0 || used.length === 0;
    const what = `probes to it leave by ${list(used)}, expected ${list(due)}`;
    const cause = known.has(`${node} ${prefix}`)
      ? 'its kernel differs, as told'
      : inherited
        ? 'an earlier hop sends them elsewhere, or they are lost on the way'
        : 'its kernel forwards otherwise than its tables say';
    return [difference('probe', { node, prefix }, { what, cause })];
  });
}

function isPart(used: readonly string[], due: readonly string[]): boolean {
  return used.length > 0 && used.every((name) => due.includes(name));
}

/** Links that swallow, and what of it all arrives. */
function losses({ prefix, host, sent, expected, links }: ProbeReading): Difference[] {
  const swallowed = links
    .filter((one) => one.sent >= NOISE && one.received < one.sent * ENOUGH)
    .map((one) => {
      const what = `of ${one.sent} probes that it sends on ${one.interface}, ${one.received} come in at ${one.to}`;
      const at = { node: one.from, prefix, interface: one.interface };
      return difference('probe', at, { what, cause: 'the link loses packets' });
    });
  const due = sent - expected.cutOff.reduce((sum, { size }) => sum + size, 0);
  const arrived = links.filter(({ to }) => to === host).reduce((sum, one) => sum + one.received, 0);
  if (arrived >= due * ENOUGH) return swallowed;
  const what = `${arrived} of ${due} probes arrive`;
  return [...swallowed, difference('probe', { node: host, prefix }, { what })];
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'nobody' : names.join(', ');
}
