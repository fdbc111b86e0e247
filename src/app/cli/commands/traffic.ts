/** `heddle traffic`: RDMA subflows over the fabric of a lab, as real RoCEv2 packets, measured and verified. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { TRAFFIC_PATTERNS, type TrafficPattern } from '../../../core/rlb/bus-bandwidth.js';
import { uplinksOf } from '../../host/host-ports.js';
import { requireNamespaces } from '../../lab/build.js';
import { type Lab, loadLab } from '../../lab/lab.js';
import { parseRate, RATE_EXPECTED } from '../../lab/link-rate.js';
import { livePorts } from '../../traffic/live-ports.js';
import { narrowLinks, PATH_MTUS, packetOctets } from '../../traffic/path-mtu.js';
import { runTraffic } from '../../traffic/run-traffic.js';
import { type TrafficQuestion, WORD } from '../../traffic/traffic-plan.js';
import type { TrafficReport } from '../../traffic/traffic-report.js';
import { examples } from '../examples.js';
import { CommandError, EXIT_CODES_HELP, EXIT_FAILURE, EXIT_USAGE, SilentExit } from '../exit-codes.js';
import { chosenHosts } from '../host-choice.js';
import { octetsText, renderTraffic } from '../render/traffic.js';
import { complain, print, printJson, terminalPaint } from '../terminal.js';
import { wholeNumber } from '../whole-number.js';

interface TrafficOptions {
  readonly pattern: TrafficPattern;
  readonly lab?: string;
  readonly size: number;
  readonly qps?: number;
  readonly rlb: boolean;
  readonly seed: number;
  readonly mtu: number;
  readonly window: number;
  readonly rate?: number;
  readonly ackTimeout: number;
  readonly retries: number;
  readonly reorder: number;
  readonly json?: true;
}

export function register(program: Command): void {
  program
    .command('traffic')
    .description(
      'send RDMA subflows over a lab as RoCEv2 packets: each on its own addresses, and thereby its own uplink',
    )
    .argument('[HOST...]', 'FROM and TO; with another pattern the hosts in the order of the job, default all')
    .addOption(
      new Option('--pattern <PATTERN>', 'who sends to whom').choices(TRAFFIC_PATTERNS).default('send' as const),
    )
    .option('--lab <NAME>', 'which lab, when several are up')
    .option('--size <OCTETS>', 'of the memory of every host; K, M and G are 2^10, 2^20 and 2^30', sizeOption, 2 ** 26)
    .option('--qps <N>', 'queue pairs of a connection; default: one for each uplink', wholeNumber(1, 64))
    .option('--no-rlb', 'all queue pairs on one address, told apart by their source ports: what hashing makes of them')
    .option(
      '--seed <N>',
      'draws queue pair numbers, sequence numbers and the octets that are sent',
      wholeNumber(0, 2 ** 31),
      1,
    )
    .option('--mtu <OCTETS>', `path MTU: ${PATH_MTUS.join(', ')}`, mtuOption, 1024)
    .option('--window <PACKETS>', 'of a queue pair that may be under way', wholeNumber(1, 4096), 64)
    .option('--rate <RATE>', 'what a host sends at most, such as 50mbit; default: as fast as windows allow', rateOption)
    .option('--ack-timeout <MS>', 'without an answer until all is sent again', wholeNumber(1, 60_000), 500)
    .option('--retries <N>', 'times in a row without progress', wholeNumber(0, 20), 7)
    .option(
      '--reorder <PACKETS>',
      'that may overtake others and are kept for them, as by NICs that place out of order; 0: go-back-N',
      wholeNumber(0, 4096),
      0,
    )
    .option('--json', 'the report as JSON')
    .addHelpText(
      'after',
      `${examples(
        'heddle traffic host1 host2',
        'heddle traffic host1 host2 --no-rlb --seed 7',
        'heddle traffic --pattern all-reduce --size 16M',
        'heddle traffic host1 host2 --rate 50mbit --json',
      )}\n${EXIT_CODES_HELP}`,
    )
    .action(traffic);
}

async function traffic(names: readonly string[], options: TrafficOptions): Promise<void> {
  const lab = loadLab(options.lab);
  const pair = options.pattern === 'send' ? 'heddle traffic host1 host2; or a whole job with --pattern' : undefined;
  const hosts = chosenHosts(lab.plan, names, pair);
  await requireNamespaces();
  const question = await askedFor(lab, { hosts: hosts.map(({ name }) => name), options });
  const report = await watched(lab, question, options);
  if (options.json) printJson(report);
  else print(renderTraffic(report, terminalPaint()));
  if (report.verified) return;
  if (!options.json) complain((await causes(lab, report)).map((line) => `heddle: ${line}`));
  throw new SilentExit(EXIT_FAILURE);
}

/** Milliseconds for addresses that duplicate address detection still looks at. */
const ADDRESS_PATIENCE = 5_000;

async function askedFor(
  lab: Lab,
  { hosts, options }: { readonly hosts: readonly string[]; readonly options: TrafficOptions },
): Promise<TrafficQuestion> {
  const uplinks = uplinksOf(lab.plan);
  const planned = hosts.map((name) => lab.plan.hosts.find((host) => host.name === name)!);
  const queuePairs = options.qps ?? uplinks.length;
  if (options.rlb && queuePairs > uplinks.length)
    throw new CommandError(
      `--qps ${queuePairs}: hosts have ${uplinks.length} addresses, and every queue pair needs one of its own: use --qps ${uplinks.length} or fewer, or --no-rlb`,
      EXIT_USAGE,
    );
  const words = options.size / WORD;
  if (options.pattern !== 'send' && words < hosts.length)
    throw new CommandError(
      `--size ${options.size}: ${options.pattern} of ${hosts.length} hosts needs a word of ${WORD} octets for each, --size ${WORD * hosts.length} or more`,
      EXIT_USAGE,
    );
  const found = await livePorts(lab, { hosts: planned, uplinks }, ADDRESS_PATIENCE);
  const least = Math.min(...found.map(({ port }) => port.addresses.length));
  if (least < (options.rlb ? queuePairs : 1)) {
    complain(found.flatMap(({ problems }) => problems).map((problem) => `heddle: ${problem}`));
    const help = least > 0 && options.rlb ? `; --qps ${least} may do with what is there` : '';
    throw new CommandError(`nothing is sent: addresses are missing for ${queuePairs} queue pairs${help}`);
  }
  const narrow = await narrowLinks(lab, hosts, options.mtu);
  if (narrow !== undefined) throw new CommandError(`nothing is sent: ${narrow}`);
  const { pattern, rlb, size: octets, seed } = options;
  const hashed = lab.plan.topology.dpfMode === 'none';
  const ports = found.map(({ port }) => port);
  return {
    pattern,
    rlb,
    hashed,
    octets,
    seed,
    ports,
    uplinks,
    queuePairs,
    transport: transportOf(options, queuePairs),
  };
}

const ETHERNET_HEADER = 14;

/** The rate is one of the line, headers counted; each queue pair has its share of it. */
function transportOf({ mtu, window, rate, ackTimeout, retries, reorder }: TrafficOptions, queuePairs: number) {
  const share = mtu / (packetOctets(mtu) + ETHERNET_HEADER) / queuePairs;
  const common = { pathMtu: mtu, window, ackTimeout, retryLimit: retries, reorder };
  return rate === undefined ? common : { ...common, pace: (rate / 8000) * share };
}

/** With progress on a terminal; ended by a signal it leaves nothing. */
async function watched(lab: Lab, question: TrafficQuestion, { json }: TrafficOptions): Promise<TrafficReport> {
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, onSignal);
  const total = octetsOnTheWay(question);
  const shown = process.stderr.isTTY && !json;
  const onProgress = (octets: number) => {
    const percent = Math.min(100, Math.floor((100 * octets) / Math.max(1, total)));
    process.stderr.write(`\r${octetsText(octets)} of ${octetsText(total)} have arrived (${percent} %) `);
  };
  try {
    return await runTraffic(lab, question, { signal: interrupt.signal, ...(shown && { onProgress }) });
  } catch (error) {
    if (interrupt.signal.aborted) throw new CommandError('interrupted: the traffic has ended');
    throw error;
  } finally {
    if (shown) process.stderr.write('\r\u001b[K');
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, onSignal);
  }
}

/** Of all hosts. */
function octetsOnTheWay({ pattern, octets, ports }: TrafficQuestion): number {
  if (pattern === 'send') return octets;
  return (pattern === 'all-reduce' ? 2 : 1) * (ports.length - 1) * octets;
}

/** A link that became too narrow, or an address that went, while packets were under way. */
async function causes(lab: Lab, report: TrafficReport): Promise<readonly string[]> {
  const narrow = await narrowLinks(lab, report.hosts, report.pathMtu);
  return [...report.failures, ...(narrow === undefined ? [] : [narrow])];
}

function sizeOption(text: string): number {
  const match = /^(\d{1,10})([KMG]?)$/.exec(text);
  const octets = match ? Number(match[1]) * 2 ** { '': 0, K: 10, M: 20, G: 30 }[match[2] as '' | 'K' | 'M' | 'G'] : 0;
  if (octets >= 4 && octets <= 2 ** 30 && octets % 4 === 0) return octets;
  throw new InvalidArgumentError('It is octets, such as 64M: a multiple of 4, at most 1G.');
}

function mtuOption(text: string): number {
  const mtu = PATH_MTUS.find((candidate) => String(candidate) === text);
  if (mtu !== undefined) return mtu;
  throw new InvalidArgumentError(`It is one of ${PATH_MTUS.join(', ')}.`);
}

function rateOption(text: string): number {
  const rate = parseRate(text);
  if (rate !== undefined) return rate;
  throw new InvalidArgumentError(`${RATE_EXPECTED}.`);
}
