/** `heddle lab status`: routers, hosts and links, and what is missing. */

import { counted } from '../../../core/net/counted.js';
import { formatRate } from '../../lab/link-rate.js';
import type { LabStatus, RouterStatus } from '../../lab/status.js';
import type { Paint } from './paint.js';
import { type Cell, type Row, table } from './table.js';

const LINK_STATES = { up: 'up', cut: 'cut', silent: 'drops everything', 'no-carrier': 'no carrier' } as const;

export function renderLabStatus(status: LabStatus, paint: Paint): string[] {
  const gone = status.missingNamespaces;
  return [
    `lab ${status.name} (${status.source}), state in ${status.directory}`,
    ...(gone.length === 0 ? [] : [paint.bad(`missing namespaces: ${gone.join(', ')}`)]),
    '',
    ...table(
      [
        { title: 'NODE' },
        { title: 'ROLE' },
        { title: 'RUNS' },
        { title: 'AS' },
        { title: 'PROCESSES' },
        { title: 'SESSIONS' },
      ],
      status.routers.map((router) => routerRow(router, paint)),
      paint,
    ),
    '',
    ...status.hosts.map(
      (host) =>
        `${host.name} behind ${host.leaf}: ${host.addresses.usable} of ${counted(host.addresses.total, 'address', 'addresses')}`,
    ),
    ...linkLines(status, paint),
  ];
}

function routerRow(router: RouterStatus, paint: Paint): Row {
  const dead = router.processes.filter((one) => !one.alive);
  const pids = router.processes.map((one) => one.pid).join(' ');
  const processes: Cell =
    router.processes.length === 0 || dead.length > 0
      ? { text: dead.length > 0 ? `${dead.map((one) => one.name).join(', ')} dead` : 'none', style: paint.bad }
      : pids;
  const { up, total, missing } = router.sessions;
  const sessions: Cell = { text: `${up}/${total}`, style: up === total ? paint.good : paint.bad };
  const cells = [router.name, router.role, router.implementation, String(router.as), processes, sessions];
  return missing.length === 0 ? { cells } : { cells, note: { text: missing.join('; '), style: paint.warn } };
}

function linkLines(status: LabStatus, paint: Paint): string[] {
  const bad = status.links.filter((link) => link.state !== 'up');
  const all = counted(status.links.length, 'link') + rateText(status);
  if (bad.length === 0) return [`${all}, all up`];
  return [
    `${all}, ${bad.length} not up:`,
    ...bad.map((link) => paint.bad(`  ${link.a} - ${link.b}: ${LINK_STATES[link.state]}`)),
  ];
}

/** ` (8 of 50mbit, 2 of 200mbit)`; nothing when no link has a rate. */
function rateText({ links }: LabStatus): string {
  const rates = [...new Set(links.flatMap(({ rate }) => rate ?? []))];
  if (rates.length === 0) return '';
  return ` (${rates.map((rate) => `${links.filter((link) => link.rate === rate).length} of ${formatRate(rate)}`).join(', ')})`;
}
