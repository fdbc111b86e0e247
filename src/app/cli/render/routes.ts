/** `heddle show routes`: one line a prefix. */
import type { RouteSummary } from '../../../edge/control/schema.js';
import type { Paint, Style } from './paint.js';
import { type Cell, type Column, type Row, tableFor } from './table.js';
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

/** The lines in pieces, as the routes come. */
export async function* renderRoutes(
  pieces: AsyncIterable<readonly RouteSummary[]>,
  paint: Paint,
): AsyncGenerator<readonly string[]> {
  let lines: ((routes: readonly RouteSummary[]) => string[]) | undefined;
  for await (const routes of pieces) {
    if (!lines) {
      const begun = tableFor(COLUMNS, rowsOf(routes, paint), paint);
      lines = (more) => begun.lines(rowsOf(more, paint));
      yield [paint.dim(ROUTE_LEGEND), '', begun.head];
    }
    yield lines(routes);
  }
  if (!lines) yield ['no route'];
}

function rowsOf(routes: readonly RouteSummary[], paint: Paint): Row[] {
  return routes.map((route) => ({ cells: routeCells(route, paint) }));
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
