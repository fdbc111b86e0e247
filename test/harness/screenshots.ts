/**
 * Screenshots against those that were looked at and kept. Letters are left out of them: fonts differ between machines. `HEDDLE_SCREENSHOTS=keep` keeps
 * what is seen now.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pixelmatch from 'pixelmatch';
import type { Locator } from 'playwright-core';
import { PNG } from 'pngjs';

const FOLDER = new URL('../screenshots/', import.meta.url).pathname;
/** How far a colour may be off, of 1; and how many pixels, of all: edges are smoothed a little differently by each version of a browser. */
const COLOUR_TOLERANCE = 0.15;
const MOST_DIFFERENT = 0.004;
/** Letters, and what moves. */
const STYLE = 'text, .figure, .dashes { visibility: hidden !important; }';

/** Undefined when it looks as the one that was kept; else how much is different, and where both are to be seen. */
export async function differsFromKept(name: string, element: Locator, seenAt: string): Promise<string | undefined> {
  const seen = await element.screenshot({ animations: 'disabled', style: STYLE, timeout: 120_000 });
  const kept = join(FOLDER, `${name}.png`);
  if (process.env.HEDDLE_SCREENSHOTS === 'keep') {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(kept, seen);
  }
  if (!existsSync(kept)) return `there is no ${kept}: HEDDLE_SCREENSHOTS=keep makes it`;
  const [before, now] = [PNG.sync.read(readFileSync(kept)), PNG.sync.read(seen)];
  const { width, height } = before;
  if (now.width !== width || now.height !== height)
    return `${name} is ${now.width} x ${now.height}, not ${width} x ${height}`;
  const difference = new PNG({ width, height });
  const options = { threshold: COLOUR_TOLERANCE };
  const share = pixelmatch(before.data, now.data, difference.data, width, height, options) / (width * height);
  if (share <= MOST_DIFFERENT) return undefined;
  writeFileSync(join(seenAt, `${name}.png`), seen);
  writeFileSync(join(seenAt, `${name}.difference.png`), PNG.sync.write(difference));
  return `${name}: ${(100 * share).toFixed(1)} % of the pixels are different (${seenAt})`;
}
