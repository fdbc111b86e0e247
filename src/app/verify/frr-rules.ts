/** Rules of FRR as the lab configures it (lab/frr.ts), with the limits that docs/interop.md measures. */
import type { FabricPort, LabPlan, PlannedRouter } from '../lab/plan.js';
import type { ModelPrefix, PathUse, Told } from './model.js';
import { plannedPrefixes } from './planned-prefixes.js';
import type { Candidate, Choice, RouterRules, Taken } from './router-rules.js';

/** What a spine's route-map sets on import, and what it then passes on: FRR keeps AIGP and does not step it. */
const SPINE_AIGP = 1n;

export function frrRules({ topology }: LabPlan, router: PlannedRouter): RouterRules {
  const spine = router.role === 'spine';
  return {
    prefixes: plannedPrefixes(router),
    hasSession: () => true,
    originate,
    take: spine ? takeAsSpine : takeAsLeaf,
    choose: (candidates) => (spine ? chooseAsSpine(candidates, topology.linksPerPair) : chooseAsLeaf(candidates)),
    best: ([first]) => first,
    pass: ({ aigp }) => (aigp === undefined ? {} : { aigp }),
    notes: spine
      ? [`${router.name} (FRR) passes no colours on, and sets AIGP ${SPINE_AIGP} on import`]
      : [`${router.name} (FRR) is sent no colours, chooses by local preference and installs no fallback behind`],
  };
}

/** Its own colours to others than FRR, AIGP 0 on the uplink of the prefix's colour. */
function originate({ colour }: ModelPrefix, port: FabricPort): Told {
  return {
    ...(colour !== undefined && port.peer.implementation !== 'frr' && { colour }),
    ...(colour === port.colour && { aigp: 0n }),
  };
}

function takeAsSpine({ colour, aigp }: Told, port: FabricPort, prefix: ModelPrefix): Taken {
  const value = prefix.colour === port.colour ? SPINE_AIGP : aigp;
  return { port, ...(colour !== undefined && { colour }), ...(value !== undefined && { aigp: value }) };
}

/** Without `oad` it takes no AIGP from an external peer; the local preference of its own uplink stands in for it. */
function takeAsLeaf({ colour }: Told, port: FabricPort, prefix: ModelPrefix): Taken {
  return { port, ...(colour !== undefined && { colour }), ...(prefix.colour === port.colour && { pinned: true }) };
}

/** AIGP is compared only where both paths have it, so that links of one pair tie whatever they carry. */
function chooseAsSpine(candidates: readonly Candidate[], linksPerPair: number): Choice {
  return { uses: candidates.map((): PathUse => 'preferred'), decided: linksPerPair === 1 };
}

function chooseAsLeaf(candidates: readonly Candidate[]): Choice {
  const pinned = candidates.some((one) => one.pinned);
  return { uses: candidates.map((one): PathUse => (!pinned || one.pinned ? 'preferred' : 'spare')), decided: true };
}
