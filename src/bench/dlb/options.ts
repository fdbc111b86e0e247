/** The command line of `npm run bench:dlb`. Pure. */
import { parseArgs } from 'node:util';
import { chosen, parseRounds, understood } from '../../app/option-values.js';
import { ROWS, type RowName } from './subjects.js';

export interface Options {
  readonly rows: readonly RowName[];
  readonly rounds: number;
  /** File for the tables, as a part of it. */
  readonly report: string | undefined;
  /** Of the network namespace. */
  readonly name: string;
}

export const USAGE = `usage: npm run bench:dlb -- [--rows cost,rate,balance,reorder,gap] [--rounds 5] [--report FILE] [--name dlb-bench]

  cost  nanoseconds that a decision takes, as the kernel measures its programs
  rate  packets a second from one veth to another, on one core: the plane and the kernel's own forwarding
  balance  sixteen paced flows over three limited links: the plane, the kernel's ECMP and its resilient group
  reorder  packets that arrive after later ones, over links of which one is slow
  gap   probes lost, one every 100 us, when the preferred link fails: the plane, the kernel's routes, FRR

  balance, reorder and gap need FRR, which is installed where it is missing (scripts/peers-install), and are measured in two rounds at most

  --report  puts the tables into FILE, between marks; all else in it stays`;

/** Throws OptionError. */
export function parseOptions(parameters: readonly string[]): Options {
  return understood(() => {
    const { values } = parseArgs({
      args: [...parameters],
      options: {
        rows: { type: 'string', default: ROWS.join() },
        rounds: { type: 'string', default: '5' },
        report: { type: 'string' },
        name: { type: 'string', default: 'dlb-bench' },
      },
    });
    const { report, name } = values;
    return { rows: chosen('rows', values.rows, ROWS), rounds: parseRounds(values.rounds), report, name };
  });
}
