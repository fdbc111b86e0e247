/** The command line of `npm run scale`. Pure. */
import { parseArgs } from 'node:util';
import { chosen, understood, wholeNumber } from '../app/option-values.js';
import type { ClosSize } from './clos-shape.js';
import { FAILURES, type Failure } from './scale-trial.js';
import { parseSize } from './size.js';

export interface Options {
  readonly sizes: readonly ClosSize[];
  readonly failures: readonly Failure[];
  readonly seed: number;
  /** Milliseconds. */
  readonly delay: number;
  readonly tableDelay: number;
  readonly checks: number;
  readonly json: boolean;
  /** A Markdown file for the tables, as a part of it; pictures go beside it. */
  readonly report: string | undefined;
}

const MODES: readonly ClosSize['mode'][] = ['policy', 'session'];

export const USAGE = [
  'usage: npm run scale -- [--sizes 16x4,32x8] [--prefixes 8] [--mode policy] [--failures NAME,...] [--seed 1] [--check 16] [--json] [--report FILE]',
  '',
  '  --sizes        LEAVESxSPINES, or PODS*LEAVESxSPINES+SUPERSPINES for five stages (superspines of each plane)',
  '  --prefixes     of each leaf, every one with a colour of its own',
  `  --mode         of DPF, ${MODES.join(', ')} or both, as in policy,session: with session, a session carries its own colour alone, and each prefix has one backup colour`,
  `  --failures     of ${FAILURES.join(', ')}; "" for none`,
  '  --delay        microseconds of a cable, one way (10)',
  '  --table-delay  milliseconds until a node works its tables (10); all other work takes no virtual time',
  '  --check        leaves whose forwarding is compared with what it must be, evenly over the fabric',
  '  --json         results as JSON and nothing else',
  '  --report       puts tables into FILE, between marks, and pictures beside it',
  '',
  'examples:',
  '  npm run scale -- --sizes 16x4,64x16,128x32',
  '  npm run scale -- --sizes "4*16x4+2" --failures link,restart',
  '  npm run scale -- --sizes 64x16 --mode policy,session --failures ""',
].join('\n');

/** Of any number that is asked for. */
const MOST = 65_535;

/** Throws OptionError. */
export function parseOptions(parameters: readonly string[]): Options {
  return understood(() => parse(parameters));
}

function parse(parameters: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      sizes: { type: 'string', default: '16x4,32x8' },
      prefixes: { type: 'string', default: '8' },
      mode: { type: 'string', default: 'policy' },
      failures: { type: 'string', default: FAILURES.join() },
      seed: { type: 'string', default: '1' },
      delay: { type: 'string', default: '10' },
      'table-delay': { type: 'string', default: '10' },
      check: { type: 'string', default: '16' },
      json: { type: 'boolean', default: false },
      report: { type: 'string' },
    },
  });
  const prefixes = whole('prefixes', values.prefixes, 1);
  return {
    sizes: chosen('mode', values.mode, MODES).flatMap((mode) =>
      values.sizes.split(',').map((text) => parseSize(text, prefixes, mode)),
    ),
    failures: chosen('failures', values.failures, FAILURES),
    seed: whole('seed', values.seed, 0),
    delay: whole('delay', values.delay, 1) / 1000,
    tableDelay: whole('table-delay', values['table-delay'], 0),
    checks: whole('check', values.check, 1),
    json: values.json,
    report: values.report,
  };
}

function whole(option: string, text: string, least: number): number {
  return wholeNumber(option, text, { least, most: MOST });
}
