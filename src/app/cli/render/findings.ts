/** What explains the results of a study, for the terminal. Pure. */
import type { Finding } from '../../sim/findings/evidence.js';
import type { Paint } from './paint.js';
import { wrapped } from './table.js';

/** A paragraph a finding, the scheme's name before the first of its own. */
export function renderFindings(
  findings: readonly Finding[],
  { width, paint }: { readonly width: number; readonly paint: Paint },
): string[] {
  const indent = Math.max(0, ...findings.map(({ scheme }) => (scheme ?? '').length));
  return findings.flatMap(({ scheme, text }, index) => {
    if (scheme === undefined) return wrapped(text, width).map(paint.strong);
    const isFirst = findings[index - 1]?.scheme !== scheme;
    return wrapped(text, width - indent - 2).map((line, place) => {
      const name = isFirst && place === 0 ? scheme : '';
      return `${paint.strong(name)}${' '.repeat(indent - name.length)}  ${line}`;
    });
  });
}
