/** `heddle show interfaces`. */
import type { Interface } from '../../../edge/control/schema.js';
import type { Paint } from './paint.js';
import { type Cell, type Column, type Row, table } from './table.js';
import { colourText, listOrDash, orDash } from './words.js';

const COLUMNS: readonly Column[] = [
  { title: 'INTERFACE' },
  { title: 'KIND' },
  { title: 'COLOUR' },
  { title: 'STATE' },
  { title: 'MTU', align: 'right' },
  { title: 'LINK-LOCAL' },
  { title: 'HEARD', align: 'right' },
];

export function renderInterfaces(interfaces: readonly Interface[], paint: Paint): string[] {
  if (interfaces.length === 0) return ['no interface is configured'];
  return table(
    COLUMNS,
    interfaces.map((link) => interfaceRow(link, paint)),
    paint,
  );
}

function interfaceRow(link: Interface, paint: Paint): Row {
  const state = stateText(link);
  const cells: Cell[] = [
    link.name,
    link.kind,
    { text: colourText(link.colour), style: paint.fabric(link.colour) },
    { text: state, style: link.usable ? paint.good : paint.bad },
    orDash(link.mtu),
    orDash(link.linkLocal),
    link.kind === 'fabric' ? String(link.neighbors.length) : '-',
  ];
  if (link.reason !== null && link.reason !== state) return { cells, note: { text: link.reason, style: paint.warn } };
  if (link.reason !== null || link.addresses.length === 0) return { cells };
  return { cells, note: { text: listOrDash(link.addresses), style: paint.dim } };
}

function stateText(link: Interface): string {
  if (link.usable) return 'ready';
  if (link.index === null) return 'missing';
  if (!link.adminUp) return 'admin down';
  return link.carrier ? 'not ready' : 'no carrier';
}
