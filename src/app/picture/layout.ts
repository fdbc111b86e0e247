/** Where a panel's nodes stand and its links begin and end: spines above, leaves below them, hosts under their leaves. Pure. */
import type { PictureLink, PicturePanel } from './fabric-picture.js';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PanelLayout {
  readonly width: number;
  /** Of the drawing, without title and text. */
  readonly height: number;
  readonly boxes: ReadonlyMap<string, Box>;
  /** By link name: the upper end and the lower end. */
  readonly ends: ReadonlyMap<string, readonly [Point, Point]>;
}

const NODE = { width: 96, height: 34 };
const HOST = { width: 84, height: 30 };
const GAP = 30;
const MARGIN = 28;
const SPINES_AT = 10;
const HOSTS_BELOW_LEAVES = 130;

/** The wider the fabric, the farther apart, so that links do not lie flat. */
function leavesAt(width: number): number {
  return Math.round(Math.min(400, Math.max(210, width * 0.2)));
}

export function layOut(panel: PicturePanel): PanelLayout {
  const hostsWidth = spread(Math.max(1, panel.hosts.length), HOST.width);
  const inner = Math.max(
    spread(panel.spines.length, NODE.width),
    spread(panel.leaves.length, NODE.width),
    hostsWidth,
    340,
  );
  const width = inner + 2 * MARGIN;
  const leaves = leavesAt(inner);
  const hosts = leaves + HOSTS_BELOW_LEAVES;
  const boxes = new Map<string, Box>();
  const row = (names: readonly string[], y: number, size: typeof NODE) => {
    for (const [index, name] of names.entries()) {
      const centre = MARGIN + ((index + 0.5) * inner) / names.length;
      boxes.set(name, { ...size, x: centre - size.width / 2, y });
    }
  };
  row(panel.spines, SPINES_AT, NODE);
  row(panel.leaves, leaves, NODE);
  row(
    panel.leaves.flatMap((leaf) => panel.hosts.filter((host) => host.leaf === leaf).map(({ name }) => name)),
    hosts,
    HOST,
  );
  return { width, height: hosts + HOST.height + 10, boxes, ends: linkEnds(panel.links, boxes) };
}

function spread(count: number, size: number): number {
  return count * size + Math.max(0, count - 1) * GAP;
}

/** By link name, the upper and the lower end. Links of one side of a node stand beside each other in the order of the nodes at their other ends. */
export function linkEnds(
  links: readonly Pick<PictureLink, 'name' | 'a' | 'b'>[],
  boxes: ReadonlyMap<string, Box>,
): Map<string, readonly [Point, Point]> {
  const drawn = links.filter(({ a, b }) => boxes.has(a) && boxes.has(b));
  const ends = drawn.map((link) => {
    const [a, b] = [boxes.get(link.a)!, boxes.get(link.b)!];
    const [upper, lower] = a.y < b.y ? [link.a, link.b] : [link.b, link.a];
    return { link, upper, lower };
  });
  const placed = (node: string, side: 'upper' | 'lower', name: string): Point => {
    const box = boxes.get(node)!;
    const far = side === 'upper' ? 'lower' : 'upper';
    const mine = ends
      .filter((end) => end[side] === node)
      .toSorted((one, two) => boxes.get(one[far])!.x - boxes.get(two[far])!.x);
    const index = mine.findIndex(({ link }) => link.name === name);
    return {
      x: box.x + (box.width * (index + 1)) / (mine.length + 1),
      y: side === 'upper' ? box.y + box.height : box.y,
    };
  };
  return new Map(
    ends.map(({ link, upper, lower }) => [
      link.name,
      [placed(upper, 'upper', link.name), placed(lower, 'lower', link.name)] as const,
    ]),
  );
}
