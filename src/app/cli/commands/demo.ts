/** `heddle demo`: the whole story in half a minute. A fabric comes up, a link dies under traffic, and it heals. */

import { join } from 'node:path';
import { Argument, type Command } from 'commander';
import { counted } from '../../../core/net/counted.js';
import type { Fabric } from '../../../edge/control/schema.js';
import { requireNamespaces } from '../../lab/build.js';
import { LabError } from '../../lab/command.js';
import { PACKAGE_ROOT } from '../../lab/lab.js';
import { planLab } from '../../lab/plan.js';
import type { FlowReport } from '../../lab/probe-report.js';
import { readTopology } from '../../lab/read-topology.js';
import { NamespaceFabric } from '../../trial/namespace-fabric.js';
import { SimulatedFabric } from '../../trial/simulated-fabric.js';
import type { TrialFabric } from '../../trial/trial-fabric.js';
import { CommandError, EXIT_CODES_HELP, EXIT_USAGE } from '../exit-codes.js';
import { SVG_HELP } from '../picture-file.js';
import { renderFabric } from '../render/fabric.js';
import { renderFlowReports } from '../render/flow-reports.js';
import type { Paint } from '../render/paint.js';
import { complain, print, terminalPaint, terminalWidth } from '../terminal.js';
import { wholeNumber } from '../whole-number.js';
import { DEFAULT_DRAWS, rlbStory } from './demo-rlb.js';

const STORIES = ['failover', 'rlb'] as const;
const TOPOLOGY = join(PACKAGE_ROOT, 'labs', 'demo.yaml');
/** Milliseconds. */
const READY_TIMEOUT = 120_000;
const CHANGE_TIMEOUT = 60_000;
/** Traffic before a change and after it was seen. */
const LEAD_TIME = 500;
const LEAF = 'leaf2';
const SPINE = 'spine1';
const UPLINK = `to-${SPINE}`;
const PREFIX = 'fc00:1:1:1::/64';
const ENDS = { from: 'host2', to: 'host1' };

export function register(program: Command): void {
  program
    .command('demo')
    .description('tell a story on a fabric that is built for it: a link that dies and heals, or RDMA subflows')
    .addArgument(
      new Argument('[STORY]', 'failover: a link dies under traffic, and heals; rlb: each RDMA subflow on its own link')
        .choices(STORIES)
        .default('failover' as const),
    )
    .option('--draws <N>', 'rlb: connections that are hashed', wholeNumber(1, 1000), DEFAULT_DRAWS)
    .option('--svg <FILE>', `rlb: ${SVG_HELP}: the ways of the colours before, at and after the failure`)
    .option('--simulated', 'failover on simulated links in this process, even where real ones can be had')
    .addHelpText(
      'after',
      `
With root on Linux the fabric is real: network namespaces, kernel routes, packets. Elsewhere it is simulated.

Examples:
  sudo heddle demo
  sudo heddle demo rlb --svg failure.svg
  heddle demo --simulated

${EXIT_CODES_HELP}`,
    )
    .action(demo);
}

interface DemoOptions {
  readonly simulated?: boolean;
  readonly svg?: string;
  readonly draws: number;
}

async function demo(story: (typeof STORIES)[number], { simulated = false, svg, draws }: DemoOptions): Promise<void> {
  if (story === 'rlb' && simulated)
    throw new CommandError('rlb needs real packets: --simulated is for failover', EXIT_USAGE);
  if (story !== 'rlb' && svg !== undefined) throw new CommandError('--svg is for rlb', EXIT_USAGE);
  const interrupt = new AbortController();
  const onSignal = (): void => interrupt.abort(new CommandError('interrupted'));
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, onSignal);
  try {
    const paint = terminalPaint();
    await (story === 'rlb'
      ? rlbStory({ paint, signal: interrupt.signal, svg, draws })
      : failover(simulated, interrupt.signal));
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, onSignal);
  }
}

async function failover(simulated: boolean, interrupted: AbortSignal): Promise<void> {
  const fabric = await chooseFabric(simulated);
  try {
    await tellStory(new Story(fabric, terminalPaint(), interrupted));
  } finally {
    const left = await fabric.down();
    print([
      '',
      left.length === 0 ? 'The fabric is taken down; nothing is left behind.' : `Left behind: ${left.join(', ')}`,
    ]);
  }
}

/** Real where that can be, and words on why where it cannot. */
async function chooseFabric(simulated: boolean): Promise<TrialFabric> {
  const topology = readTopology(TOPOLOGY);
  const simulation = (): TrialFabric => new SimulatedFabric(planLab(topology), { seed: 1 });
  if (simulated) return simulation();
  try {
    await requireNamespaces();
    return new NamespaceFabric(topology, { source: TOPOLOGY });
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    complain([`No real fabric here: ${error.message}.`, 'The same fabric runs on simulated links instead.', '']);
    return simulation();
  }
}

/** What the chapters share. */
class Story {
  constructor(
    readonly fabric: TrialFabric,
    private readonly paint: Paint,
    private readonly interrupted: AbortSignal,
  ) {}

  chapter(title: string): void {
    this.interrupted.throwIfAborted();
    print(['', this.paint.strong(title)]);
  }

  say(...lines: readonly string[]): void {
    print(lines);
  }

  async matrix(): Promise<Fabric> {
    const matrix = await this.fabric.matrix(LEAF);
    print(renderFabric(matrix, this.paint, Math.min(terminalWidth(), 100)));
    return matrix;
  }

  async routes(): Promise<void> {
    print(['', `${this.fabric.routesOf} ${LEAF}: ip -6 route show ${PREFIX}`]);
    print((await this.fabric.routeLines(LEAF, PREFIX)).map((line) => `  ${line.trimEnd()}`));
  }

  /** Sends a burst per colour and says which uplinks its packets took. */
  async paths(): Promise<void> {
    print(['', `Packets from ${ENDS.from} to ${ENDS.to}, by the counters of ${LEAF}'s uplinks:`]);
    for (const colour of this.fabric.plan.topology.colours) {
      const carriers = await this.fabric.carriers(ENDS, colour);
      const text = carriers.length === 0 ? 'nobody' : carriers.join(', ');
      print([`  ${this.paint.fabric(colour)(`colour ${colour}`)} -> ${text}`]);
    }
  }

  reports(reports: readonly FlowReport[]): void {
    print(renderFlowReports(reports, this.paint));
  }
}

async function tellStory(story: Story): Promise<void> {
  const { plan, description } = story.fabric;
  const { spines, leaves } = plan.topology;
  print([
    `heddle demo: ${counted(spines.length, 'spine')}, ${counted(leaves.length, 'leaf', 'leaves')}, one host behind each leaf`,
    `On ${description}.`,
  ]);
  await comeUp(story);
  story.chapter(`Before: each prefix on its own spine (${LEAF}'s view)`);
  await story.matrix();
  await story.routes();
  await story.paths();
  await breakLink(story);
  await heal(story);
}

async function comeUp(story: Story): Promise<void> {
  const { fabric } = story;
  story.chapter('The fabric comes up');
  await fabric.build((step) => story.say(`  starting ${step} ...`));
  await fabric.raise();
  story.say(
    '  all links up in the same instant: duplicate address detection, router advertisements, sessions, routes ...',
  );
  const missing = await fabric.ready(READY_TIMEOUT);
  if (missing.length > 0) {
    complain(missing);
    throw new CommandError(`the fabric is not complete after ${READY_TIMEOUT / 1000} s`);
  }
  const time = await fabric.setUpTime();
  const { first, total } = await fabric.sessionTries();
  story.say(
    `  link-up to all routes in the kernel: ${time === undefined ? 'unknown' : `${(time / 1000).toFixed(2)} s`}` +
      ', duplicate address detection included',
    `  sessions up at the first try: ${first} of ${total}`,
  );
}

/** Traffic runs while `change` is made and until `seen` holds; what it noticed is told before the new state is. */
async function underTraffic(story: Story, change: () => Promise<void>, seen: () => Promise<boolean>): Promise<void> {
  const { fabric } = story;
  const traffic = await fabric.traffic(ENDS);
  await fabric.pause(LEAD_TIME);
  traffic.mark('change');
  await change();
  const happened = await fabric.until(seen, CHANGE_TIMEOUT);
  await fabric.pause(LEAD_TIME);
  const reports = await traffic.stop();
  if (!happened) throw new CommandError(`the routes did not follow within ${CHANGE_TIMEOUT / 1000} s`);
  story.reports(reports);
}

async function breakLink(story: Story): Promise<void> {
  const { fabric } = story;
  story.chapter(`The link ${LEAF}:${SPINE} dies under traffic: four flows, a datagram each millisecond`);
  await underTraffic(
    story,
    () => fabric.fail(LEAF, SPINE),
    async () => {
      const { preferred, fallback } = await fabric.routes(LEAF, PREFIX);
      return preferred.length > 1 && ![...preferred, ...fallback].includes(UPLINK);
    },
  );
  story.chapter('During: its prefix goes over the other three');
  await story.matrix();
  await story.routes();
  await story.paths();
}

async function heal(story: Story): Promise<void> {
  const { fabric } = story;
  story.chapter(`The link ${LEAF}:${SPINE} heals under traffic`);
  const others = fabric.plan.topology.spines.length - 1;
  await underTraffic(
    story,
    () => fabric.heal(LEAF, SPINE),
    async () => {
      const { preferred, fallback } = await fabric.routes(LEAF, PREFIX);
      return preferred.length === 1 && preferred[0] === UPLINK && fallback.length === others;
    },
  );
  story.chapter('After: each prefix on its own spine again');
  await story.matrix();
  await story.paths();
}
