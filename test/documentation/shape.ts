/**
 * Whether a command printed what a page says: line by line, as far as it can be the same in two runs. `...` stands for anything in a line, and for any number of
 * lines where it is alone. Times, link-local and SLAAC addresses, and numbers of three digits and more stand for any of their kind, but AS numbers of labs
 * (650xx, 651xx) for themselves. Blanks count as one. Next hops of one route come in any order.
 */

/** Undefined when it did; else the line of the page that nothing fits, or what is printed beyond the page. */
export function misfit(expected: readonly string[], printed: readonly string[]): string | undefined {
  const wanted = inOrder(expected);
  const found = inOrder(printed);
  let furthest = 0;
  const fits = (at: number, line: number): boolean => {
    furthest = Math.max(furthest, at);
    const text = wanted[at];
    if (text === undefined) return line === found.length;
    if (text === '...')
      return found.slice(line).some((_, skipped) => fits(at + 1, line + skipped)) || fits(at + 1, found.length);
    return line < found.length && patternOf(text).test(found[line] ?? '') && fits(at + 1, line + 1);
  };
  if (fits(0, 0)) return undefined;
  return wanted[furthest] ?? 'nothing more';
}

/** Trimmed, without empty lines at the end; next hops that follow each other by device. */
function inOrder(lines: readonly string[]): readonly string[] {
  const trimmed = lines.map((line) => line.trim().replace(/\s+/g, ' '));
  while (trimmed.at(-1) === '') trimmed.pop();
  const isHop = (line: string) => line.startsWith('nexthop ');
  const device = (line: string) => / dev (\S+)/.exec(line)?.[1] ?? '';
  const sorted: string[] = [];
  for (let at = 0; at < trimmed.length; ) {
    let end = at;
    while (end < trimmed.length && isHop(trimmed[end] ?? '')) end += 1;
    sorted.push(...trimmed.slice(at, end).sort((a, b) => device(a).localeCompare(device(b))));
    if (end === at) sorted.push(trimmed[end++] ?? '');
    at = end;
  }
  return sorted;
}

/** In the order in which they are looked for: what varies, and what it stands for. */
const KINDS: readonly (readonly [found: string, any: string])[] = [
  ['\\.\\.\\.', '.*'],
  ['\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z', '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z'],
  ['fe80::[0-9a-f:]+', 'fe80::[0-9a-f:]+'],
  ['(?:[0-9a-f]{1,4}:){2}[0-9a-f]{0,2}ff:fe[0-9a-f]{2}:[0-9a-f]{1,4}', '[0-9a-f:]+'],
  ['\\b(?:\\d+(?:\\.\\d+)? ?(?:ms|s|m|min|h|d)\\b ?)+', '(?:\\d+(?:\\.\\d+)? ?(?:ms|s|m|min|h|d) ?)+'],
  ['\\b65[01]\\d\\d\\b', ''],
  ['(?<![0-9a-f:.])\\d{3,}(?:\\.\\d+)?(?![0-9a-f:.]*:)', '\\d+(?:\\.\\d+)?'],
];

const VARIES = new RegExp(KINDS.map(([found]) => `(${found})`).join('|'), 'g');

function patternOf(line: string): RegExp {
  let pattern = '';
  let from = 0;
  for (const match of line.matchAll(VARIES)) {
    const kind = match.slice(1).findIndex((group) => group !== undefined);
    pattern += literal(line.slice(from, match.index)) + (KINDS[kind]?.[1] || literal(match[0]));
    from = match.index + match[0].length;
  }
  return new RegExp(`^${pattern}${literal(line.slice(from))}$`);
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
