/** What the commands print to, and how: plain through a pipe, in colour on a terminal. */
import { ansiPaint, type Paint, plainPaint } from './render/paint.js';

/** Columns when the output is no terminal: long lines are the reader's business. */
const UNLIMITED = 10_000;

export function print(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** The same for an array that comes some items at a time. */
export async function printJsonArray(pieces: AsyncIterable<readonly unknown[]>): Promise<void> {
  let before = '[\n';
  for await (const items of pieces) {
    if (items.length === 0) continue;
    // Without the brackets and their line ends.
    process.stdout.write(before + JSON.stringify(items, null, 2).slice(2, -2));
    before = ',\n';
  }
  process.stdout.write(before === '[\n' ? '[]\n' : '\n]\n');
}

/** To standard error. */
export function complain(lines: readonly string[]): void {
  process.stderr.write(lines.map((line) => `${line}\n`).join(''));
}

export const COLOUR_CHOICES = ['auto', 'always', 'never'] as const;
export type ColourChoice = (typeof COLOUR_CHOICES)[number];

let colourChoice: ColourChoice = 'auto';

/** What `--color` says, before anything is printed. */
export function chooseColours(choice: ColourChoice): void {
  colourChoice = choice;
}

/** Left to itself, colour only on a terminal, and not with NO_COLOR (https://no-color.org) or TERM=dumb. */
export function terminalPaint(): Paint {
  if (colourChoice !== 'auto') return colourChoice === 'always' ? ansiPaint : plainPaint;
  const wanted = process.stdout.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  return wanted ? ansiPaint : plainPaint;
}

export function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns || 80 : UNLIMITED;
}

/**
 * A reader that leaves early (`heddle show routes | head`) is no error; a log that nobody reads any more does not end
 * a daemon.
 */
export function tolerateClosedOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
  process.stderr.on('error', () => {});
}
