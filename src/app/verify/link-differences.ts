/** Links and sessions that are not as they are assumed to be. What follows from them is the model's to say, not differences of its own. */
import { type Difference, difference } from './difference.js';
import type { ModelLink, Prediction } from './model.js';
import type { FabricState, NodeState } from './observation.js';

export interface LinkReading {
  readonly differences: readonly Difference[];
  /** Names of the links that carry nothing. */
  readonly down: ReadonlySet<string>;
}

/** Both against a prediction with the assumed failures in it. */
export function readLinks(prediction: Prediction, state: FabricState): LinkReading {
  const down = new Set<string>();
  const differences: Difference[] = [];
  for (const link of prediction.links) {
    const reading = link.kind === 'host' ? hostLink(link, state) : fabricLink(link, state);
    if (reading.down) down.add(link.name);
    if (reading.found) differences.push(reading.found);
  }
  return { differences, down };
}

interface Reading {
  readonly down: boolean;
  readonly found?: Difference;
}

const CONDITIONS = {
  up: 'up',
  cut: 'cut: an interface is set down',
  silent: 'silent: it keeps its carrier and drops every packet',
  'no-carrier': 'without carrier',
} as const;

function conditionOf(link: ModelLink, { links }: FabricState) {
  return links.find((one) => one.link === link.name)?.state ?? 'up';
}

function hostLink(link: ModelLink, state: FabricState): Reading {
  const condition = conditionOf(link, state);
  return endsAs(link, { down: condition !== 'up', what: `link ${link.name} is ${CONDITIONS[condition]}` });
}

function fabricLink(link: ModelLink, state: FabricState): Reading {
  const condition = conditionOf(link, state);
  const ends = [link.a, link.b].map((end) => sessionAt(state.routers.get(end.node), end.interface));
  const refused = ends.filter((end) => end?.up === false);
  if (condition !== 'up') {
    const lost = condition === 'silent' && refused.length === 0 ? ', which its session has not noticed yet' : '';
    return endsAs(link, { down: true, what: `link ${link.name} is ${CONDITIONS[condition]}${lost}` });
  }
  if (refused.length === 0) return endsAs(link, { down: false, what: '' });
  const reason = refused.map((end) => end?.reason).find((text) => text !== null && text !== undefined);
  const what = `session ${link.name} is down`;
  const known = link.up
    ? difference('session', { node: link.a.node, interface: link.a.interface }, { what, cause: reason })
    : undefined;
  return { down: true, ...(known && { found: known }) };
}

/** A failure that was not assumed, or an assumed one that did not happen. */
function endsAs(link: ModelLink, { down, what }: { readonly down: boolean; readonly what: string }): Reading {
  const at = { node: link.a.node, interface: link.a.interface };
  if (down && link.up) {
    const cause = `somebody cut it: heddle lab heal ${link.name} mends it, --fail ${link.name} takes it as given`;
    return { down, found: difference('link', at, { what, cause }) };
  }
  if (down || link.up) return { down };
  const cause = `nothing has failed there yet: heddle lab fail ${link.name}`;
  return {
    down,
    found: difference('link', at, { what: `link ${link.name} is up, and assumed to have failed`, cause }),
  };
}

function sessionAt(state: NodeState | undefined, name: string) {
  if (!state || state.silent !== null) return undefined;
  return state.sessions.find((session) => session.interface === name);
}
