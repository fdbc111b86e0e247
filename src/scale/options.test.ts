import { expect, it } from 'vitest';
import { OptionError } from '../app/option-values.js';
import { parseOptions } from './options.js';
import { linksOf, parseSize, routersOf, sizeText } from './size.js';

it.each([
  ['64x16', 80, 1024],
  ['4*16x4+2', 4 * 20 + 8, 4 * 4 * 18],
] as const)('reads and writes the size %s', (text, routers, links) => {
  const size = parseSize(text, 8);
  expect([sizeText(size), routersOf(size), linksOf(size)]).toEqual([text, routers, links]);
});

it.each([
  ['64', /64 is no size/],
  ['1x4', /fewer than two/],
  ['2*4x4', /several pods need superspines/],
  ['4x4+2', /superspines several pods/],
  ['9999x64', /more than 10000 routers/],
])('refuses the size %s in one line', (text, why) => {
  expect(() => parseOptions(['--sizes', text])).toThrow(OptionError);
  expect(() => parseOptions(['--sizes', text])).toThrow(why);
});

it('refuses numbers and failures that are none', () => {
  expect(() => parseOptions(['--seed', 'x'])).toThrow(/--seed x: expected a whole number from 0/);
  expect(() => parseOptions(['--failures', 'flood'])).toThrow(/flood is none of link, silence/);
});

it('takes a delay in microseconds, and no failures', () => {
  expect(parseOptions(['--delay', '500', '--failures', ''])).toMatchObject({ delay: 0.5, failures: [], checks: 16 });
});

it('takes one mode of DPF or both', () => {
  const named = (...parameters: string[]) => parseOptions(['--sizes', '4x4', ...parameters]).sizes.map(sizeText);
  expect(named()).toEqual(['4x4']);
  expect(named('--mode', 'session')).toEqual(['4x4, session mode']);
  expect(named('--mode', 'policy,session')).toEqual(['4x4', '4x4, session mode']);
  expect(() => named('--mode', 'colour')).toThrow(/colour is none of policy, session/);
});
