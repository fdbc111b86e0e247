/** `heddle verify`: what a fabric must do by its topology, against what its routers, kernels and links really do. */
import type { Command } from 'commander';
import { countedPrefixes, listed } from '../../../core/net/counted.js';
import { readCaptureFile } from '../../../edge/record/read-capture-file.js';
import { requireNamespaces } from '../../lab/build.js';
import { allNamespaces, type Lab, loadLab } from '../../lab/lab.js';
import { listNamespaces } from '../../lab/namespaces.js';
import { type LabPlan, planLab } from '../../lab/plan.js';
import { readTopology } from '../../lab/read-topology.js';
import { replayReceivers } from '../../replay/receivers.js';
import { BGP_PORT } from '../../replay/replay-captures.js';
import { replayFiles } from '../../replay/replay-files.js';
import { capturedState } from '../../verify/captured-state.js';
import { failuresOf } from '../../verify/failures.js';
import type { Prediction } from '../../verify/model.js';
import type { FabricState } from '../../verify/observation.js';
import { observeLab } from '../../verify/observe.js';
import { failurePanels } from '../../verify/picture.js';
import { predict } from '../../verify/predict.js';
import { probed } from '../../verify/probed.js';
import { readRoutes } from '../../verify/route-differences.js';
import { readState, StateError, writeState } from '../../verify/state-files.js';
import { type Verification, verify } from '../../verify/verify.js';
import { captureJson, predictionJson, verificationJson, whatIfJson } from '../../verify/verify-json.js';
import { whatIf } from '../../verify/what-if.js';
import { CommandError, EXIT_DIFFERENT, EXIT_USAGE, SilentExit } from '../exit-codes.js';
import { SVG_HELP, writePicture } from '../picture-file.js';
import { renderCaptures, renderPrediction, renderVerification, renderWhatIf } from '../render/verify.js';
import { complain, print, printJson, terminalPaint, terminalWidth } from '../terminal.js';

interface VerifyOptions {
  readonly lab?: string;
  readonly fail?: readonly string[];
  readonly predict?: true;
  readonly state?: string;
  readonly pcap?: readonly string[];
  readonly dump?: string;
  readonly probes: boolean;
  readonly json?: true;
  readonly svg?: string;
}

const HELP = `
Without TOPOLOGY it looks at the lab that is up: sessions, routes, forwarding tables and kernels of all routers, then probe packets to
every prefix and the counters of every link on their way. With TOPOLOGY, a file, it asks nobody: --state looks at what --dump wrote, --pcap at captures, and
without that the model alone says what is to be expected. --fail takes links and nodes as failed: what is expected is what follows from that.

Examples:
  heddle verify                                        the lab that is up, with probes
  heddle verify --no-probes --json | jq '.differences[]'
  heddle verify labs/demo.yaml                         what the model expects of it; no lab, no root
  heddle verify labs/demo.yaml --fail leaf1:spine4 --fail spine2
                                                       which prefixes move, what links carry then, who is cut off
  heddle verify labs/demo.yaml --fail leaf1:spine4 --svg failure.svg
                                                       the same as a picture: before, at the failure, after it
  heddle lab fail leaf1:spine4 && heddle verify --fail leaf1:spine4
                                                       has the lab done what was predicted?
  heddle verify --dump state && heddle verify labs/demo.yaml --state state
  heddle verify labs/demo.yaml --pcap spine1.pcap leaf1.pcap
                                                       what was told on the sessions in captures

Exit codes: 0 all as expected, 1 a difference, 2 wrong command line, topology or state.`;

export function register(program: Command): void {
  program
    .command('verify')
    .description('hold every route, kernel and link of a fabric against what its topology says')
    .argument('[TOPOLOGY]', 'topology file, to do without a lab')
    .option('--lab <NAME>', 'which lab, when several are up')
    .option(
      '--fail <A:B|NODE>',
      'take a link (leaf1:spine2, leaf1:spine2/2) or a node as failed; may be repeated',
      collect,
    )
    .option('--predict', 'the model alone, of the lab that is up')
    .option('--state <DIR>', 'look at dumped state')
    .option('--pcap <FILE...>', 'look at captures of its BGP sessions (pcap, pcapng, MRT)')
    .option('--dump <DIR>', 'write what is seen to a folder')
    .option('--no-probes', 'send no packets')
    .option('--json', 'one JSON document')
    .option('--svg <FILE>', `${SVG_HELP}: ways of the colours before, at and after what --fail names`)
    .addHelpText('after', HELP)
    .action(run);
}

function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

async function run(file: string | undefined, options: VerifyOptions): Promise<void> {
  const conflict = conflictOf(file, options);
  if (conflict !== undefined) throw new CommandError(conflict, EXIT_USAGE);
  if (file === undefined) {
    const lab = loadLab(options.lab);
    return options.predict ? showPrediction(lab.plan, options) : verifyLab(lab, options);
  }
  const plan = planLab(readTopology(file));
  if (options.pcap === undefined && options.state === undefined) return showPrediction(plan, options);
  draw(predict(plan), predict(plan, failed(plan, options)), options);
  if (options.state === undefined) return verifyCaptures(plan, options.pcap ?? [], options);
  report(verify(predict(plan, failed(plan, options)), stateIn(options.state, plan)), {
    state: stateIn(options.state, plan),
    options,
    probed: null,
  });
}

function conflictOf(
  file: string | undefined,
  { lab, predict: alone, state, pcap, dump }: VerifyOptions,
): string | undefined {
  if (file !== undefined && lab !== undefined)
    return '--lab and a TOPOLOGY do not go together: with the file no lab is asked';
  if (file !== undefined && dump !== undefined) return '--dump writes what is seen of a lab: leave TOPOLOGY out';
  if (file === undefined && state !== undefined) return '--state needs the TOPOLOGY that it is the state of';
  if (file === undefined && pcap !== undefined) return '--pcap needs the TOPOLOGY that was captured';
  if (state !== undefined && pcap !== undefined) return '--state and --pcap do not go together: one at a time';
  if (alone && pcap !== undefined) return '--predict and --pcap do not go together: the model looks at nothing';
  if (alone && state !== undefined) return '--predict and --state do not go together: the model looks at nothing';
  if (alone && dump !== undefined) return '--predict and --dump do not go together: the model looks at nothing';
  return undefined;
}

function failed(plan: LabPlan, { fail = [] }: VerifyOptions): ReadonlySet<string> {
  const failures = failuresOf(plan, fail);
  if (failures.links) return failures.links;
  throw new CommandError(`--fail: ${failures.problem}`, EXIT_USAGE);
}

function stateIn(directory: string, plan: LabPlan): FabricState {
  try {
    return readState(directory, plan);
  } catch (error) {
    if (error instanceof StateError) throw new CommandError(error.message, EXIT_USAGE);
    throw error;
  }
}

function showPrediction(plan: LabPlan, options: VerifyOptions): void {
  const links = failed(plan, options);
  const screen = { paint: terminalPaint(), width: terminalWidth() };
  const intact = predict(plan);
  draw(intact, predict(plan, links), options);
  if (links.size === 0) {
    if (options.json) printJson(predictionJson(intact));
    else print(renderPrediction(intact, screen));
    return;
  }
  const comparison = whatIf(intact, predict(plan, links));
  if (options.json) printJson(whatIfJson(comparison));
  else print(renderWhatIf(comparison, screen));
}

async function verifyLab(lab: Lab, options: VerifyOptions): Promise<void> {
  const assumed = predict(lab.plan, failed(lab.plan, options));
  draw(predict(lab.plan), assumed, options);
  await requireNamespaces();
  await requireWhole(lab);
  const state = await observeLab(lab);
  if (options.dump !== undefined) writeState(options.dump, state);
  const seen = verify(assumed, state);
  if (!options.probes) return report(seen, { state, options, probed: null });
  const { verification, count, skipped } = await probed(lab, seen);
  complain(skipped.map((text) => `not probed, nobody has an address or can send to it: ${text}`));
  report(verification, { state, options, probed: count });
}

/** Sessions alone: captures show neither choices nor kernels. */
function verifyCaptures(plan: LabPlan, files: readonly string[], options: VerifyOptions): void {
  const captures = files.map((file) => {
    const capture = readCaptureFile(file);
    if (typeof capture === 'string') throw new CommandError(capture, EXIT_USAGE);
    return capture;
  });
  const receivers = replayReceivers(replayFiles(captures, { port: BGP_PORT }));
  const assumed = predict(plan, failed(plan, options));
  const { prediction, state, sessions, strangers } = capturedState(assumed, receivers);
  if (sessions === 0) throw new CommandError(nothingCaptured(plan, strangers), EXIT_USAGE);
  complain(strangers.map((name) => `not of the topology, and left out: ${name}`));
  const { differences } = readRoutes(prediction, state);
  if (options.json) printJson({ ...captureJson(prediction, state), same: differences.length === 0, differences });
  else print(renderCaptures({ prediction, sessions, differences }, terminalPaint()));
  if (differences.length > 0) throw new SilentExit(EXIT_DIFFERENT);
}

function nothingCaptured({ topology, routers }: LabPlan, strangers: readonly string[]): string {
  const first = routers.find(({ role }) => role === 'leaf');
  const seen = strangers.length === 0 ? 'no routes at all' : `routes of ${strangers.join(', ')} alone`;
  return `the captures show ${seen}, and nothing of topology ${topology.name}, whose routers have identifiers such as ${first?.routerId}`;
}

function draw(intact: Prediction, assumed: Prediction, { svg, fail = [] }: VerifyOptions): void {
  if (svg === undefined) return;
  const panels = failurePanels(intact, assumed);
  if (panels.length === 0) throw new CommandError('--svg: a picture needs hosts behind two leaves', EXIT_USAGE);
  const when = fail.length === 0 ? '' : ` when ${listed(fail)} ${fail.length === 1 ? 'fails' : 'fail'}`;
  writePicture(svg, { title: `What is expected of ${intact.plan.topology.name}${when}`, panels });
}

async function requireWhole(lab: Lab): Promise<void> {
  const existing = new Set(await listNamespaces());
  const missing = allNamespaces(lab).filter((name) => !existing.has(name));
  if (missing.length === 0) return;
  throw new CommandError(`lab ${lab.name} is not whole: no namespace ${missing.join(', ')} (heddle lab down, then up)`);
}

interface Shown {
  readonly state: FabricState;
  readonly options: VerifyOptions;
  /** Prefixes; null where no packets were sent. */
  readonly probed: number | null;
}

function report(verification: Verification, { state, options, probed }: Shown): void {
  if (options.json) printJson(verificationJson(verification, state, probed));
  else {
    const done = probed === null ? [] : [probesText(verification.assumed, probed)];
    print(renderVerification({ verification, state, done }, { paint: terminalPaint(), width: terminalWidth() }));
  }
  if (verification.differences.length > 0) throw new SilentExit(EXIT_DIFFERENT);
}

function probesText({ prefixes }: Prediction, probed: number): string {
  const sent = `probes sent to ${countedPrefixes(probed)}, counted at every hop`;
  return prefixes.some(({ family }) => family === 'ipv4-unicast') ? `${sent}; IPv4 by routes and kernels alone` : sent;
}
