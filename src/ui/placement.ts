/** Where a prefix goes, as a row of the matrix says it, and the links of the drawing that it takes there. Pure. */
import type { FabricMessage } from '../edge/control/page/shapes.js';
import type { FabricRow, FabricUplink } from '../edge/control/schema.js';

export interface Placement {
  /** `pinned`: by the uplink of its colour; `fallback`: by others, in its place; `spread`: it has no uplink of its own. */
  readonly kind: 'pinned' | 'fallback' | 'spread' | 'nowhere';
  /** Interfaces that carry it now, and that would next. */
  readonly carries: readonly string[];
  readonly behind: readonly string[];
}

export function placementOf({ colour, cells }: FabricRow, uplinks: readonly FabricUplink[]): Placement {
  const named = (state: string) => uplinks.filter((_, index) => cells[index]?.state === state);
  const [preferred, fallback] = [named('preferred'), named('fallback')];
  const names = (some: readonly FabricUplink[]) => some.map((uplink) => uplink.interface);
  const isOwn = (uplink: FabricUplink) => colour !== null && uplink.colour === colour;
  const kind =
    preferred.length === 0
      ? 'nowhere'
      : preferred.every(isOwn)
        ? 'pinned'
        : !preferred.some(isOwn) && uplinks.some(isOwn)
          ? 'fallback'
          : 'spread';
  return { kind, carries: names(preferred), behind: names(fallback) };
}

export interface WayUse {
  readonly link: string;
  /** Of what goes to the prefix, above 0 to 1. */
  readonly share: number;
}

/** From a router over what carries the prefix to where it comes from, as far as the drawing has it. */
export function wayOf(
  { nodes, links }: FabricMessage,
  { router, row, uplinks }: { router: string; row: FabricRow; uplinks: readonly FabricUplink[] },
): readonly WayUse[] {
  const { carries } = placementOf(row, uplinks);
  const origin = nodes.find(({ as, role, name }) => role === 'leaf' && as === row.origin && name !== router)?.name;
  const uses = new Map<string, number>();
  const use = (link: string | undefined, share: number) => {
    if (link !== undefined) uses.set(link, (uses.get(link) ?? 0) + share);
  };
  for (const port of carries) {
    const share = 1 / carries.length;
    const first = links.find(({ a, b }) => [a, b].some((end) => end.node === router && end.interface === port));
    const middle = first && (first.a.node === router ? first.b.node : first.a.node);
    use(first?.name, share);
    // Between spine and leaf there may be several links; which of them, the spine decides.
    const onward = links.filter(({ a, b }) => a.node === origin && b.node === middle);
    const own = onward.filter(({ colour }) => colour === row.colour);
    const taken = own.length > 0 ? own : onward;
    for (const { name } of taken) use(name, share / taken.length);
  }
  return [...uses].map(([link, share]) => ({ link, share }));
}
