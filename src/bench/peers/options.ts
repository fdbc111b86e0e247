/** The command line of `npm run bench:peers`. Pure. */
import { parseArgs } from 'node:util';
import { chosen, parseRounds, understood, wholeNumber } from '../../app/option-values.js';
import { PEERS, type PeerName } from './subjects.js';
import { smaller, WORKLOADS, type Workload } from './workloads.js';

export interface Options {
  readonly workloads: readonly Workload[];
  readonly rounds: number;
  /** The workloads are smaller than their titles say. */
  readonly quick: boolean;
  readonly peers: readonly PeerName[];
  /** Seconds after which somebody is given up at a workload. */
  readonly limit: number;
  /** File for the tables, as a part of it. */
  readonly report: string | undefined;
  /** Of the lab, part of the namespaces' names. */
  readonly name: string;
}

export const USAGE = [
  'usage: npm run bench:peers -- [--workloads NAME,...] [--rounds 3] [--peers frr,bird,gobgp,node] [--limit 60] [--quick] [--report FILE] [--name peer-bench]',
  '',
  ...WORKLOADS.map(({ name, title }) => `  ${name.padEnd(18)}${title}`),
  '',
  `  --peers     of ${PEERS.join(', ')} (bird is BIRD 2, bird3 BIRD 3, node the least that\n              Node itself takes for an UPDATE to an idle router); "" for heddle alone`,
  '  --limit     seconds after which somebody is given up at a workload',
  '  --quick     one round, a hundredth of the routes',
  '  --report    puts the tables into FILE, between marks; all else in it stays',
].join('\n');

/** Throws OptionError. */
export function parseOptions(parameters: readonly string[]): Options {
  return understood(() => parse(parameters));
}

function parse(parameters: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      workloads: { type: 'string', default: WORKLOADS.map(({ name }) => name).join() },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      peers: { type: 'string', default: 'frr,bird,gobgp,node' },
      limit: { type: 'string', default: '60' },
      report: { type: 'string' },
      name: { type: 'string', default: 'peer-bench' },
    },
  });
  const rounds = parseRounds(values.rounds ?? (values.quick ? '1' : '3'));
  const names = chosen(
    'workloads',
    values.workloads,
    WORKLOADS.map(({ name }) => name),
  );
  const workloads = WORKLOADS.filter(({ name }) => names.includes(name));
  return {
    workloads: values.quick ? workloads.map(smaller) : workloads,
    rounds,
    quick: values.quick,
    peers: chosen('peers', values.peers, PEERS),
    limit: wholeNumber('limit', values.limit, { least: 1 }),
    report: values.report,
    name: values.name,
  };
}
