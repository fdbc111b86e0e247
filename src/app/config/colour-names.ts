/** The names people draw fabric colours with. Only the number is sent; a name is another way to write it. */
import type { Colour } from '../../core/speaker/config.js';

export const COLOUR_NAMES: readonly string[] = ['green', 'blue', 'red', 'orange'];

/** `green` is 1, and so on; `undefined` when it is no name of a colour. */
export function colourOfName(name: string): Colour | undefined {
  const index = COLOUR_NAMES.indexOf(name);
  return index < 0 ? undefined : index + 1;
}

/** `undefined` for colours that have only a number. */
export function colourName(colour: Colour): string | undefined {
  return COLOUR_NAMES[colour - 1];
}

/** `1 (green)`, or `7`. */
export function formatColour(colour: Colour): string {
  const name = colourName(colour);
  return name === undefined ? String(colour) : `${colour} (${name})`;
}
