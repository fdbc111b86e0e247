/**
 * `heddle show route PREFIX`: the decision as a ladder. All paths start at the top; at each rung some leave, and the
 * reason stands beside them; what reaches the bottom is preferred.
 */

import { counted } from '../../../core/net/counted.js';
import type { DecisionStepName } from '../../../core/rib/types.js';
import type { Path, Route } from '../../../edge/control/schema.js';
import { formatColour } from '../../config/colour-names.js';
import type { Paint, Style } from './paint.js';
import { columnWidths } from './table.js';
import { formatDuration, listOrDash } from './words.js';

export function renderRoute(route: Route, paint: Paint): string[] {
  const leaving = route.paths.filter(({ status }) => status !== 'preferred');
  const preferred = route.paths.filter(({ status }) => status === 'preferred');
  const layout = pathLayout(route.paths);
  return [
    ...head(route, paint),
    '',
    counted(route.paths.length, 'path'),
    ...rungs(leaving).flatMap((rung) => rungLines(rung, layout, paint)),
    '│',
    ...bottomLines(preferred, route, { layout, paint }),
  ];
}

function head(route: Route, paint: Paint): string[] {
  const facts = [
    ...(route.colour === null ? [] : [paint.fabric(route.colour)(`colour ${formatColour(route.colour)}`)]),
    ...(route.origin === null ? [] : [`from AS ${route.origin}`]),
    fibText(route, paint),
  ];
  return [`${paint.strong(route.prefix)}  ${facts.join('  ')}`];
}

function fibText({ fib, fibError }: Route, paint: Paint): string {
  if (fib === 'failed') return paint.bad(`refused by the kernel: ${fibError ?? 'no reason given'}`);
  if (fib === 'installed') return paint.good('in the kernel');
  return fib === 'pending' ? paint.warn('on its way to the kernel') : 'not for the kernel';
}

interface Rung {
  readonly title: string;
  readonly paths: readonly Path[];
}

/** The order in which the steps run, and so the order of the rungs. */
const STEPS: readonly DecisionStepName[] = [
  'local-origin',
  'local-pref',
  'aigp',
  'as-path-length',
  'origin',
  'med',
  'external',
  'interior-cost',
  'router-id',
  'cluster-list-length',
  'peer-address',
  'interface',
  'path-id',
];

/** What never came into the decision first, then the steps at which paths left. */
function rungs(leaving: readonly Path[]): Rung[] {
  const ineligible = leaving.filter(({ status }) => status === 'ineligible');
  const eligible = leaving.filter(({ status }) => status !== 'ineligible');
  const steps = [...STEPS, ...eligible.map(({ step }) => step)];
  const decided = [...new Set(steps)].map((step) => ({
    title: step ?? 'equal to the best path',
    paths: eligible.filter((path) => path.step === step),
  }));
  return [{ title: 'not eligible', paths: ineligible }, ...decided].filter(({ paths }) => paths.length > 0);
}

/** Where a path is from, with its identifier where it has one; `own` for one of ours. */
export function placeOf({ interface: name, neighbor, pathId }: Path, own: string): string {
  const place = name === null ? own : name || (neighbor ?? '');
  return pathId === null ? place : `${place} path ${pathId}`;
}

type PathLayout = (path: Path) => string;

function pathLayout(paths: readonly Path[]): PathLayout {
  const cells = (path: Path) => [
    placeOf(path, 'local'),
    path.asPath === '' ? '' : `AS ${path.asPath}`,
    path.aigp === null ? 'no AIGP' : `AIGP ${path.aigp}`,
  ];
  const widths = columnWidths(3, paths.map(cells));
  return (path) =>
    cells(path)
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join('  ');
}

function rungLines(rung: Rung, layout: PathLayout, paint: Paint): string[] {
  return [
    '│',
    `├─ ${paint.strong(rung.title)}`,
    ...rung.paths.flatMap((path) => {
      const [line, detail] = pathLines(path, layout, paint);
      return [`│    ${line}`, `│      ${detail}`];
    }),
  ];
}

/** Ends of a decision that no comparison made. */
const OUTCOMES: Readonly<Record<string, string>> = { '': 'preferred', 'only-path': 'preferred, the only path' };

function bottomLines(preferred: readonly Path[], route: Route, how: { layout: PathLayout; paint: Paint }): string[] {
  const { layout, paint } = how;
  if (preferred.length === 0) return [`└─ ${paint.bad('no path is left')}`];
  const title = OUTCOMES[route.decidedBy ?? ''] ?? `preferred, decided by ${route.decidedBy}`;
  return [
    `└▶ ${paint.strong(title)}`,
    ...preferred.flatMap((path) => {
      const [line, detail] = pathLines(path, layout, paint);
      return [`     ${line}`, `       ${detail}`];
    }),
  ];
}

function pathLines(path: Path, layout: PathLayout, paint: Paint): [string, string] {
  const style = statusStyle(path, paint);
  const facts = [
    ...(path.interface === null ? [] : [nextHopText(path)]),
    `origin ${path.origin}`,
    ...(path.localPref === null ? [] : [`local-pref ${path.localPref}`]),
    ...(path.med === null ? [] : [`med ${path.med}`]),
    ...path.communities,
    ...(path.nextNextHops ? [`behind it ${listOrDash(path.nextNextHops)}`] : []),
    formatDuration(path.ageMs),
    ...(path.stale ? ['stale'] : []),
  ];
  return [`${layout(path)}  ${style(verdict(path))}`, paint.dim(facts.join(', '))];
}

function nextHopText({ nextHops, resolved }: Path): string {
  if (!resolved) return `next hop ${listOrDash(nextHops)}`;
  const { nextHop, onLink, cost, via } = resolved;
  const names = via.map((way) => way.interface);
  if (onLink) return `next hop ${nextHop} on the link ${names.join(' or ')}`;
  return `next hop ${nextHop} via ${via.map((way) => `${way.gateway} ${way.interface}`).join(' or ')}, cost ${cost}`;
}

/** The rung says the rest. */
function verdict({ status, reason }: Path): string {
  return status === 'fallback' || status === 'unused' ? `${status}: ${reason}` : reason;
}

function statusStyle(path: Path, paint: Paint): Style {
  if (path.status === 'preferred') return paint.good;
  return path.status === 'ineligible' ? paint.bad : paint.warn;
}
