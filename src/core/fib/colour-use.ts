/**
 * Which prefixes go over the links of their colour. In deterministic path forwarding that is where all of them are to go; those that do
 * not are on their fallback.
 */
import type { ForwardingClass, Group } from './forwarding-objects.js';

export interface ColourUse {
  prefixes: number;
  /** Those of them that go over no link of their colour. */
  onFallback: number;
}

/** By colour; prefixes without one are left out. */
export function colourUse(
  classes: Iterable<Pick<ForwardingClass, 'spec' | 'groups' | 'size'>>,
  colourOfLink: (interfaceIndex: number) => number | undefined,
): ReadonlyMap<number, ColourUse> {
  const uses = new Map<number, ColourUse>();
  for (const { spec, groups, size } of classes) {
    if (spec.colour === undefined || size === 0) continue;
    const use = uses.get(spec.colour) ?? { prefixes: 0, onFallback: 0 };
    uses.set(spec.colour, use);
    use.prefixes += size;
    if (!leadsOver(inUse(groups), (index) => colourOfLink(index) === spec.colour)) use.onFallback += size;
  }
  return uses;
}

/** The kernel falls through to the fallback while the primary one is not there. */
function inUse([primary, fallback]: ForwardingClass['groups']): Group {
  return primary.id === 0 && fallback && fallback.id !== 0 ? fallback : primary;
}

function leadsOver({ set }: Group, isWanted: (interfaceIndex: number) => boolean): boolean {
  return set.members.some((member) => isWanted((member.standIn ?? member).interfaceIndex));
}
