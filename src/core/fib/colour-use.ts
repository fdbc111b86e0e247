/**
 * Which prefixes go where they are to go. In deterministic path forwarding that is by the path of their colour; those that do not are on
 * their fallback, which is their primary set as soon as the tables know that there is no other path.
 */
import type { ForwardingClass, Group } from './forwarding-objects.js';

export interface ColourUse {
  prefixes: number;
  /** Those of them that go by their fallback. */
  onFallback: number;
}

/** By colour of the best path; prefixes without one are left out. */
export function colourUse(
  classes: Iterable<Pick<ForwardingClass, 'spec' | 'groups' | 'size'>>,
): ReadonlyMap<number, ColourUse> {
  const uses = new Map<number, ColourUse>();
  for (const { spec, groups, size } of classes) {
    if (spec.colour === undefined || size === 0) continue;
    const use = uses.get(spec.colour) ?? { prefixes: 0, onFallback: 0 };
    uses.set(spec.colour, use);
    use.prefixes += size;
    if (spec.onFallback || isReplaced(groups)) use.onFallback += size;
  }
  return uses;
}

/** Until the tables have followed: the kernel falls through to the fallback, or its members stand in for those that are silent. */
function isReplaced([primary, fallback]: ForwardingClass['groups']): boolean {
  return (primary.id === 0 && fallback !== undefined && fallback.id !== 0) || isSilent(primary);
}

function isSilent({ set: { members } }: Group): boolean {
  return members.length > 0 && members.every(({ standIn }) => standIn !== undefined);
}
