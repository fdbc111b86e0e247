/** Path identifiers (RFC 7911) on a session: what is offered, and of what was agreed on what that makes of the routes sent. */
import { AFI, FAMILIES, type Family, SAFI_UNICAST } from '../net/family.js';
import type { PathSelections } from '../rib/chosen-paths.js';
import type { PathSelection } from '../rib/path-selection.js';
import type { Negotiated } from '../session/types.js';
import type { Capability } from '../wire/bgp/message.js';

export interface AddPathDirections {
  /** Several paths of a prefix may come. */
  readonly receive: boolean;
  /** The paths that are sent; absent when there are no identifiers in this direction. */
  readonly send?: PathSelection;
}

/** A family that is absent goes without identifiers. */
export type AddPathConfig = Readonly<Partial<Record<Family, AddPathDirections>>>;

const RECEIVE = 1;
const SEND = 2;

/** RFC 7911 section 4: one entry a family, with the directions in which we would. */
export function addPathCapability(families: readonly Family[], config: AddPathConfig = {}): readonly Capability[] {
  const entries = families.flatMap((family) => {
    const { receive = false, send } = config[family] ?? {};
    const mode = (receive ? RECEIVE : 0) | (send === undefined ? 0 : SEND);
    return mode === 0 ? [] : [{ afi: AFI[family], safi: SAFI_UNICAST, mode }];
  });
  return entries.length === 0 ? [] : [{ kind: 'add-path', families: entries }];
}

/** What is sent with identifiers; `undefined` when nothing is. */
export function identifiedPaths(
  { addPathSend }: Pick<Negotiated, 'addPathSend'>,
  config: AddPathConfig = {},
): PathSelections | undefined {
  const selections: Partial<Record<Family, PathSelection>> = {};
  for (const family of addPathSend) selections[family] = config[family]?.send ?? 'all';
  return FAMILIES.some((family) => selections[family] !== undefined) ? selections : undefined;
}
