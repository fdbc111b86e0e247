/**
 * A route in sentences: where packets go, why, what takes over, and why not the others. From what `show route` and `show neighbors` know, for
 * whoever does not read the ladder of the decision yet.
 */
import { counted, listed } from '../../../core/net/counted.js';
import type { Neighbor, Path, Route } from '../../../edge/control/schema.js';
import { formatColour } from '../../config/colour-names.js';
import { placeOf } from '../render/route.js';
import { formatDuration } from '../render/words.js';

/** What a sentence is about, in the order in which they are said. */
export type Topic = 'way' | 'why' | 'fallback' | 'kernel' | 'others' | 'absent';

export interface Sentence {
  readonly topic: Topic;
  readonly text: string;
}

/** Why the best path is the best, where the decision ended at that step (RFC 4271 9.1.2.2, RFC 7311 4.2). */
const DECIDED: Readonly<Record<string, string>> = {
  'local-origin': 'a route of our own is before any that is learned',
  'long-lived-stale': 'the other neighbours have been away for longer than their restart time',
  settling: 'the other neighbours are just back, and not preferred yet',
  'local-pref': 'its local preference is the highest',
  'as-path-length': 'its AS_PATH is the shortest',
  origin: 'its origin is the lowest: IGP before EGP before incomplete',
  med: 'its MED is the lowest of those from the same AS',
  external: 'it is external, and an external path is before an internal one',
  'interior-cost': 'its next hop is the nearest',
  'router-id': 'all else being equal, its neighbour has the lowest router id',
  'cluster-list-length': 'all else being equal, its CLUSTER_LIST is the shortest',
  'peer-address': 'all else being equal, its neighbour has the lowest address',
  interface: 'all else being equal, its interface is the first',
  'path-id': 'all else being equal, its path identifier is the lowest',
};

const { compare } = new Intl.Collator('en', { numeric: true });

/** Paths are named in the order of their interfaces, not in that of their arrival: the same sentence each time. */
export function explainRoute(found: Route, neighbors: readonly Neighbor[]): Sentence[] {
  const route = { ...found, paths: found.paths.toSorted((a, b) => compare(nameOfPath(a), nameOfPath(b))) };
  const of = (status: Path['status']) => route.paths.filter((path) => path.status === status);
  const preferred = of('preferred');
  return [
    { topic: 'way', text: way(route, preferred) },
    ...why(route, preferred),
    ...fallback(preferred, of('fallback')),
    ...kernel(route, preferred),
    ...others([...of('fallback'), ...of('unused'), ...of('ineligible')]),
    ...(preferred.some(isOwn) ? [] : absent(route, neighbors)),
  ];
}

/** There is none; neighbours without a session may be why. */
export function explainNoRoute(refusal: string, neighbors: readonly Neighbor[]): Sentence[] {
  const down = neighbors.filter(({ state }) => state !== 'established');
  const text =
    down.length === 0
      ? `There is ${refusal}: every neighbour has a session, and none of them told one.`
      : `There is ${refusal}.`;
  return [{ topic: 'way', text }, ...down.map(withoutSession)];
}

function way(route: Route, preferred: readonly Path[]): string {
  const colour = route.colour === null ? '' : ` of colour ${formatColour(route.colour)}`;
  if (preferred.length === 0) return `${route.prefix}${colour} goes nowhere: no path to it can be used.`;
  if (preferred.some(isOwn)) return `${route.prefix}${colour} is originated here.`;
  const from = route.origin === null ? '' : `, towards AS ${route.origin}`;
  return `${route.prefix}${colour} goes over ${listed(preferred.map(nameOfPath))}${from}.`;
}

function why(route: Route, preferred: readonly Path[]): Sentence[] {
  const text = reasonOf(route, preferred);
  return text === undefined ? [] : [{ topic: 'why', text }];
}

function reasonOf({ decidedBy, paths }: Route, preferred: readonly Path[]): string | undefined {
  if (preferred.length === 0) return undefined;
  if (decidedBy === 'only-path') return 'It is the only path that can be used.';
  if (decidedBy === 'aigp') return aigp(paths, preferred);
  if (preferred.length > 1)
    return 'They are equal in all that comes before the neighbours themselves are compared, and share the load.';
  const reason = DECIDED[decidedBy ?? ''];
  return reason && `Of ${counted(paths.length, 'path')} it was chosen because ${reason}.`;
}

function aigp(paths: readonly Path[], [best]: readonly Path[]): string {
  const others = paths.filter(({ step, status }) => step === 'aigp' && status !== 'preferred');
  const theirs = byText(others, ({ aigp: metric }) => metric ?? 'none, which counts as infinite');
  const against = theirs.map(
    ([metric, places]) => `; ${listed(places)} ${places.length > 1 ? 'have' : 'has'} ${metric}`,
  );
  return `Its accumulated metric (AIGP) and the cost to its next hop are the lowest: the AIGP is ${best?.aigp ?? 'absent'}${against.join('')}.`;
}

function others(paths: readonly Path[]): Sentence[] {
  const reasons = byText(paths, ({ reason }) => reason);
  return reasons.map(([reason, places]) => ({
    topic: 'others',
    text: `Not preferred: ${listed(places)}, ${reason}.`,
  }));
}

/** Places of paths of which the same is to be said. */
function byText(paths: readonly Path[], textOf: (path: Path) => string): [string, string[]][] {
  const places = new Map<string, string[]>();
  for (const path of paths) places.set(textOf(path), [...(places.get(textOf(path)) ?? []), nameOfPath(path)]);
  return [...places];
}

function fallback(preferred: readonly Path[], behind: readonly Path[]): Sentence[] {
  if (preferred.length === 0 || preferred.some(isOwn)) return [];
  const text =
    behind.length > 0
      ? `When that fails, packets go over ${listed(behind.map(nameOfPath))}: that route is in place behind it.`
      : 'Nothing is behind it: when that fails, the prefix is withdrawn.';
  return [{ topic: 'fallback', text }];
}

function kernel({ fib, fibError }: Route, preferred: readonly Path[]): Sentence[] {
  if (fib === 'installed') return [{ topic: 'kernel', text: 'The kernel has it so.' }];
  if (fib === 'pending') return [{ topic: 'kernel', text: 'It is on its way to the kernel.' }];
  if (fib === 'failed') return [{ topic: 'kernel', text: `The kernel refused it: ${fibError ?? 'without a reason'}.` }];
  return preferred.length === 0 || preferred.some(isOwn)
    ? []
    : [{ topic: 'kernel', text: 'It is not put into the kernel.' }];
}

/** Neighbours that no path is from. */
function absent({ paths }: Route, neighbors: readonly Neighbor[]): Sentence[] {
  const heard = new Set(paths.flatMap(({ interface: name, neighbor }) => [name, neighbor]));
  const silent = neighbors.filter(
    (one) => !heard.has(one.address) && !(one.interface !== '' && heard.has(one.interface)),
  );
  return silent.map((one) =>
    one.state === 'established'
      ? { topic: 'absent', text: `${nameOf(one)} has a session and tells no path to it.` }
      : withoutSession(one),
  );
}

function withoutSession(one: Neighbor): Sentence {
  const since = one.lastDown === null ? '' : `, down for ${formatDuration(one.lastDown.agoMs)}`;
  const reason = one.why ?? one.reason;
  const next = one.next === null ? '' : ` Next: ${stopped(one.next)}`;
  return {
    topic: 'absent',
    text: `${nameOf(one)} has no session${since}${reason === null ? '.' : `: ${stopped(reason)}`}${next}`,
  };
}

function nameOf({ interface: name, name: address, hostname }: Neighbor): string {
  const place = name || address;
  return hostname === null ? place : `${place} (${hostname})`;
}

function isOwn(path: Path): boolean {
  return path.interface === null;
}

function nameOfPath(path: Path): string {
  return placeOf(path, 'our own route');
}

function stopped(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
