/** The routes of one session in `show neighbors`: how many there are in either direction, and what became of the others. */
import type { Clock } from '../../core/ports/clock.js';
import type { Neighbour } from '../../core/speaker/neighbour.js';
import type { SettlingState } from '../../core/speaker/settling-neighbours.js';
import type { Speaker } from '../../core/speaker/speaker.js';
import type { Neighbor } from '../../edge/control/schema.js';

export type RouteFacts = Pick<
  Neighbor,
  'prefixes' | 'hidden' | 'withheld' | 'stale' | 'settling' | 'tablePending' | 'malformed'
>;

export const NO_ROUTES: RouteFacts = {
  prefixes: { received: 0, accepted: 0, advertised: 0 },
  hidden: null,
  withheld: null,
  stale: null,
  settling: null,
  tablePending: [],
  malformed: 0,
};

/** `whole`: count what takes a walk over all prefixes, even where routes flow. */
export function routeFacts(
  { engine }: Speaker,
  neighbour: Neighbour,
  at: { clock: Clock; whole: boolean },
): RouteFacts {
  const session = engine.session(neighbour);
  const kept = engine.stale.state(neighbour);
  const peer = session?.peer ?? kept?.peer;
  if (peer === undefined) return NO_ROUTES;
  const { paths, accepted, errors } = engine.rib.counters(peer);
  const census = at.whole || (paths > 0 && accepted === 0) ? engine.rib.census(peer) : undefined;
  const { advertised } = engine.out.counters(peer);
  return {
    prefixes: { received: paths, accepted, advertised },
    hidden: census ? [...census.hidden] : null,
    withheld: session && (at.whole || advertised === 0) ? [...engine.out.withheld(peer)] : null,
    stale: kept
      ? { paths, longLived: kept.longLived, forMs: Math.max(0, kept.until - at.clock.now()) }
      : staleInSession(census?.stale ?? 0),
    settling: settlingView(engine.settling.state(neighbour), at.clock),
    tablePending: [...(session?.awaited ?? [])],
    malformed: errors,
  };
}

function settlingView(state: SettlingState | undefined, clock: Clock): Neighbor['settling'] {
  if (!state) return null;
  const { waitsFor, until } = state;
  return { waitsFor, forMs: until === undefined ? null : Math.max(0, until - clock.now()) };
}

function staleInSession(paths: number): Neighbor['stale'] {
  return paths === 0 ? null : { paths, longLived: false, forMs: null };
}
