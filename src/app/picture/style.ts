/**
 * How pictures look, on light and on dark paper. Fabric colours are those of Okabe and Ito, which people with any colour vision tell
 * apart, in the order of heddle's names (1 green, 2 blue, 3 red, 4 orange, and on); every way is also labelled with its number.
 */
import { formatColour } from '../config/colour-names.js';

const LIGHT = ['#009e73', '#0072b2', '#d55e00', '#e69f00', '#b5548a', '#3a9bd9', '#9a8b00', '#555b66'];
const DARK = ['#2fc79b', '#4fa8e0', '#ff8a4c', '#f2b632', '#e392bf', '#8ccbf2', '#d9ca3a', '#aab2bf'];

interface Paper {
  readonly paper: string;
  readonly ink: string;
  readonly quiet: string;
  readonly line: string;
  readonly node: string;
  readonly failed: string;
  readonly colours: readonly string[];
}

const PAPERS: Readonly<Record<'light' | 'dark', Paper>> = {
  light: {
    paper: '#ffffff',
    ink: '#1d232b',
    quiet: '#5c6672',
    line: '#c3cad3',
    node: '#f3f5f8',
    failed: '#b42318',
    colours: LIGHT,
  },
  dark: {
    paper: '#12161c',
    ink: '#e8ecf1',
    quiet: '#9aa5b1',
    line: '#46505c',
    node: '#1e252e',
    failed: '#ff8a80',
    colours: DARK,
  },
};

/** The colours themselves, on light or dark paper. */
export function wayColours(dark: boolean): readonly string[] {
  return dark ? DARK : LIGHT;
}

/** Class of a fabric colour; after eight they begin again. */
export function colourClass(colour: number): string {
  return `c${(((colour - 1) % LIGHT.length) + LIGHT.length) % LIGHT.length}`;
}

/** `1 green`. */
export const colourLabel = formatColour;

export function styleSheet(): string {
  const common = [
    'text{font-family:system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;font-size:13px}',
    '.title{font-size:19px;font-weight:600}.panel{font-size:15px;font-weight:600}',
    '.name{text-anchor:middle;font-weight:600}.small{font-size:11.5px}',
    '.load{font-size:11px;text-anchor:middle}',
    '.tag{font-size:10.5px;font-weight:700;text-anchor:middle}',
    '.way{fill:none;stroke-linecap:round}.link{fill:none;stroke-width:1.6}',
    '.down{fill:none;stroke-width:1.8;stroke-dasharray:6 5}.cross{fill:none;stroke-width:2.6;stroke-linecap:round}',
    '.node{stroke-width:1.4}.gone{stroke-width:1.4;stroke-dasharray:5 4}',
  ];
  return `${common.join('')}${colours(PAPERS.light)}@media (prefers-color-scheme:dark){${colours(PAPERS.dark)}}`;
}

function colours({ paper, ink, quiet, line, node, failed, colours: ways }: Paper): string {
  return [
    `.paper{fill:${paper}}text{fill:${ink}}.quiet{fill:${quiet}}.link{stroke:${line}}`,
    `.node{fill:${node};stroke:${quiet}}.gone{fill:${paper};stroke:${failed}}.down,.cross{stroke:${failed}}.lost{fill:${failed}}`,
    `.pill{fill:${paper};stroke:${line}}.load{fill:${ink}}.tag{fill:${paper}}`,
    ...ways.map((value, index) => `.way.c${index}{stroke:${value}}.spot.c${index}{fill:${value};stroke:${paper}}`),
  ].join('');
}
