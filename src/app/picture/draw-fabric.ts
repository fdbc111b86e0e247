/**
 * A fabric as an SVG picture: spines, leaves, hosts and links, the ways of the colours as ribbons over the links that carry them, as
 * wide as their share, what has failed dashed and crossed. Pure.
 */
import { curve, pointOf } from './curve.js';
import type { FabricPicture, PictureLink, PicturePanel, PictureWay } from './fabric-picture.js';
import { type Box, layOut, type PanelLayout, type Point } from './layout.js';
import { colourClass, colourLabel, styleSheet } from './style.js';
import { element, escaped } from './svg.js';

const EDGE = 24;
const TITLE = 52;
const PANEL_TITLE = 34;
const LINE = 20;
/** About as wide as a letter is. */
const LETTER = 7.4;
const GUTTER = 28;
/** Wider ones stand below each other. */
const WIDEST_ROW = 1700;

export function drawFabric({ title, panels }: FabricPicture): string {
  const drawn = panels.map(drawPanel);
  const beside = drawn.reduce((sum, { width }) => sum + width + GUTTER, -GUTTER) <= WIDEST_ROW;
  const placed: string[] = [];
  let at: Point = { x: EDGE, y: TITLE };
  let size: Point = { x: 0, y: 0 };
  for (const panel of drawn) {
    placed.push(element('g', { transform: `translate(${at.x} ${at.y})` }, panel.content));
    size = { x: Math.max(size.x, at.x + panel.width), y: Math.max(size.y, at.y + panel.height) };
    at = beside ? { x: at.x + panel.width + GUTTER, y: at.y } : { x: at.x, y: at.y + panel.height + GUTTER };
  }
  const [width, height] = [Math.ceil(size.x + EDGE), Math.ceil(size.y + EDGE)];
  const picture = element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img' },
    [
      element('title', {}, escaped(title)),
      element('desc', {}, escaped(panels.map(described).join(' '))),
      element('style', {}, styleSheet()),
      element('rect', { class: 'paper', x: 0, y: 0, width, height }),
      element('text', { class: 'title', x: EDGE, y: 32 }, escaped(title)),
      ...placed,
    ],
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${picture}\n`;
}

/** For those who hear the picture. */
function described({ title, links, ways }: PicturePanel): string {
  const failed = links.filter(({ up }) => !up).map(({ name }) => name);
  const down = failed.length === 0 ? '' : ` Failed: ${failed.join(', ')}.`;
  return `${title}: ${ways.map(({ label }) => label).join('; ')}.${down}`;
}

interface DrawnPanel {
  readonly width: number;
  readonly height: number;
  readonly content: readonly string[];
}

function drawPanel(panel: PicturePanel): DrawnPanel {
  const layout = layOut(panel);
  const legend = [...panel.ways.map(legendLine), ...(panel.notes ?? []).map(noteLine)];
  const top = PANEL_TITLE + layout.height + 18;
  const texts = [panel.title, ...panel.ways.map(({ label }) => `${label} 12345 (orange)`), ...(panel.notes ?? [])];
  return {
    width: Math.max(layout.width, ...texts.map((text) => text.length * LETTER)),
    height: top + legend.length * LINE,
    content: [
      element('text', { class: 'panel', x: 0, y: 18 }, escaped(panel.title)),
      element('g', { transform: `translate(0 ${PANEL_TITLE})` }, [
        ...panel.links.map((link) => linkLine(link, layout)),
        ...ribbons(panel, layout),
        ...nodes(panel, layout),
        ...tags(panel, layout),
        ...loadTexts(panel, layout),
      ]),
      ...legend.map((line, index) => element('g', { transform: `translate(0 ${top + index * LINE})` }, line)),
    ],
  };
}

function legendLine({ colour, label }: PictureWay): string[] {
  return [
    element('path', { class: `way ${colourClass(colour)}`, d: 'M4 -4H30', 'stroke-width': 6 }),
    element('text', { x: 40, y: 0 }, escaped(`${colourLabel(colour)}: ${label}`)),
  ];
}

function noteLine(note: string): string[] {
  return [element('text', { class: 'quiet small', x: 4, y: 0 }, escaped(note))];
}

function linkLine(link: PictureLink, { ends }: PanelLayout): string {
  const at = ends.get(link.name);
  if (!at) return '';
  if (link.up) return element('path', { class: 'link', d: curve(at) }, element('title', {}, escaped(link.name)));
  const { x, y } = pointOf(at, 0.5);
  const cross = `M${x - 6} ${y - 6}L${x + 6} ${y + 6}M${x + 6} ${y - 6}L${x - 6} ${y + 6}`;
  return element('g', {}, [
    element('title', {}, escaped(`${link.name}: failed`)),
    element('path', { class: 'down', d: curve(at) }),
    element('path', { class: 'cross', d: cross }),
  ]);
}

const FULL_WIDTH = 7;
const LEAST_WIDTH = 1.6;
const RIBBON_GAP = 1.5;

interface Ribbon {
  readonly way: PictureWay;
  readonly link: string;
  readonly width: number;
  readonly shift: number;
}

/** Ribbons of one link beside each other, in the order of the ways. */
function ribbonsOf(panel: PicturePanel): Ribbon[] {
  return panel.links.flatMap(({ name }) => {
    const parts = panel.ways.flatMap((way) => {
      const share = way.uses.filter(({ link }) => link === name).reduce((sum, use) => sum + use.share, 0);
      return share > 0 ? [{ way, width: Math.max(LEAST_WIDTH, FULL_WIDTH * Math.min(1, share)) }] : [];
    });
    const whole = parts.reduce((sum, { width }) => sum + width + RIBBON_GAP, -RIBBON_GAP);
    let left = -whole / 2;
    return parts.map(({ way, width }): Ribbon => {
      const shift = left + width / 2;
      left += width + RIBBON_GAP;
      return { way, link: name, width, shift };
    });
  });
}

function ribbons(panel: PicturePanel, { ends }: PanelLayout): string[] {
  return ribbonsOf(panel).flatMap(({ way, link, width, shift }) => {
    const at = ends.get(link);
    if (!at) return [];
    const title = element('title', {}, escaped(`${colourLabel(way.colour)}: ${way.label}`));
    return [
      element('path', { class: `way ${colourClass(way.colour)}`, d: curve(at, shift), 'stroke-width': width }, title),
    ];
  });
}

const MOST_TAGS = 24;

/** The number of its colour on every ribbon between leaf and spine. */
function tags(panel: PicturePanel, { ends }: PanelLayout): string[] {
  const hosts = new Set(panel.hosts.map(({ name }) => name));
  const inside = new Set(panel.links.filter(({ b }) => !hosts.has(b)).map(({ name }) => name));
  const drawn = ribbonsOf(panel).filter(({ link }) => inside.has(link));
  // Where there is no room for all, those of whole ways.
  const all = drawn.length <= MOST_TAGS ? drawn : drawn.filter(({ width }) => width > FULL_WIDTH / 2);
  return all.flatMap(({ way, link }) => {
    const at = ends.get(link);
    if (!at) return [];
    const mine = all.filter((ribbon) => ribbon.link === link);
    const place = mine.findIndex((ribbon) => ribbon.way === way) - (mine.length - 1) / 2;
    const { x, y } = pointOf(at, 0.7);
    const spot = { cx: x + place * 17, cy: y };
    return [
      element('circle', { class: `spot ${colourClass(way.colour)}`, ...spot, r: 8, 'stroke-width': 1.5 }),
      element('text', { class: 'tag', x: spot.cx, y: spot.cy + 3.8 }, escaped(String(way.colour))),
    ];
  });
}

function nodes(panel: PicturePanel, { boxes }: PanelLayout): string[] {
  const drawn = (name: string, box: Box | undefined): string[] => {
    if (!box) return [];
    const links = panel.links.filter(({ a, b }) => a === name || b === name);
    const gone = links.length > 0 && links.every(({ up }) => !up);
    const { x, y, width, height } = box;
    return [
      element('rect', { class: gone ? 'gone' : 'node', x, y, width, height, rx: 7 }),
      element('text', { class: gone ? 'name lost' : 'name', x: x + width / 2, y: y + height / 2 + 4.6 }, escaped(name)),
    ];
  };
  return [...boxes].flatMap(([name, box]) => drawn(name, box));
}

function loadTexts(panel: PicturePanel, layout: PanelLayout): string[] {
  const seen = new Map<string, number>();
  return panel.links.flatMap((link) => {
    const index = seen.get(link.b) ?? 0;
    seen.set(link.b, index + 1);
    return loadText(link, index, layout);
  });
}

/** Near the upper end; those of neighbouring links at different heights. */
function loadText({ name, load }: PictureLink, index: number, { ends }: PanelLayout): string[] {
  const at = ends.get(name);
  if (!at || load === undefined) return [];
  const { x, y } = pointOf(at, index % 2 === 0 ? 0.13 : 0.24);
  const width = 8 + load.length * 6.2;
  return [
    element('rect', { class: 'pill', x: x - width / 2, y: y - 8, width, height: 16, rx: 8 }),
    element('text', { class: 'load', x, y: y + 3.8 }, escaped(load)),
  ];
}
