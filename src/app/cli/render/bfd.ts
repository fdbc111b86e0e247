/** `heddle show bfd`. */

import { counted } from '../../../core/net/counted.js';
import type { Bfd, BfdEntry } from '../../../edge/control/schema.js';
import type { Paint } from './paint.js';
import { type Column, type Row, type StyledCell, table } from './table.js';
import { formatDuration } from './words.js';

const COLUMNS: readonly Column[] = [
  { title: 'INTERFACE' },
  { title: 'NEIGHBOR' },
  { title: 'STATE' },
  { title: 'REMOTE' },
  { title: 'SEND', align: 'right' },
  { title: 'DETECT', align: 'right' },
  { title: 'UPS', align: 'right' },
  { title: 'FAILURES', align: 'right' },
  { title: 'RECEIVED', align: 'right' },
];

export function renderBfd(entries: readonly BfdEntry[], paint: Paint): string[] {
  if (entries.length === 0) return ['no neighbour has BFD'];
  return table(
    COLUMNS,
    entries.map((entry) => bfdRow(entry, paint)),
    paint,
  );
}

function bfdRow(entry: BfdEntry, paint: Paint): Row {
  const cells = [
    entry.interface,
    entry.address ?? '-',
    stateCell(entry, paint),
    entry.remoteState ?? '-',
    millisecondsText(entry.transmitIntervalMs),
    millisecondsText(entry.detectionTimeMs),
    String(entry.ups),
    String(entry.failures),
    String(entry.packets.received),
  ];
  return entry.reason === null ? { cells } : { cells, note: { text: entry.reason, style: paint.warn } };
}

function stateCell({ state, sinceMs }: Bfd, paint: Paint): StyledCell {
  if (state === 'Up') return { text: `Up ${formatDuration(sinceMs)}`, style: paint.good };
  return { text: state ?? 'not running', style: paint.bad };
}

/** One line beside everything else about a neighbour. */
export function bfdText(bfd: Bfd): string {
  const strict = bfd.strict ? ', strict' : '';
  const times = `${bfd.multiplier} x ${bfd.intervalMs} ms${strict}`;
  const state = bfd.state === 'Up' ? `Up for ${formatDuration(bfd.sinceMs)}` : (bfd.state ?? 'not running');
  const why = bfd.reason === null ? '' : ` (${bfd.reason})`;
  return `${state}${why}; ${times}; ${counted(bfd.failures, 'failure')}`;
}

function millisecondsText(milliseconds: number | null): string {
  return milliseconds === null ? '-' : `${Math.round(milliseconds)} ms`;
}
