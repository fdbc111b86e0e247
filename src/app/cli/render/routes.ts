/** `heddle show routes`: one line a prefix. */
import type { RouteSummary } from '../../../edge/control/schema.js';
import type { Paint, Style } from './paint.js';
import { type Cell, type Column, table } from './table.js';
import { colourText, listOrDash, orDash } from './words.js';

const COLUMNS: readonly Column[] = [
  { title: ' ' },
  { title: 'PREFIX' },
  { title: 'COLOUR' },
  { title: 'PREFERRED' },
  { title: 'BEHIND', align: 'right' },
  { title: 'AIGP', align: 'right' },
  { title: 'AS PATH' },
  { title: 'DECIDED BY' },
];

const MARKS: Readonly<Record<RouteSummary['fib'], string>> = { installed: '>', pending: '.', failed: '!', none: ' ' };

export const ROUTE_LEGEND = '> in the kernel   . on its way   ! refused   BEHIND: links in the fallback set';

export function renderRoutes(routes: readonly RouteSummary[], paint: Paint): string[] {
  if (routes.length === 0) return ['no route'];
  const rows = routes.map((route) => ({ cells: routeCells(route, paint) }));
  return [paint.dim(ROUTE_LEGEND), '', ...table(COLUMNS, rows, paint)];
}

function routeCells(route: RouteSummary, paint: Paint): Cell[] {
  return [
    { text: MARKS[route.fib], style: markStyle(route.fib, paint) },
    route.prefix,
    { text: colourText(route.colour), style: paint.fabric(route.colour) },
    route.local ? 'local' : listOrDash(route.preferred),
    String(route.fallback.length),
    orDash(route.aigp),
    orDash(route.asPath),
    orDash(route.decidedBy),
  ];
}

function markStyle(state: RouteSummary['fib'], paint: Paint): Style {
  if (state === 'failed') return paint.bad;
  return state === 'installed' ? paint.good : paint.warn;
}
