/** `heddle show neighbors`: a table, or everything about one. */

import { counted } from '../../../core/net/counted.js';
import type { Neighbor } from '../../../edge/control/schema.js';
import { bfdText } from './bfd.js';
import type { Paint, Style } from './paint.js';
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
  if (neighbors.length === 0) return ['no fabric interface and no neighbor is configured'];
  return table(
    COLUMNS,
    neighbors.map((neighbor) => neighborRow(neighbor, paint)),
    paint,
  );
}

function neighborRow(neighbor: Neighbor, paint: Paint): Row {
  const { prefixes, why } = neighbor;
  const cells: Cell[] = [
    neighbor.interface || '-',
    orDash(neighbor.address),
    orDash(neighbor.as),
    { text: colourText(neighbor.colour), style: paint.fabric(neighbor.colour) },
    stateCell(neighbor, paint),
    String(prefixes.received),
    String(prefixes.accepted),
    String(prefixes.advertised),
  ];
  return why === null ? { cells } : { cells, note: { text: why, style: paint.warn } };
}

/** The uptime says that it is established. */
function stateCell({ state, uptimeMs }: Neighbor, paint: Paint): Cell {
  if (state !== 'established') return { text: state, style: paint.bad };
  return { text: uptimeMs === null ? 'up' : `up ${formatDuration(uptimeMs)}`, style: paint.good };
}

type Entry = readonly [string, Cell];

/** What is wrong comes first, then what shows it, what to do, and everything else: about one screen. */
export function renderNeighbor(neighbor: Neighbor, paint: Paint, columns = Number.POSITIVE_INFINITY): string[] {
  const { prefixLimits, hold, why, next } = neighbor;
  const up = neighbor.uptimeMs === null ? '' : ` for ${formatDuration(neighbor.uptimeMs)}`;
  const entries: Entry[] = [
    ['state', `${neighbor.state}${up}`],
    ...optional('why', why, paint.warn),
    ...evidence(neighbor),
    ...optional('next', next, paint.strong),
    ...configurationEntries(neighbor),
    ['colour', { text: colourText(neighbor.colour), style: paint.fabric(neighbor.colour) }],
    ['AS', `${orDash(neighbor.as)} (accepted: ${neighbor.acceptRemoteAs.join(', ')})`],
    ['local address', orDash(neighbor.localAddress)],
    ...negotiatedEntries(neighbor),
    ...(neighbor.bfd ? [['BFD', bfdText(neighbor.bfd)] as Entry] : []),
    ['policies', policyText(neighbor.policies)],
    ...(neighbor.options.length === 0 ? [] : [['options', neighbor.options.join(', ')] as Entry]),
    ...neighbor.policies.missing.map((text): Entry => ['no routes', { text, style: paint.warn }]),
    ...neighbor.addPath.map(addPathEntry),
    ['security', securityText(neighbor)],
    ...prefixLimits.map(limitEntry),
    ...(hold?.retryInMs === null || !hold ? [] : [['starts again', `in ${formatDuration(hold.retryInMs)}`] as Entry]),
    ...capabilityEntries(neighbor),
    ...messageEntries(neighbor),
  ];
  const where = neighbor.interface === '' ? '' : `${neighbor.interface}  `;
  const head = paint.strong(`${where}${neighbor.address ?? 'nobody heard yet'}`);
  return [head, ...pairs(entries, paint, columns - INDENT.length).map(indented)];
}

/** Of a neighbor given by its address. */
function configurationEntries({ description, group, hops, passive, unoffered }: Neighbor): Entry[] {
  const place = [...(hops === null ? [] : [`up to ${counted(hops, 'hop')} away`]), ...(passive ? ['passive'] : [])];
  return [
    ...(description === null ? [] : [['description', description] as Entry]),
    ...(group === null ? [] : [['peer group', group] as Entry]),
    ...(place.length === 0 ? [] : [['session', place.join(', ')] as Entry]),
    ...unoffered.map(
      (family): Entry => ['not offered', `${family}: its routes would have no next hop on this session`],
    ),
  ];
}

function optional(name: string, text: string | null, style: Style): Entry[] {
  return text === null ? [] : [[name, { text, style }]];
}

function evidence(neighbor: Neighbor): Entry[] {
  const { prefixes, stale, settling, malformed, tablePending } = neighbor;
  return [
    ['attempts', attemptText(neighbor)],
    ['last down', downText(neighbor)],
    ['prefixes', `${prefixes.received} received, ${prefixes.accepted} accepted, ${prefixes.advertised} advertised`],
    ...reasonEntries('not used', neighbor.hidden),
    ...reasonEntries('not told', neighbor.withheld),
    ...(stale ? [['stale', staleText(stale)] as Entry] : []),
    ...(settling ? [['last choice', settlingText(settling)] as Entry] : []),
    ...(tablePending.length > 0 ? [['to come', `End-of-RIB of ${tablePending.join(', ')}`] as Entry] : []),
    ...(malformed > 0 ? [['faulty', `${counted(malformed, 'UPDATE')} (RFC 7606)`] as Entry] : []),
  ];
}

function downText({ lastDown, why }: Neighbor): string {
  if (lastDown === null) return 'never';
  return `${formatDuration(lastDown.agoMs)} ago: ${why?.includes(lastDown.message) ? 'see why' : lastDown.message}`;
}

function attemptText({ attempts, establishedCount, retryInMs }: Neighbor): string {
  const next = retryInMs === null ? '' : `; the next one in ${formatDuration(retryInMs)}`;
  return `${attempts}, of which ${establishedCount} came up${next}`;
}

/** The name stands before the first one. */
function reasonEntries(name: string, reasons: Neighbor['hidden']): Entry[] {
  return (reasons ?? []).map(({ reason, count }, index) => [index === 0 ? name : '', `${count}: ${reason}`]);
}

function staleText({ paths, longLived, forMs }: NonNullable<Neighbor['stale']>): string {
  const until = forMs === null ? 'until they are heard again' : `for ${formatDuration(forMs)}`;
  return `${counted(paths, 'path')} kept ${until}${longLived ? ', as the last choice (long-lived)' : ''}`;
}

function settlingText({ waitsFor, forMs }: NonNullable<Neighbor['settling']>): string {
  return `until ${waitsFor}${forMs === null ? '' : `, ${formatDuration(forMs)} at most`}`;
}

function policyText({ import: imports, export: exports }: Neighbor['policies']): string {
  return `import ${listOrDash(imports, ', ')}, export ${listOrDash(exports, ', ')}`;
}

function securityText({ security: { gtsm, hopLimit, md5, tcpAo } }: Neighbor): string {
  const checked = gtsm !== 'off' && hopLimit === 255;
  const seen = hopLimit === null || checked ? '' : `, hop limit ${hopLimit} arrives`;
  const key = tcpAo
    ? `TCP-AO, key ${tcpAo.sendId}/${tcpAo.receiveId}, ${tcpAo.algorithm}`
    : `TCP MD5 ${md5 ? 'on' : 'off'}`;
  return `GTSM ${gtsm}${checked ? ', checked' : seen}; ${key}`;
}

const AGREEMENT = { off: 'off', offered: 'offered by us alone', agreed: 'agreed' } as const;

function addPathEntry({ family, receive, send, paths }: Neighbor['addPath'][number]): Entry {
  const sent = paths === null ? '' : ` (${paths})`;
  return [`add-path ${family}`, `receive ${AGREEMENT[receive]}; send ${AGREEMENT[send]}${sent}`];
}

function limitEntry({ family, limit, received, action, exceeded }: Neighbor['prefixLimits'][number]): [string, Cell] {
  return [`limit ${family}`, `${received} of ${limit}${exceeded ? ', exceeded' : ''} (${action})`];
}

const INDENT = '  ';

function indented(line: string): string {
  return `${INDENT}${line}`;
}

/** What only a session that is up has. */
function negotiatedEntries(neighbor: Neighbor): Entry[] {
  const { routerId, hostname, holdTime, keepaliveTime, families } = neighbor;
  if (holdTime === null || keepaliveTime === null) return [];
  return [
    ['router id', `${orDash(routerId)}${hostname === null ? '' : ` (${hostname})`}`],
    ['families', listOrDash(families, ', ')],
    ['timers', timerText(holdTime, keepaliveTime)],
  ];
}

function timerText(holdTime: number, keepaliveTime: number): string {
  return holdTime === 0 ? 'hold time off' : `hold ${holdTime} s, keepalive ${Number(keepaliveTime.toFixed(2))} s`;
}

/** A capability works when both sides announce it. */
function capabilityEntries({ capabilities }: Neighbor): Entry[] {
  const named = (label: string, local: boolean, remote: boolean): Entry[] => {
    const names = capabilities.filter((one) => one.local === local && one.remote === remote).map(({ name }) => name);
    return names.length === 0 ? [] : [[label, names.join(', ')]];
  };
  return [...named('agreed', true, true), ...named('only ours', true, false), ...named('only theirs', false, true)];
}

function messageEntries({ messages }: Neighbor): Entry[] {
  return [
    ['sent', messageText(messages.sent)],
    ['received', messageText(messages.received)],
  ];
}

function messageText({ open, update, notification, keepalive, routeRefresh }: Neighbor['messages']['sent']): string {
  const counts = [
    ['OPEN', open],
    ['UPDATE', update],
    ['NOTIFICATION', notification],
    ['KEEPALIVE', keepalive],
    ['ROUTE-REFRESH', routeRefresh],
  ] as const;
  return listOrDash(
    counts.filter(([, count]) => count > 0).map(([name, count]) => `${name} ${count}`),
    ', ',
  );
}
