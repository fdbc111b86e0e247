/**
 * `heddle demo rlb`: what RDMA-aware load balancing is for. Queue pairs hashed over equal links collide; on addresses of their own each
 * has a link; every path is proved; and a failure does what was predicted of it.
 */
import { join } from 'node:path';
import { countedPrefixes } from '../../../core/net/counted.js';
import { ControlClient } from '../../../edge/control/client.js';
import { buildLab, raiseLinks, requireNamespaces, tearDown } from '../../lab/build.js';
import { waitHostAddresses } from '../../lab/hosts.js';
import { controlSocket, describeLab, type Lab, PACKAGE_ROOT } from '../../lab/lab.js';
import { failLink, healLink } from '../../lab/links.js';
import { readTopology } from '../../lab/read-topology.js';
import { waitReady } from '../../lab/readiness.js';
import { reconfigure } from '../../lab/reconfigure.js';
import { type Transfer, type TransferResult, transfer } from '../../trial/rlb-trial.js';
import { grouped, sentence } from '../../verify/difference.js';
import { failuresOf } from '../../verify/failures.js';
import { observeLab } from '../../verify/observe.js';
import { failurePanels } from '../../verify/picture.js';
import { predict } from '../../verify/predict.js';
import { probed } from '../../verify/probed.js';
import { type Verification, verify } from '../../verify/verify.js';
import { whatIf } from '../../verify/what-if.js';
import { CommandError } from '../exit-codes.js';
import { writePicture } from '../picture-file.js';
import type { Paint } from '../render/paint.js';
import { hashingVerdict, type NamedTransfer, renderTransfers } from '../render/transfers.js';
import { renderVerification, renderWhatIf } from '../render/verify.js';
import { complain, print, terminalWidth } from '../terminal.js';

const HASHING = join(PACKAGE_ROOT, 'labs', 'hashing.yaml');
const RLB = join(PACKAGE_ROOT, 'labs', 'rlb.yaml');
/** Milliseconds. */
const READY_TIMEOUT = 120_000;
const CHANGE_TIMEOUT = 60_000;
export const DEFAULT_DRAWS = 20;
const PAIR_OCTETS = 1 << 20;
const JOB_OCTETS = 1 << 18;
/** Times a transfer is made where its completion is compared; the median counts. */
const REPEATS = 3;
const FAILED = 'leaf1:spine1';
/** The window of a queue pair. */
const REORDER = 48;

export interface Stage {
  readonly paint: Paint;
  readonly signal: AbortSignal;
  /** Connections that are hashed, each with queue pairs of its own numbers. */
  readonly draws: number;
  /** File for a picture of the failure. */
  readonly svg?: string | undefined;
}

export async function rlbStory(stage: Stage): Promise<void> {
  await requireNamespaces();
  const hashed = await onLab(HASHING, stage, (lab) => collisions(lab, stage));
  await onLab(RLB, stage, async (lab) => {
    const spread = await ownLinks(lab, stage, hashed);
    await proof(lab, stage);
    await failure(lab, stage, spread);
  });
}

/** Takes the lab down whatever happens. */
async function onLab<Result>(file: string, { signal }: Stage, work: (lab: Lab) => Promise<Result>): Promise<Result> {
  signal.throwIfAborted();
  const lab = describeLab(readTopology(file), { source: file });
  try {
    await buildLab(lab, { signal });
    await raiseLinks(lab);
    const { missing } = await waitReady(lab, { timeout: READY_TIMEOUT });
    const absent = missing.length > 0 ? missing : await waitHostAddresses(lab, READY_TIMEOUT);
    if (absent.length > 0) {
      complain(absent);
      throw new CommandError(`the fabric is not complete after ${READY_TIMEOUT / 1000} s`);
    }
    return await work(lab);
  } finally {
    await tearDown(lab);
  }
}

function chapter({ paint, signal }: Stage, title: string): void {
  signal.throwIfAborted();
  print(['', paint.strong(title)]);
}

/** A host of each leaf in turn, so that every hop of a ring crosses the spines. */
function inTurn({ plan }: Lab): string[] {
  const [first = [], second = []] = plan.topology.leaves.map(({ name }) =>
    plan.hosts.filter(({ leaf }) => leaf === name).map((host) => host.name),
  );
  return first.flatMap((name, index) => [name, second[index]!]);
}

function pairTransfer(lab: Lab, changes: Pick<Transfer, 'rlb' | 'seed' | 'reorder'>): Transfer {
  return { pattern: 'send', hosts: inTurn(lab).slice(0, 2), octets: PAIR_OCTETS, ...changes };
}

/** Made a few times; the one in the middle by its completion. */
async function typical(lab: Lab, what: Transfer, { signal }: Stage): Promise<TransferResult> {
  const results: TransferResult[] = [];
  for (let time = 0; time < REPEATS; time++) results.push(await transfer(lab, what, signal));
  return results.toSorted((a, b) => a.report.milliseconds - b.report.milliseconds)[REPEATS >> 1]!;
}

async function collisions(lab: Lab, stage: Stage): Promise<readonly TransferResult[]> {
  const links = lab.plan.topology.colours.length;
  chapter(stage, `Hashing: ${links} queue pairs of one connection, one address, ${links} equal uplinks of 20 Mbit/s`);
  const transfers: NamedTransfer[] = [];
  for (let seed = 1; seed <= stage.draws; seed++) {
    stage.signal.throwIfAborted();
    const result = await transfer(lab, pairTransfer(lab, { rlb: false, seed }), stage.signal);
    transfers.push({ name: `draw ${seed}`, result });
  }
  print(renderTransfers(transfers, stage.paint));
  const results = transfers.map(({ result }) => result);
  print(['', ...hashingVerdict(results, links)]);
  return results;
}

async function ownLinks(lab: Lab, stage: Stage, hashed: readonly TransferResult[]): Promise<TransferResult> {
  const links = lab.plan.topology.colours.length;
  chapter(
    stage,
    `RDMA-aware: the same ${links} queue pairs, each on addresses of its own and thereby on its own spine`,
  );
  const result = await typical(lab, pairTransfer(lab, { rlb: true, seed: 1 }), stage);
  print(renderTransfers([{ name: 'each its own', result }], stage.paint));
  const mean = hashed.reduce((sum, { report }) => sum + report.milliseconds, 0) / hashed.length;
  const worst = Math.max(...hashed.map(({ report }) => report.milliseconds));
  const ratio = (time: number) => `${(time / result.report.milliseconds).toFixed(2)} x`;
  print([
    '',
    `Hashing took ${ratio(mean)} as long on average, ${ratio(worst)} at the worst of ${hashed.length} draws.`,
  ]);
  return result;
}

async function proof(lab: Lab, stage: Stage): Promise<void> {
  chapter(stage, 'Proof: routes, kernels and counters of every router, against what the topology says');
  await followed(lab, stage, new Set());
}

interface Look {
  readonly verification: Verification;
  readonly lines: readonly string[];
}

async function look(lab: Lab, { paint }: Stage, failed: ReadonlySet<string>): Promise<Look> {
  const state = await observeLab(lab);
  const { verification, count } = await probed(lab, verify(predict(lab.plan, failed), state));
  const done = [`probes sent to ${countedPrefixes(count)}, counted at every hop`];
  return { verification, lines: renderVerification({ verification, state, done }, { paint, width: terminalWidth() }) };
}

async function failure(lab: Lab, stage: Stage, healthy: TransferResult): Promise<void> {
  const { paint } = stage;
  const job: Transfer = { pattern: 'all-reduce', hosts: inTurn(lab), octets: JOB_OCTETS, rlb: true, seed: 1 };
  const before = await typical(lab, job, stage);
  chapter(stage, `Predicted: what follows when ${FAILED} fails`);
  const { links = new Set<string>() } = failuresOf(lab.plan, [FAILED]);
  const [intact, failed] = [predict(lab.plan), predict(lab.plan, links)];
  print(renderWhatIf(whatIf(intact, failed), { paint, width: terminalWidth() }));
  if (stage.svg !== undefined)
    writePicture(stage.svg, { title: `${FAILED} fails`, panels: failurePanels(intact, failed) });

  chapter(stage, `Made: ${FAILED} is cut`);
  await failLink(lab, FAILED);
  await followed(lab, stage, links);
  const pair = await typical(lab, pairTransfer(lab, { rlb: true, seed: 1 }), stage);
  const during = await typical(lab, job, stage);
  print([
    '',
    ...renderTransfers(
      [
        { name: 'one pair, healthy', result: healthy },
        { name: 'one pair, failed', result: pair },
        { name: 'ring of 8, healthy', result: before },
        { name: 'ring of 8, failed', result: during },
      ],
      paint,
    ),
    '',
    ...completionVerdict(lab, [
      { name: 'one pair', healthy, failed: pair },
      { name: 'ring of 8', healthy: before, failed: during },
    ]),
  ]);

  await split(lab, stage, healthy);

  chapter(stage, `Healed: ${FAILED} is mended`);
  await healLink(lab, FAILED);
  await followed(lab, stage, new Set());
  const after = await typical(lab, pairTransfer(lab, { rlb: true, seed: 1 }), stage);
  print(['', ...renderTransfers([{ name: 'each its own', result: after }], paint)]);
}

/** The fallback again, by a plane that sends each packet where there is room, and receivers that keep those that come early. */
async function split(lab: Lab, stage: Stage, healthy: TransferResult): Promise<void> {
  const leaves = lab.plan.topology.leaves.map(({ name }) => name);
  chapter(stage, 'Split: the leaves forward by the eBPF plane, packet by packet; receivers take packets out of order');
  for (const leaf of leaves) await reconfigure(lab, leaf, { plane: 'ebpf', ebpf: { mode: 'per-packet' } });
  const { plane } = await new ControlClient(controlSocket(lab, leaves[0]!)).dlb();
  if (plane === null || plane.failure !== null) {
    print([`not here: ${plane?.failure ?? 'there is no plane'}`]);
    return;
  }
  const pair = await typical(lab, pairTransfer(lab, { rlb: true, seed: 1, reorder: REORDER }), stage);
  print(renderTransfers([{ name: 'one pair, split', result: pair }], stage.paint));
  print(['', completionLine(lab, { name: 'one pair, split', healthy, failed: pair })]);
  for (const leaf of leaves) await reconfigure(lab, leaf, { plane: 'kernel' });
}

interface Completion {
  readonly name: string;
  readonly healthy: TransferResult;
  readonly failed: TransferResult;
}

/** Links carry whole subflows: one that lost its link shares another's, where a fallback that split it would end sooner. */
function completionVerdict(lab: Lab, completions: readonly Completion[]): string[] {
  const links = lab.plan.topology.colours.length;
  const ideal = links / (links - 1);
  return [
    ...completions.map((completion) => completionLine(lab, completion)),
    `The capacity that is left allows ${ideal.toFixed(2)} x; a subflow is one flow, which the kernel's groups keep on one link, so that the link`,
    'it moves to carries two: at most twice as long, and the closer to what is possible the more flows there are to spread.',
  ];
}

function completionLine({ plan }: Lab, { name, healthy, failed }: Completion): string {
  const links = plan.topology.colours.length;
  const ratio = failed.report.milliseconds / healthy.report.milliseconds;
  return `${name}: ${ratio.toFixed(2)} x as long with ${links - 1} of ${links} links.`;
}

/** Waits until the fabric is what the model says, and proves it. */
async function followed(lab: Lab, stage: Stage, failed: ReadonlySet<string>): Promise<void> {
  const end = performance.now() + CHANGE_TIMEOUT;
  let last = await look(lab, stage, failed);
  while (last.verification.differences.length > 0 && performance.now() < end) {
    stage.signal.throwIfAborted();
    last = await look(lab, stage, failed);
  }
  print(last.lines);
  const [difference] = grouped(last.verification.differences);
  if (difference) throw new CommandError(`the fabric is not what the model says: ${sentence(difference)}`);
}
