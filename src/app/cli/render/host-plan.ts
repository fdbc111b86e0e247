/** `heddle host plan`: queue pairs with their addresses and ways, the load of a job on the uplinks, the verdict. */
import { counted } from '../../../core/net/counted.js';
import type { HostPlan, PlannedConnection } from '../../host/host-plan.js';
import type { Paint } from './paint.js';
import { type Column, type Row, table } from './table.js';

const QUEUE_PAIR_COLUMNS: readonly Column[] = [
  { title: 'QP', align: 'right' },
  { title: 'UPLINK' },
  { title: 'COLOUR', align: 'right' },
  { title: 'SOURCE' },
  { title: 'GID', align: 'right' },
  { title: 'DESTINATION' },
  { title: 'GID', align: 'right' },
  { title: 'SOURCE QP', align: 'right' },
  { title: 'DEST QP', align: 'right' },
  { title: 'UDP PORT', align: 'right' },
];

export function renderHostPlan(plan: HostPlan, paint: Paint): string[] {
  const many = plan.connections.length > 1;
  return [
    `${plan.source}, ${plan.pattern === 'pair' ? 'one connection' : `${plan.pattern}: ${counted(plan.connections.length, 'connection')}`}`,
    ...plan.connections.flatMap((one) => ['', ...connectionLines(one, paint)]),
    ...(plan.loads && many ? ['', ...loadLines(plan, paint)] : []),
    ...(plan.problems.length > 0 ? ['', ...plan.problems.map((line) => paint.warn(line))] : []),
  ];
}

function connectionLines(one: PlannedConnection, paint: Paint): string[] {
  const style = one.even ? paint.good : paint.warn;
  return [
    paint.strong(`${one.source} -> ${one.destination}`),
    ...table(
      QUEUE_PAIR_COLUMNS,
      one.queuePairs.map(
        (pair): Row => ({
          cells: [
            String(pair.number),
            { text: one.within === null ? pair.uplinkName : `${one.within} only`, style: paint.fabric(pair.colour) },
            { text: String(pair.colour), style: paint.fabric(pair.colour) },
            pair.source,
            String(pair.gidIndex),
            pair.destination,
            String(pair.destinationGidIndex),
            String(pair.sourceQp),
            String(pair.destinationQp),
            String(pair.sourcePort),
          ],
        }),
      ),
      paint,
    ),
    ...one.verdict.map((line) => style(line)),
  ];
}

function loadLines({ loads, even }: HostPlan, paint: Paint): string[] {
  const rows = (loads ?? []).map(
    ({ leaf, uplink, out, in: into }): Row => ({
      cells: [leaf, uplink, String(out), String(into)],
    }),
  );
  const columns: readonly Column[] = [
    { title: 'LEAF' },
    { title: 'UPLINK' },
    { title: 'SUBFLOWS OUT', align: 'right' },
    { title: 'SUBFLOWS IN', align: 'right' },
  ];
  const verdict = even
    ? paint.good('every uplink of a leaf carries as many subflows as the others')
    : paint.warn('the uplinks of a leaf carry different numbers of subflows, or connections lack queue pairs');
  return [...table(columns, rows, paint), verdict];
}
