/** Rules of BIRD 2 and 3 as the lab configures them (lab/bird.ts): RFC 7311 to the letter, colours passed on as they are. */
import type { FabricPort, PlannedRouter } from '../lab/plan.js';
import { leastAigp } from './least-aigp.js';
import type { ModelPrefix, PathUse, Told } from './model.js';
import { plannedPrefixes } from './planned-prefixes.js';
import type { Candidate, Choice, RouterRules } from './router-rules.js';

/** What it adds with itself as next hop: the distance, which is at least 1. */
const STEP = 1n;

export function birdRules(router: PlannedRouter): RouterRules {
  const spine = router.role === 'spine';
  return {
    prefixes: plannedPrefixes(router),
    hasSession: () => true,
    originate: (prefix, port) => ({
      ...colourTowards(prefix, port),
      ...(prefix.colour === port.colour && { aigp: 0n }),
    }),
    take: (told, port) => ({ port, ...told }),
    choose: spine ? mergeAll : chooseOne,
    best: (candidates) => leastAigp(candidates)[0],
    pass: (best, port) => ({
      ...colourTowards(best, port),
      ...(best.aigp !== undefined && { aigp: best.aigp + STEP }),
    }),
    notes: spine ? [] : [`${router.name} (BIRD) installs its best path alone, and no fallback behind`],
  };
}

/** FRR keeps a coloured route over a link-local next hop inaccessible. */
function colourTowards({ colour }: Pick<ModelPrefix, 'colour'>, port: FabricPort): Told {
  return colour === undefined || port.peer.implementation === 'frr' ? {} : { colour };
}

/** `merge paths` has no regard to AIGP. */
function mergeAll(candidates: readonly Candidate[]): Choice {
  return { uses: candidates.map((): PathUse => 'preferred'), decided: true };
}

/** Among equals the lowest router identifier, and links of one router as they come. */
function chooseOne(candidates: readonly Candidate[]): Choice {
  const least = leastAigp(candidates);
  const number = Math.min(...least.map(({ port }) => port.peer.number));
  const best = least.filter(({ port }) => port.peer.number === number);
  const useOf = (one: Candidate): PathUse => (best.includes(one) ? 'preferred' : 'spare');
  return { uses: candidates.map(useOf), decided: best.length < 2 };
}
