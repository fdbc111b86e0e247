/** Colours on a terminal, or none: every renderer takes a Paint and never looks at the terminal itself. */
import type { Colour } from '../../../core/speaker/config.js';

export type Style = (text: string) => string;

export interface Paint {
  readonly strong: Style;
  readonly dim: Style;
  readonly good: Style;
  readonly bad: Style;
  readonly warn: Style;
  /** The terminal colour that stands for a fabric colour. */
  fabric(colour: Colour | null): Style;
}

const asIs: Style = (text) => text;

export const plainPaint: Paint = {
  strong: asIs,
  dim: asIs,
  good: asIs,
  bad: asIs,
  warn: asIs,
  fabric: () => asIs,
};

/** SGR codes: 1 green, 2 blue, 3 red, 4 orange, then magenta, cyan, yellow, pink, and again. */
const FABRIC_CODES = ['32', '94', '91', '38;5;208', '35', '36', '33', '38;5;213'];

function sgr(code: string): Style {
  return (text) => (text === '' ? '' : `\u001b[${code}m${text}\u001b[0m`);
}

export const ansiPaint: Paint = {
  strong: sgr('1'),
  dim: sgr('2'),
  good: sgr('32'),
  bad: sgr('31'),
  warn: sgr('33'),
  fabric(colour) {
    return colour === null || colour < 1 ? asIs : sgr(FABRIC_CODES[(colour - 1) % FABRIC_CODES.length]!);
  },
};
