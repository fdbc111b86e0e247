/** Rows in the order of their prefixes, IPv4 before IPv6: the daemon sends them in the order of its table. */
import { compareBytes } from '../../../core/net/address.js';
import { type Prefix, parsePrefix } from '../../../core/net/prefix.js';

/** Parsing is slow; a table longer than this stays as it came. */
const SORTABLE = 50_000;

export function byPrefix<Row extends { readonly prefix: string }>(rows: readonly Row[]): Row[] {
  if (rows.length > SORTABLE) return [...rows];
  const keyed = rows.map((row) => ({ row, prefix: parsePrefix(row.prefix) }));
  return keyed.sort((a, b) => comparePrefixes(a.prefix, b.prefix)).map(({ row }) => row);
}

function comparePrefixes(a: Prefix | undefined, b: Prefix | undefined): number {
  if (!a || !b) return 0;
  if (a.address.length !== b.address.length) return a.address.length - b.address.length;
  return compareBytes(a.address, b.address) || a.length - b.length;
}
