/** `heddle show fib`: what the kernel was asked for, and what it said. */
import { FALLBACK_METRIC, PRIMARY_METRIC } from '../../../core/fib/types.js';
import type { FibEntry } from '../../../edge/control/schema.js';
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

export function renderFib(entries: readonly FibEntry[], paint: Paint): string[] {
  if (entries.length === 0) return ['no route is meant for the kernel'];
  return table(
    COLUMNS,
    entries.map((entry) => fibRow(entry, paint)),
    paint,
  );
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
