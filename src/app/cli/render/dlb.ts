/** `heddle show dlb`: how good each link is for more traffic, and what every group in use sends over which. */

import { counted } from '../../../core/net/counted.js';
import type { EbpfPlane, LoadBalancing, PlanePrefix } from '../../../edge/control/schema.js';
import type { Paint } from './paint.js';
import { type Column, type Row, table } from './table.js';

const LINK_COLUMNS: readonly Column[] = [
  { title: 'LINK' },
  { title: 'QUALITY', align: 'right' },
  { title: 'LOAD', align: 'right' },
  { title: 'QUEUE', align: 'right' },
  { title: 'RATE', align: 'right' },
  { title: 'CAPACITY', align: 'right' },
  { title: '' },
];

const GROUP_COLUMNS: readonly Column[] = [
  { title: 'GROUP', align: 'right' },
  { title: 'LINK' },
  { title: 'SHARE', align: 'right' },
  { title: 'DUE', align: 'right' },
  { title: 'PACKETS/S', align: 'right' },
  { title: 'MOVES', align: 'right' },
];

const PORT_COLUMNS: readonly Column[] = [
  { title: 'PORT' },
  { title: 'GATEWAY' },
  { title: 'STATE' },
  { title: 'PACKETS', align: 'right' },
  { title: 'OCTETS', align: 'right' },
  { title: 'MOVES', align: 'right' },
  { title: 'RISKS', align: 'right' },
];

const PREFIX_COLUMNS: readonly Column[] = [
  { title: 'PREFIX' },
  { title: 'PACKETS', align: 'right' },
  { title: 'OCTETS', align: 'right' },
  { title: 'BY FALLBACK', align: 'right' },
];

const BAR = 20;

export function renderDlb({ mode, plainGroups, links, groups, plane }: LoadBalancing, paint: Paint): string[] {
  const kind = plainGroups === null ? [] : [`plain next-hop groups: ${plainGroups}`];
  const ofPlane = plane ? ['', ...planeLines(plane, paint)] : [];
  return [`mode ${mode}`, ...kind, '', ...linkTable(links, paint), '', ...groupTable(groups, paint), ...ofPlane];
}

/** `heddle show dlb --prefixes`. */
export function renderPlanePrefixes(prefixes: readonly PlanePrefix[], paint: Paint): string[] {
  if (prefixes.length === 0) return ['no prefix is forwarded by an eBPF plane'];
  const rows = prefixes.map(({ prefix, packets, octets, fallbackPackets }): Row => {
    return { cells: [prefix, String(packets), String(octets), String(fallbackPackets)] };
  });
  return table(PREFIX_COLUMNS, rows, paint);
}

function planeLines(plane: EbpfPlane, paint: Paint): string[] {
  const { mode, failure, full, prefixes, attachments, ports, leftToKernel } = plane;
  if (failure !== null) return [paint.warn(`the kernel forwards, not the eBPF plane: ${failure}`)];
  const where = attachments.map((attachment) => `${attachment.interface} (${attachment.how})`).join(', ');
  const left = leftToKernel.map(({ reason, packets }) => `${reason} ${packets}`).join(', ');
  const rows = ports.map((port): Row => {
    const style = { up: paint.good, unresolved: paint.warn, down: paint.bad }[port.state];
    const risks = { text: String(port.reorderRisks), style: port.reorderRisks > 0 ? paint.warn : paint.dim };
    const counts = [port.packets, port.octets, port.moves].map(String);
    return { cells: [port.interface, port.gateway, { text: port.state, style }, ...counts, risks] };
  });
  return [
    `eBPF plane (${mode}) on ${where || 'no interface'}: ${counted(prefixes, 'prefix', 'prefixes')}`,
    ...(rows.length > 0 ? table(PORT_COLUMNS, rows, paint) : []),
    ...(left === '' ? [] : [`left to the kernel: ${left}`]),
    ...(full === null ? [] : [paint.warn(full)]),
  ];
}

function linkTable(links: LoadBalancing['links'], paint: Paint): string[] {
  if (links.length === 0) return ['no link is measured'];
  return table(
    LINK_COLUMNS,
    links.map((link): Row => {
      const style = link.quality >= 5 ? paint.good : link.quality >= 2 ? paint.warn : paint.bad;
      const bar = '#'.repeat(Math.round((Math.min(100, link.load) / 100) * BAR));
      return {
        cells: [
          link.interface,
          { text: `${link.quality}/7`, style },
          `${Math.round(link.load)}%`,
          `${Math.round(link.queue)}%`,
          rateText(link.rate),
          link.capacity === 0 ? 'unknown' : rateText(link.capacity),
          { text: bar, style },
        ],
      };
    }),
    paint,
  );
}

function groupTable(groups: LoadBalancing['groups'], paint: Paint): string[] {
  if (groups.length === 0) return ['no group of several next hops is in use'];
  const rows = groups.flatMap(({ id, moves, members }) => {
    const shares = members.reduce((sum, { share }) => sum + share, 0);
    const dues = members.reduce((sum, { due }) => sum + due, 0);
    return members.map((member, place): Row => {
      const first = place === 0;
      return {
        cells: [
          first ? String(id) : '',
          member.interface,
          percent(member.share, shares),
          percent(member.due, dues),
          member.packetRate === null ? '-' : String(Math.round(member.packetRate)),
          first ? String(moves) : '',
        ],
      };
    });
  });
  return [`${counted(groups.length, 'group')} in use`, ...table(GROUP_COLUMNS, rows, paint)];
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)}%`;
}

/** Bits a second, as links are spoken of. */
function rateText(octets: number): string {
  const units = ['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s', 'Tbit/s'];
  let value = octets * 8;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
