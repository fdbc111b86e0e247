/** Where nodes stand: spines above, leaves below them, hosts under their leaves; with names as long as there is room for them, else as cells. Pure. */
import type { Box } from '../../app/picture/layout.js';
import type { PageNode } from '../../edge/control/page/shapes.js';

export interface Place extends Box {
  readonly label: 'full' | 'short' | 'none';
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly places: ReadonlyMap<string, Place>;
}

const MARGIN = 10;
const TOP = 12;
const CELL = 14;
const LINE_OF_HOSTS = 92;
const MOST_HOSTS = 48;

/** `width` in pixels. */
export function layOut(nodes: readonly PageNode[], width: number): Layout {
  const of = (role: PageNode['role']) => nodes.filter((node) => node.role === role).map(({ name }) => name);
  const places = new Map<string, Place>();
  const inner = width - 2 * MARGIN;
  const spines = row(of('spine'), { y: TOP, inner }, places);
  const gap = Math.round(Math.min(290, Math.max(170, width * 0.26)));
  const leaves = row(of('leaf'), { y: spines + gap, inner }, places);
  const behind = of('leaf').flatMap((leaf) => nodes.filter((node) => node.leaf === leaf).map(({ name }) => name));
  const hosts = behind.length > 0 ? behind : of('host');
  const hasRoom = hosts.length > 0 && hosts.length <= MOST_HOSTS && inner / hosts.length >= 34;
  const bottom = hasRoom ? row(hosts, { y: leaves + LINE_OF_HOSTS, inner }, places) : leaves;
  return { width, height: bottom + TOP, places };
}

/** Returns where the row ends. */
function row(names: readonly string[], { y, inner }: { y: number; inner: number }, places: Map<string, Place>): number {
  const pitch = inner / Math.max(1, names.length);
  if (pitch < 30) return cells(names, { y, inner }, places);
  const full = pitch >= 64;
  const [width, height] = full ? [Math.min(112, pitch - 8), 36] : [pitch - 5, 32];
  for (const [index, name] of names.entries()) {
    const x = MARGIN + (index + 0.5) * pitch - width / 2;
    places.set(name, { x, y, width, height, label: full ? 'full' : 'short' });
  }
  return y + height;
}

function cells(
  names: readonly string[],
  { y, inner }: { y: number; inner: number },
  places: Map<string, Place>,
): number {
  const most = Math.max(1, Math.floor(inner / CELL));
  const rows = Math.ceil(names.length / most);
  const columns = Math.ceil(names.length / rows);
  const left = MARGIN + (inner - columns * CELL) / 2;
  const size = CELL - 4;
  for (const [index, name] of names.entries()) {
    const [column, line] = [index % columns, Math.floor(index / columns)];
    places.set(name, { x: left + column * CELL + 2, y: y + line * CELL, width: size, height: size, label: 'none' });
  }
  return y + rows * CELL;
}

/** `s12` of `spine12`. */
export function shortName(name: string): string {
  const [, word = name, number = ''] = /^([a-z])[a-z]*[-_]?(\d.*)?$/i.exec(name) ?? [];
  return number === '' ? name.slice(0, 4) : `${word}${number}`;
}
