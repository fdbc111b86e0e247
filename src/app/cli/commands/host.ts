/** `heddle host plan`: which queue pair uses which addresses and hence which spine, of a lab that is up or of a topology file. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseMac } from '../../../core/net/eui64.js';
import type { GidVersions } from '../../../core/rlb/gid-table.js';
import { JOB_PATTERNS, type JobPattern } from '../../../core/rlb/job-plan.js';
import { hostPlan } from '../../host/host-plan.js';
import { type HostPort, livePort, plannedPort, uplinksOf } from '../../host/host-ports.js';
import { ncclEnvironment } from '../../host/nccl-environment.js';
import { requireNamespaces } from '../../lab/build.js';
import { hostAddresses } from '../../lab/hosts.js';
import { loadLab } from '../../lab/lab.js';
import { type LabPlan, planLab } from '../../lab/plan.js';
import { readTopology } from '../../lab/read-topology.js';
import { topologyWarnings } from '../../lab/topology-warnings.js';
import { planPanel } from '../../picture/plan-panel.js';
import { examples } from '../examples.js';
import { CommandError, EXIT_CODES_HELP, EXIT_FAILURE, EXIT_USAGE, SilentExit } from '../exit-codes.js';
import { chosenHosts, unknownHost } from '../host-choice.js';
import { SVG_HELP, writePicture } from '../picture-file.js';
import { renderHostPlan } from '../render/host-plan.js';
import { complain, print, printJson, terminalPaint } from '../terminal.js';

interface PlanOptions {
  readonly job?: JobPattern;
  readonly lab?: string;
  readonly topology?: string;
  readonly mac?: ReadonlyMap<string, Uint8Array>;
  readonly qps?: number;
  readonly roceV2Only?: true;
  readonly env?: true;
  readonly json?: true;
  readonly svg?: string;
}

export function register(program: Command): void {
  const host = program
    .command('host')
    .description("the hosts' half of RDMA-aware load balancing")
    .addHelpText('after', examples('heddle host plan host1 host2', 'heddle host plan --job ring'));
  host
    .command('plan')
    .description('which queue pair uses which source and destination address, and hence which spine')
    .argument('[HOST...]', 'two hosts, or those of a job in its order; default for a job: all')
    .addOption(new Option('--job <PATTERN>', 'the connections of a whole job').choices(JOB_PATTERNS))
    .option('--lab <NAME>', 'which lab, when several are up: addresses are those of its hosts now')
    .option('--topology <FILE>', 'a topology file instead of a lab: addresses as SLAAC will form them')
    .option('--mac <HOST=MAC>', 'with --topology: the MAC address of a host; may be given again', macOption)
    .option('--qps <N>', 'queue pairs of a connection; default: one for each uplink', queuePairsOption)
    .option('--roce-v2-only', 'the NIC has GIDs of RoCEv2 alone, one for each address (rxe) and not two (mlx5)')
    .option('--env', 'the plan as environment variables for NCCL and a plug-in')
    .option('--json', 'the plan as JSON')
    .option('--svg <FILE>', SVG_HELP)
    .addHelpText(
      'after',
      `${examples(
        'heddle host plan host1 host2',
        'heddle host plan --job all-to-all --json',
        'heddle host plan host1 host2 --env',
        'heddle host plan --job ring --svg ring.svg',
        'heddle host plan host1 host2 --topology labs/demo.yaml --mac host1=02:00:00:00:00:01 --mac host2=02:00:00:00:00:02',
      )}\nExit status 1 when a connection has no queue pair. ${EXIT_CODES_HELP}`,
    )
    .action(plan);
}

async function plan(names: readonly string[], options: PlanOptions): Promise<void> {
  if (options.env && options.json)
    throw new CommandError('--env and --json are two forms of one answer: choose one', EXIT_USAGE);
  if (options.topology !== undefined && options.lab !== undefined)
    throw new CommandError('--topology and --lab name two fabrics: choose one', EXIT_USAGE);
  if (options.mac !== undefined && options.topology === undefined)
    throw new CommandError(
      '--mac goes with --topology: a lab that is up knows the MAC addresses of its hosts',
      EXIT_USAGE,
    );
  const versions: GidVersions = options.roceV2Only ? 1 : 2;
  const {
    lab: labPlan,
    source,
    ports,
  } = options.topology === undefined ? await ofLab(names, options, versions) : ofTopology(names, options, versions);
  if (labPlan.topology.dpfMode === 'none') throw new CommandError(withoutColours(labPlan.topology.name));
  const answer = hostPlan({
    source,
    pattern: options.job ?? 'pair',
    hosts: ports,
    uplinks: uplinksOf(labPlan),
    ...(options.qps !== undefined && { queuePairs: options.qps }),
  });
  complain(topologyWarnings(labPlan.topology).map((warning) => `warning: ${warning}`));
  if (options.json) printJson(answer);
  else if (options.env) {
    complain(answer.problems);
    print(ncclEnvironment(answer));
  } else print(renderHostPlan(answer, terminalPaint()));
  if (options.svg !== undefined) {
    const title =
      answer.pattern === 'pair' ? `${names[0]} to ${names[1]}` : `${answer.pattern} over ${labPlan.topology.name}`;
    writePicture(options.svg, { title, panels: [planPanel(labPlan, answer)] });
  }
  if (answer.connections.some(({ queuePairs }) => queuePairs.length === 0)) throw new SilentExit(EXIT_FAILURE);
}

function withoutColours(fabric: string): string {
  return `${fabric} has no colours (dpf-mode: none): no address leads to a spine, a hash of its ports decides for each queue pair; heddle trace shows what became of one`;
}

interface Fabric {
  readonly lab: LabPlan;
  readonly source: string;
  readonly ports: readonly HostPort[];
}

async function ofLab(names: readonly string[], options: PlanOptions, versions: GidVersions): Promise<Fabric> {
  const lab = loadLab(options.lab);
  const hosts = chosenHosts(lab.plan, names, pairUsage(options));
  await requireNamespaces();
  const uplinks = uplinksOf(lab.plan);
  const ports = await Promise.all(
    hosts.map(async (host) => livePort(host, await hostAddresses(lab, host), uplinks, versions)),
  );
  return { lab: lab.plan, source: `lab ${lab.name}, addresses as its hosts have them`, ports };
}

function ofTopology(names: readonly string[], options: PlanOptions, versions: GidVersions): Fabric {
  const file = options.topology ?? '';
  const lab = planLab(readTopology(file));
  const stranger = [...(options.mac?.keys() ?? [])].find((name) => !lab.hosts.some((host) => host.name === name));
  if (stranger !== undefined) throw new CommandError(`--mac: ${unknownHost(lab, stranger)}`, EXIT_USAGE);
  const uplinks = uplinksOf(lab);
  const ports = chosenHosts(lab, names, pairUsage(options)).map((host) =>
    plannedPort(host, options.mac?.get(host.name), uplinks, versions),
  );
  return { lab, source: `${file}, addresses as SLAAC will form them`, ports };
}

/** How a pair is asked for; not of a job. */
function pairUsage({ job }: PlanOptions): string | undefined {
  return job === undefined ? 'heddle host plan host1 host2; or a whole job with --job' : undefined;
}

function macOption(text: string, before: ReadonlyMap<string, Uint8Array> = new Map()): ReadonlyMap<string, Uint8Array> {
  const [name = '', rest = ''] = text.split(/=(.*)/s);
  const mac = parseMac(rest);
  if (name === '' || !mac) throw new InvalidArgumentError('It is HOST=MAC, such as host1=02:00:00:00:00:01.');
  return new Map([...before, [name, mac]]);
}

/** More are a mistake: QP numbers have 24 bits, and a connection a handful of queue pairs. */
const MOST_QUEUE_PAIRS = 1024;

function queuePairsOption(text: string): number {
  const number = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= MOST_QUEUE_PAIRS) return number;
  throw new InvalidArgumentError(`It is a whole number from 1 to ${MOST_QUEUE_PAIRS}.`);
}
