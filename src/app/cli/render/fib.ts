/** `heddle show fib`: what the kernel was asked for, and what it said. */
import { FALLBACK_METRIC, PRIMARY_METRIC } from '../../../core/fib/types.js';
import type { FibComparison, FibDifference, FibEntry } from '../../../edge/control/schema.js';
import type { Paint } from './paint.js';
import { type Column, type Row, table } from './table.js';
import { colourText, listOrDash } from './words.js';

const COLUMNS: readonly Column[] = [
  { title: 'PREFIX' },
  { title: 'COLOUR' },
  { title: 'STATE' },
  { title: `METRIC ${PRIMARY_METRIC}` },
  { title: `METRIC ${FALLBACK_METRIC}` },
];

/** `notes` is what there is to say of the whole. */
export function renderFib(entries: readonly FibEntry[], notes: readonly string[], paint: Paint): string[] {
  const rows = entries.map((entry) => fibRow(entry, paint));
  const lines = entries.length === 0 ? ['no route is meant for the kernel'] : table(COLUMNS, rows, paint);
  return notes.length === 0 ? lines : [...lines, '', ...notes.map(paint.warn)];
}

const DIFFERENCE_COLUMNS: readonly Column[] = [
  { title: 'OBJECT' },
  { title: 'WANTED' },
  { title: 'IN THE KERNEL' },
  { title: 'WHY' },
];

/** `heddle show fib --diff`. */
export function renderFibDifferences({ same, differences }: FibComparison, paint: Paint): string[] {
  const { routes, groups, nextHops } = same;
  const counts = `${routes} routes, ${groups} groups, ${nextHops} next hops`;
  if (differences.length === 0) return [`the kernel has what is wanted: ${counts}`];
  const inFlight = differences.filter((difference) => difference.inFlight).length;
  const summary = `${differences.length} differences, ${inFlight} of them in flight; as wanted: ${counts}`;
  const rows = differences.map((difference) => differenceRow(difference, paint));
  return [...table(DIFFERENCE_COLUMNS, rows, paint), '', summary];
}

function differenceRow(difference: FibDifference, paint: Paint): Row {
  const { object, prefix, metric, id, wanted, why, advice, inFlight } = difference;
  const name = prefix === null ? `${object}${id === null ? '' : ` ${id}`}` : `${prefix} metric ${metric}`;
  const style = inFlight ? paint.warn : paint.bad;
  const cells = [name, wayText(wanted), kernelText(difference), { text: why, style }];
  return advice === null ? { cells } : { cells, note: { text: advice, style: paint.dim } };
}

function kernelText({ object, kernel, foreign }: FibDifference): string {
  if (!foreign) return wayText(kernel);
  const over = foreign.interfaces.length > 0 ? ` over ${foreign.interfaces.join(', ')}` : '';
  const theirs = `${object} of protocol ${foreign.protocol}${over}`;
  return kernel ? `${wayText(kernel)} and a ${theirs}` : theirs;
}

/** The gateway only where there is one next hop: several are told apart by their links. */
function wayText(hops: FibDifference['wanted']): string {
  const [first, ...others] = hops ?? [];
  if (!first) return '-';
  return others.length === 0 ? `${first.interface} ${first.gateway}` : (hops ?? []).map(hopText).join(' ');
}

function fibRow(entry: FibEntry, paint: Paint): Row {
  const style = { installed: paint.good, pending: paint.warn, failed: paint.bad }[entry.state];
  const names = (hops: FibEntry['primary']) => listOrDash(hops.map(hopText));
  const cells = [
    entry.prefix,
    { text: colourText(entry.colour), style: paint.fabric(entry.colour) },
    { text: entry.state, style },
    names(entry.primary),
    names(entry.fallback),
  ];
  return entry.error === null ? { cells } : { cells, note: { text: entry.error, style: paint.bad } };
}

/** `to-spine1`, or `to-spine1*3` with a share of three. */
function hopText({ interface: name, weight }: FibEntry['primary'][number]): string {
  return weight === undefined ? name : `${name}*${weight}`;
}
