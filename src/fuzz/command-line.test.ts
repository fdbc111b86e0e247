import { describe, expect, it } from 'vitest';
import { fuzzCommand, USAGE } from './command-line.js';

const SEED = 4711;
const INFINITE = Number.POSITIVE_INFINITY;

describe('fuzzCommand', () => {
  it('runs everything until it is stopped', () => {
    const plan = {
      seed: SEED,
      updates: INFINITE,
      sessions: INFINITE,
      inputs: INFINITE,
      frames: INFINITE,
      minutes: INFINITE,
    };
    expect(fuzzCommand([], SEED)).toEqual({ plan, coverage: false });
  });

  it('leaves out what is not asked for by count, once anything is', () => {
    expect(fuzzCommand(['--updates', '100', '--seed', '7606'], SEED)).toMatchObject({
      plan: { seed: 7606, updates: 100, sessions: 0, inputs: 0, frames: 0 },
    });
    expect(fuzzCommand(['--decoder', 'netlink'], SEED)).toMatchObject({ plan: { updates: 0, inputs: INFINITE } });
  });

  it('asks for help beside anything else', () => {
    expect(fuzzCommand(['--help'], SEED)).toBe('help');
    expect(fuzzCommand(['--seed', 'x', '--help'], SEED)).toBe('help');
  });

  it.each([
    [['--seed', 'x'], '--seed x: expected a whole number from 0'],
    [['--minutes', '-1'], "'--minutes' argument is ambiguous"],
    [['--decoder', 'ospf'], 'no decoder ospf'],
    [['--spead', '1'], "Unknown option '--spead'"],
  ])('refuses %j', (words, message) => {
    expect(() => fuzzCommand(words, SEED)).toThrow(message);
  });

  it('has every example of its usage right', () => {
    const examples = [...USAGE.matchAll(/^ {2}npm run fuzz(?: -- (.+))?$/gm)].map(([, words = '']) => words);
    expect(examples.length).toBeGreaterThan(2);
    for (const words of examples)
      expect(fuzzCommand(words.split(' ').filter(Boolean), SEED)).toMatchObject({ coverage: false });
  });
});
