/** Likely causes of what a path lacks, from the evidence at both ends: what the neighbour has itself, and what it is known to do. */
import type { Implementation } from '../lab/topology.js';
import type { ModelPath, ModelRoute } from './model.js';
import type { FabricState, SeenPath } from './observation.js';

export interface PathEvidence {
  readonly route: ModelRoute;
  readonly path: ModelPath;
  readonly state: FabricState;
}

export function colourCause(evidence: PathEvidence, seen: SeenPath): string | undefined {
  const { path, route } = evidence;
  if (path.colour === undefined) return `${path.peer} is not to send colours here (send-colour, or an export filter)`;
  if (seen.colour !== null)
    return `the colours of the two ends of ${path.link} differ, or a policy on the way sets one`;
  if (path.peer === route.prefix.leaf)
    return `${path.peer} sends none (send-colour: false on its interface?), or an import filter here drops communities`;
  if (isUnseen(evidence))
    return `${path.peer} (${implementationOf(evidence)}), or a router before it, strips opaque communities`;
  return `the peer strips opaque communities: ${path.peer} (${implementationOf(evidence)}) has the colour itself${COLOUR_ADVICE[implementationOf(evidence)]}`;
}

const COLOUR_ADVICE: Readonly<Record<Implementation, string>> = {
  heddle: ', so look at send-colour and export policies there',
  frr: ', and FRR passes no colours on between external peers',
  bird: ', so an export filter of it deletes them',
  bird3: ', so an export filter of it deletes them',
};

export function aigpCause(evidence: PathEvidence, seen: SeenPath): string | undefined {
  const { path, route, state } = evidence;
  const peer = `${path.peer} (${implementationOf(evidence)})`;
  if (path.aigp === undefined) return 'two uplinks have the colour of the prefix, or a policy on the way sets AIGP';
  if (seen.aigp !== null)
    return `${peer} begins or steps with another value (aigp-origin, aigp-step, an import route-map)`;
  if (path.peer === route.prefix.leaf) {
    const own = state.routers.get(route.router)?.implementation ?? 'heddle';
    return `AIGP ${path.aigp} of ${peer} is dropped by ${route.router} (${own}${DROPPED[own]}), or ${path.peer} sends none here`;
  }
  const implementation = implementationOf(evidence);
  if (isUnseen(evidence)) return `AIGP dropped by peer ${peer.slice(0, -1)}${DROPPED[implementation]}), or before it`;
  return `AIGP dropped by peer ${peer.slice(0, -1)}${DROPPED[implementation]}): it has it itself and passes none on`;
}

const DROPPED: Readonly<Record<Implementation, string>> = {
  heddle: ' with aigp: false on an interface',
  frr: ' without neighbor X aigp and oad',
  bird: ' without aigp on',
  bird3: ' without aigp on',
};

export function missingCause({ path, route, state }: PathEvidence): string | undefined {
  if (path.peer === route.prefix.leaf)
    return `${path.peer} does not originate it: is it in its configuration, and let out?`;
  const peer = state.routers.get(path.peer);
  if (!peer || peer.silent !== null) return `what ${path.peer} has is not known: ${peer?.silent ?? 'it was not asked'}`;
  const own = peer.routes.find((one) => one.prefix === route.prefix.text)?.paths ?? [];
  const hidden = own.find((one) => one.use === 'hidden');
  if (hidden) return `${path.peer} cannot use it itself: ${hidden.reason ?? 'no reason given'}`;
  return `${path.peer} has it and does not tell it here: an export policy, or it is on its way`;
}

/** What the peer has itself is not known. */
function isUnseen({ path, state }: PathEvidence): boolean {
  return state.routers.get(path.peer)?.silent !== null;
}

function implementationOf({ path, state }: PathEvidence): Implementation {
  return state.routers.get(path.peer)?.implementation ?? 'heddle';
}
