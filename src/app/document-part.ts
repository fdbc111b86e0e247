/** Documents that a run writes a part of itself: the part stands between two marks, and all around it is a person's. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Puts the part in the place of the earlier one, or at the end of the file. */
export function writePart(file: string, part: string, text: string): void {
  const known = existsSync(file) ? readFileSync(file, 'utf8') : '';
  writeFileSync(file, withPart(known, part, text));
}

export function withPart(known: string, part: string, text: string): string {
  const begin = `<!-- ${part}: written by the run -->`;
  const end = `<!-- end of ${part} -->`;
  const block = `${begin}\n\n${text.trim()}\n\n${end}`;
  const from = known.indexOf(begin);
  const to = known.indexOf(end, from);
  if (from >= 0 && to > from) return known.slice(0, from) + block + known.slice(to + end.length);
  return known.trim() === '' ? `${block}\n` : `${known.trimEnd()}\n\n${block}\n`;
}
