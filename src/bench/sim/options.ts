/** The command line of `npm run bench:sim`. Pure. */
import { parseArgs } from 'node:util';
import { chosen, parseRounds, understood } from '../../app/option-values.js';
import { type SimWorkload, WORKLOADS } from './workloads.js';

export interface Options {
  readonly workloads: readonly SimWorkload[];
  readonly rounds: number;
  /** File for the table, as a part of it, with the command and the machine; undefined: nowhere. */
  readonly report: string | undefined;
}

const NAMES = WORKLOADS.map(({ name }) => name);

export const USAGE = `usage: npm run bench:sim -- [--workloads ${NAMES.join(',')}] [--rounds 3] [--report FILE]

  --report  puts the tables into FILE, between marks; all else in it stays (docs/simulator-performance.md)`;

/** Throws OptionError. */
export function parseOptions(parameters: readonly string[]): Options {
  return understood(() => {
    const { values } = parseArgs({
      args: [...parameters],
      options: {
        workloads: { type: 'string', default: NAMES.join() },
        rounds: { type: 'string', default: '3' },
        report: { type: 'string' },
      },
    });
    const names = chosen('workloads', values.workloads, NAMES);
    return {
      workloads: WORKLOADS.filter(({ name }) => names.includes(name)),
      rounds: parseRounds(values.rounds),
      report: values.report,
    };
  });
}
