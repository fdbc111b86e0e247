/** BFD in a configuration file: what holds for every fabric interface, and what one of them says instead. */
import { z } from 'zod';
import type { BfdConfig } from '../../core/speaker/config.js';
import { flag, wholeNumber } from './file-values.js';

const DEFAULTS: BfdConfig = { interval: 300, multiplier: 3, strict: false };

const settings = z.strictObject({
  interval: wholeNumber(10, 60_000, 'milliseconds').optional().describe('Milliseconds between packets. Default: 300.'),
  multiplier: wholeNumber(1, 255).optional().describe('Packets missed before the path counts as broken. Default: 3.'),
  strict: flag()
    .optional()
    .describe('No session before BFD is up, where the neighbour offers that too (capability 74). Default: false.'),
});

export const bfdSettings = z.union(
  [flag(), settings],
  'expected true, false, or a mapping of interval, multiplier, strict',
);
export type BfdSettings = z.output<typeof bfdSettings>;

/** `here` decides whether there is any; its values go before those that hold everywhere. */
export function bfdOf(everywhere: BfdSettings | undefined, here: BfdSettings | undefined): BfdConfig | undefined {
  if ((here ?? everywhere ?? false) === false) return undefined;
  const given = { ...valuesOf(everywhere), ...valuesOf(here) };
  return {
    interval: given.interval ?? DEFAULTS.interval,
    multiplier: given.multiplier ?? DEFAULTS.multiplier,
    strict: given.strict ?? DEFAULTS.strict,
  };
}

function valuesOf(given: BfdSettings | undefined): z.output<typeof settings> {
  return typeof given === 'object' ? given : {};
}
