/** `heddle show neighbors`: a table, or everything about one. */
import type { Neighbor } from '../../../edge/control/schema.js';
import { bfdText } from './bfd.js';
import type { Paint } from './paint.js';
import { type Cell, type Column, pairs, type Row, table } from './table.js';
import { colourText, formatDuration, listOrDash, orDash } from './words.js';

const COLUMNS: readonly Column[] = [
  { title: 'INTERFACE' },
  { title: 'NEIGHBOR' },
  { title: 'AS', align: 'right' },
  { title: 'COLOUR' },
  { title: 'STATE' },
  { title: 'RECV', align: 'right' },
  { title: 'USED', align: 'right' },
  { title: 'SENT', align: 'right' },
];

export function renderNeighbors(neighbors: readonly Neighbor[], paint: Paint): string[] {
  if (neighbors.length === 0) return ['no fabric interface is configured'];
  return table(
    COLUMNS,
    neighbors.map((neighbor) => neighborRow(neighbor, paint)),
    paint,
  );
}

function neighborRow(neighbor: Neighbor, paint: Paint): Row {
  const { prefixes, reason } = neighbor;
  const cells: Cell[] = [
    neighbor.interface,
    orDash(neighbor.address),
    orDash(neighbor.as),
    { text: colourText(neighbor.colour), style: paint.fabric(neighbor.colour) },
    stateCell(neighbor, paint),
    String(prefixes.received),
    String(prefixes.accepted),
    String(prefixes.advertised),
  ];
  return reason === null ? { cells } : { cells, note: { text: reason, style: paint.warn } };
}

/** The uptime says that it is established. */
function stateCell({ state, uptimeMs }: Neighbor, paint: Paint): Cell {
  if (state !== 'established') return { text: state, style: paint.bad };
  return { text: uptimeMs === null ? 'up' : `up ${formatDuration(uptimeMs)}`, style: paint.good };
}

export function renderNeighbor(neighbor: Neighbor, paint: Paint): string[] {
  const { prefixes, lastDown, prefixLimits, hold } = neighbor;
  const up = neighbor.uptimeMs === null ? '' : ` for ${formatDuration(neighbor.uptimeMs)}`;
  const entries: [string, Cell][] = [
    ['state', `${neighbor.state}${up}`],
    ...(neighbor.reason === null ? [] : [['why', { text: neighbor.reason, style: paint.warn }] as [string, Cell]]),
    ['colour', { text: colourText(neighbor.colour), style: paint.fabric(neighbor.colour) }],
    ['AS', `${orDash(neighbor.as)} (accepted: ${neighbor.acceptRemoteAs.join(', ')})`],
    ['router id', `${orDash(neighbor.routerId)}${neighbor.hostname === null ? '' : ` (${neighbor.hostname})`}`],
    ['local address', orDash(neighbor.localAddress)],
    ['families', listOrDash(neighbor.families, ', ')],
    ['timers', timerText(neighbor)],
    ...(neighbor.bfd ? [['BFD', bfdText(neighbor.bfd)] as [string, Cell]] : []),
    ['prefixes', `${prefixes.received} received, ${prefixes.accepted} accepted, ${prefixes.advertised} advertised`],
    ['policies', policyText(neighbor.policies)],
    ...neighbor.policies.missing.map((text): [string, Cell] => ['no routes', { text, style: paint.warn }]),
    ['security', securityText(neighbor)],
    ...prefixLimits.map(limitEntry),
    ...(hold?.retryInMs === null || !hold
      ? []
      : [['starts again', `in ${formatDuration(hold.retryInMs)}`] as [string, Cell]]),
    ['attempts', `${neighbor.attempts}, of which ${neighbor.establishedCount} came up`],
    ['last down', lastDown === null ? 'never' : `${formatDuration(lastDown.agoMs)} ago: ${lastDown.message}`],
  ];
  const head = paint.strong(`${neighbor.interface}  ${neighbor.address ?? 'nobody heard yet'}`);
  return [
    head,
    ...pairs(entries, paint).map(indented),
    ...capabilityLines(neighbor, paint),
    ...messageLines(neighbor, paint),
  ];
}

function policyText({ import: imports, export: exports }: Neighbor['policies']): string {
  return `import ${listOrDash(imports, ', ')}, export ${listOrDash(exports, ', ')}`;
}

function securityText({ security: { gtsm, hopLimit, md5 } }: Neighbor): string {
  const checked = gtsm !== 'off' && hopLimit === 255;
  const seen = hopLimit === null || checked ? '' : `, hop limit ${hopLimit} arrives`;
  return `GTSM ${gtsm}${checked ? ', checked' : seen}; TCP MD5 ${md5 ? 'on' : 'off'}`;
}

function limitEntry({ family, limit, received, action, exceeded }: Neighbor['prefixLimits'][number]): [string, Cell] {
  return [`limit ${family}`, `${received} of ${limit}${exceeded ? ', exceeded' : ''} (${action})`];
}

function indented(line: string): string {
  return `  ${line}`;
}

function timerText({ holdTime, keepaliveTime }: Neighbor): string {
  if (holdTime === null || keepaliveTime === null) return '-';
  return holdTime === 0 ? 'hold time off' : `hold ${holdTime} s, keepalive ${keepaliveTime} s`;
}

function capabilityLines({ capabilities }: Neighbor, paint: Paint): string[] {
  if (capabilities.length === 0) return [];
  const columns: Column[] = [{ title: 'CAPABILITY' }, { title: 'OURS' }, { title: 'THEIRS' }];
  const yes = (value: boolean) => (value ? 'yes' : 'no');
  const rows = capabilities.map(({ name, local, remote }) => ({ cells: [name, yes(local), yes(remote)] }));
  return ['', ...table(columns, rows, paint).map(indented)];
}

function messageLines({ messages }: Neighbor, paint: Paint): string[] {
  const columns: Column[] = [
    { title: 'MESSAGE' },
    { title: 'SENT', align: 'right' },
    { title: 'RECEIVED', align: 'right' },
  ];
  const { sent, received } = messages;
  const rows = [
    { cells: ['OPEN', String(sent.open), String(received.open)] },
    { cells: ['UPDATE', String(sent.update), String(received.update)] },
    { cells: ['NOTIFICATION', String(sent.notification), String(received.notification)] },
    { cells: ['KEEPALIVE', String(sent.keepalive), String(received.keepalive)] },
    { cells: ['ROUTE-REFRESH', String(sent.routeRefresh), String(received.routeRefresh)] },
  ];
  return ['', ...table(columns, rows, paint).map(indented)];
}
