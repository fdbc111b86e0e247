import { describe, expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { AsPathRegex } from './as-path-regex.js';

function matches(expression: string, path: string): boolean {
  const regex = AsPathRegex.parse(expression);
  if (!(regex instanceof AsPathRegex)) throw new Error(`${expression}: ${regex.problem}`);
  return regex.matches(path);
}

describe('an AS path expression', () => {
  it.each([
    ['^$', '', true],
    ['^$', '65001', false],
    ['_65001_', '65001', true],
    ['_65001_', '1 65001 2', true],
    ['_65001_', '165001', false],
    ['_65001_', '650011', false],
    ['_65001_', '{65001,65002}', true],
    ['_65002_', '{65001,65002}', true],
    ['^65001', '65001 65002', true],
    ['^65001_', '650010 65002', false],
    ['65002$', '65001 65002', true],
    ['_65002$', '65001 165002', false],
    ['^^_65001_$$', '65001', true],
    ['^65001 65002$', '65001 65002', true],
    ['^65001_65002$', '65001 65002', true],
    ['^(65001|65002)_[0-9]+$', '65002 7', true],
    ['^(65001|65002)_[0-9]+$', '65003 7', false],
    ['^6500[1-4]$', '65004', true],
    ['^6500[^1-4]$', '65004', false],
    ['^65\\d{3}$', '65004', true],
    ['^(65001 ?){2,3}$', '65001 65001', true],
    ['^(65001 ?){2,3}$', '65001', false],
    ['^(65001 ?){2,3}$', '65001 65001 65001 65001', false],
    ['.*', '', true],
    ['^.+$', '', false],
    ['\\{1', '{1,2}', true],
    ['a|', '', true],
    ['^(1*)*$', '1111', true],
    ['[]1]', '1', true],
  ])('%s on "%s": %s', (expression, path, expected) => {
    expect(matches(expression, path)).toBe(expected);
  });

  it('answers as the language of JavaScript does, on expressions that both know', () => {
    const atoms = ['1', '2', ' ', '.', '[12]', '[^1]', '^', '$', '(1|2)', '(1 )', '(|2)'];
    const atom = fc.tuple(fc.constantFrom(...atoms), fc.constantFrom('', '', '*', '+', '?', '{1,2}'));
    const usable = atom.filter(([base, suffix]) => suffix === '' || !['^', '$'].includes(base));
    const path = fc.array(fc.constantFrom('1', '2', '12', '21'), { maxLength: 5 }).map((asns) => asns.join(' '));
    fc.assert(
      fc.property(fc.array(usable, { maxLength: 6 }), path, (parts, text) => {
        const expression = parts.map(([base, suffix]) => base + suffix).join('');
        expect(matches(expression, text), `${expression} on ${text}`).toBe(new RegExp(expression).test(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('takes linear time on a path that was chosen to hurt a backtracking matcher', () => {
    const path = `${'1 '.repeat(30_000)}x`;
    expect(matches('^(([0-9]+)* ?)*$', path)).toBe(false);
  });

  it('stays right when a path needs more states than are kept', () => {
    const expression = `1.{14}$`;
    const text = (seed: number) =>
      Array.from({ length: 3000 }, (_, i) => ((i * i * seed) % 7 < 3 ? '1' : '2')).join('');
    for (const seed of [1, 3, 5]) expect(matches(expression, text(seed))).toBe(new RegExp(expression).test(text(seed)));
  });

  it.each([
    ['(65001', 'a ( that is not closed', 0],
    ['65001)', 'a ) that closes nothing', 5],
    ['^[0-9', 'a [ that is not closed', 1],
    ['*1', 'nothing before * that could repeat', 0],
    ['1{a}', 'expected {m}, {m,} or {m,n}', 1],
    ['1{3,2}', '{3,2} is no possible count', 1],
    ['[9-0]', '9-0 is no range', 1],
    ['1\\', 'a \\ at the end', 1],
    ['\\w', '\\w has no meaning here', 0],
    [`${'('.repeat(60)}1`, 'groups nested too deep', 51],
    ['((1{255}){255}){255}', 'too large once its counts are written out', 0],
  ])('%s is refused: %s', (expression, problem, at) => {
    expect(AsPathRegex.parse(expression)).toEqual({ problem, at });
  });
});
