import { describe, expect, it } from 'vitest';
import { parseConfig } from './parse-config.js';

const HEAD = 'name: leaf1\nrole: leaf\nas: 65101\n';

function bfd(text: string) {
  const parsed = parseConfig(`${HEAD}${text}`);
  return parsed.config
    ? parsed.config.speaker.fabric.map((link) => link.bfd)
    : parsed.problems.map((one) => one.message);
}

describe('BFD in a configuration', () => {
  it('is off unless it is asked for', () => {
    expect(bfd('fabric: {up1: }')).toEqual([undefined]);
    expect(bfd('fabric: {up1: {bfd: false}}\nbfd: true')).toEqual([undefined]);
  });

  it('has defaults, values for all interfaces, and values of one of them', () => {
    expect(bfd('fabric: {up1: {bfd: true}, up2: }')).toEqual([
      { interval: 300, multiplier: 3, strict: false },
      undefined,
    ]);
    expect(bfd('bfd: {interval: 100, strict: true}\nfabric: {up1: , up2: {bfd: {interval: 50}}}')).toEqual([
      { interval: 100, multiplier: 3, strict: true },
      { interval: 50, multiplier: 3, strict: true },
    ]);
  });

  it.each([
    ['bfd: {interval: 5}', 'bfd.interval: expected milliseconds, 10 to 60000, found 5'],
    ['bfd: {multiplier: 0}', 'bfd.multiplier: expected a whole number, 1 to 255, found 0'],
    ['bfd: {intervall: 50}', 'bfd.intervall: unknown key; did you mean interval?'],
    ['bfd: fast', 'bfd: expected true, false, or a mapping of interval, multiplier, strict, found "fast"'],
  ])('%s is refused', (text, message) => {
    expect(bfd(`fabric: {up1: }\n${text}`)).toEqual([message]);
  });
});
