/** The command line of `npm run bench:fib`. Pure. */
import { parseArgs } from 'node:util';
import { chosen, parseRounds, understood } from '../../app/option-values.js';
import { ROWS, type RowName } from './rows.js';

export const PEERS = ['frr', 'bird', 'bird3'] as const;
export type PeerName = (typeof PEERS)[number];

export interface Options {
  readonly rows: readonly RowName[];
  readonly rounds: number;
  readonly peers: readonly PeerName[];
  readonly quick: boolean;
  /** File for the tables, as a part of it, with the command, the machine and the versions. */
  readonly report: string | undefined;
  /** Of the lab, part of the namespaces' names. */
  readonly name: string;
}

export const USAGE = `usage: npm run bench:fib -- [--rows a,b,c,d,e] [--rounds 3] [--peers frr,bird] [--quick] [--report FILE] [--name fib-bench]

  a  the leaf's own link goes down        d  restart of the daemon under traffic
  b  a spine's link to the far leaf       e  balance of what is left after a failure
  c  100,000 routes from one peer

  --quick   one round, and no row a at 100,000 prefixes
  --report  puts the tables into FILE, between marks; all else in it stays
  --peers   frr, bird (2), bird3`;

/** Throws OptionError. */
export function parseOptions(parameters: readonly string[]): Options {
  return understood(() => parse(parameters));
}

function parse(parameters: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      rows: { type: 'string', default: ROWS.join() },
      rounds: { type: 'string' },
      peers: { type: 'string', default: 'frr,bird' },
      quick: { type: 'boolean', default: false },
      report: { type: 'string' },
      name: { type: 'string', default: 'fib-bench' },
    },
  });
  const rounds = parseRounds(values.rounds ?? (values.quick ? '1' : '3'));
  return {
    rows: chosen('rows', values.rows, ROWS),
    rounds,
    peers: chosen('peers', values.peers, PEERS),
    quick: values.quick,
    report: values.report,
    name: values.name,
  };
}
