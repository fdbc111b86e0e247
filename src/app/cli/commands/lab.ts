/** `heddle lab ...`: a whole fabric in network namespaces of this machine, or as a containerlab topology. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { counted } from '../../../core/net/counted.js';
import { buildLab, raiseLinks, requireNamespaces, tearDown } from '../../lab/build.js';
import { containerlabFiles, DEFAULT_IMAGES } from '../../lab/containerlab.js';
import { runInNode } from '../../lab/enter.js';
import { DEFAULT_PREFIX, describeLab, knownLabs, type Lab, loadLab, PACKAGE_ROOT } from '../../lab/lab.js';
import { failLink, healLink, silenceLink } from '../../lab/links.js';
import { planLab } from '../../lab/plan.js';
import { readTopology } from '../../lab/read-topology.js';
import { type Progress, waitReady } from '../../lab/readiness.js';
import { labStatus } from '../../lab/status.js';
import type { Topology } from '../../lab/topology.js';
import { topologyWarnings } from '../../lab/topology-warnings.js';
import { examples } from '../examples.js';
import { CommandError, EXIT_CODES_HELP } from '../exit-codes.js';
import { PAGE_HELP, PORT_OPTION } from '../local-page.js';
import { renderLabStatus } from '../render/lab.js';
import { complain, print, printJson, terminalPaint } from '../terminal.js';
import { showLab } from './lab-ui.js';

const DEFAULT_FILE = join(PACKAGE_ROOT, 'labs', 'demo.yaml');

/** The default is told without where heddle lies. */
const fileArgument = () =>
  new Argument('[FILE]', 'topology file (YAML)').default(DEFAULT_FILE, 'the demo, four spines and two leaves');

interface LabChoice {
  readonly lab?: string;
}

export function register(program: Command): void {
  const lab = program
    .command('lab')
    .description('build a fabric of network namespaces, break it, look at it')
    .enablePositionalOptions()
    .addHelpText(
      'after',
      `
Examples:
  heddle lab up                             the demo fabric (labs/demo.yaml)
  heddle lab exec leaf1 -- heddle show fabric
  heddle lab fail leaf1:spine2              cut a link
  heddle lab heal leaf1:spine2
  heddle lab ui                             the same by a click, in a browser
  heddle lab down

${EXIT_CODES_HELP}`,
    );
  registerUp(lab);
  registerDown(lab);
  registerStatus(lab);
  registerLinks(lab);
  registerUi(lab);
  registerExec(lab);
  registerExport(lab);
}

/** Subcommands on a lab that is up. */
function onLab(parent: Command, usage: string, description: string): Command {
  return parent.command(usage).description(description).option('--lab <NAME>', 'which lab, when several are up');
}

interface UpOptions {
  readonly timeout: number;
  readonly prefix: string;
}

function registerUp(parent: Command): void {
  parent
    .command('up')
    .description('build a lab and wait until every session is up and every route installed')
    .addArgument(fileArgument())
    .option('--timeout <SECONDS>', 'how long to wait', secondsOption, 30)
    .option('--prefix <PREFIX>', 'first part of every namespace name', prefixOption, DEFAULT_PREFIX)
    .addHelpText('after', examples('heddle lab up', 'heddle lab up labs/two-links.yaml --timeout 120'))
    .action(up);
}

/** What the file says; what it will not do is complained of. */
function topologyOf(file: string): Topology {
  const topology = readTopology(file);
  complain(topologyWarnings(topology).map((warning) => `${file}: warning: ${warning}`));
  return topology;
}

async function up(file: string, options: UpOptions): Promise<void> {
  const lab = describeLab(topologyOf(file), { prefix: options.prefix, source: file });
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, onSignal);
  try {
    await buildLab(lab, { onStep: (step) => complain([`lab ${lab.name}: ${step}`]), signal: interrupt.signal });
    await raiseLinks(lab);
    await waitComplete(lab, { timeout: options.timeout, signal: interrupt.signal });
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    await tearDown(lab);
    throw new CommandError(`interrupted: lab ${lab.name} is taken down again`);
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, onSignal);
  }
}

async function waitComplete(lab: Lab, { timeout, signal }: { timeout: number; signal: AbortSignal }): Promise<void> {
  const started = performance.now();
  let shown = '';
  const onProgress = (progress: Progress) => {
    const text = progressText(progress);
    if (text !== shown) complain([`lab ${lab.name}: ${text}`]);
    shown = text;
  };
  const { missing } = await waitReady(lab, { timeout: timeout * 1000, onProgress, signal });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (missing.length === 0) {
    const nodes = lab.plan.routers.length + lab.plan.hosts.length;
    return print([
      `lab ${lab.name} is up: ${counted(nodes, 'node')}, all routes in the kernel ${seconds} s after link-up`,
    ]);
  }
  complain(missing);
  throw new CommandError(
    `lab ${lab.name} is up but not complete after ${seconds} s (see above; heddle lab down removes it)`,
  );
}

function progressText({ sessions, routes }: Progress): string {
  const half = `sessions ${sessions.up}/${sessions.total}`;
  return sessions.up < sessions.total ? half : `${half}, routes ${routes.installed}/${routes.total}`;
}

function registerDown(parent: Command): void {
  onLab(parent, 'down', 'end its daemons and remove its namespaces; what is gone already is no error')
    .option('--all', 'every lab')
    .addHelpText('after', examples('heddle lab down', 'heddle lab down --lab demo', 'heddle lab down --all'))
    .action(async (options: LabChoice & { all?: true }) => {
      const names = options.lab === undefined ? knownLabs() : [options.lab];
      if (names.length === 0) return print(['no lab is up']);
      await requireNamespaces();
      for (const lab of options.all ? names.map(loadLab) : [loadLab(options.lab)]) {
        const report = await tearDown(lab);
        complain(report.strangers.map((stranger) => `left alone, not started by the lab: process ${stranger}`));
        print([
          `lab ${lab.name} is down: ${counted(report.processes, 'process', 'processes')} ended, ${counted(report.namespaces, 'namespace')} removed`,
        ]);
      }
    });
}

function registerStatus(parent: Command): void {
  onLab(parent, 'status', 'nodes, processes, sessions, links')
    .option('--json', 'the answer as JSON')
    .addHelpText('after', examples('heddle lab status', "heddle lab status --json | jq '.links[]'"))
    .action(async (options: LabChoice & { json?: true }) => {
      const status = await onNamespaces(options, labStatus);
      if (options.json) printJson(status);
      else print(renderLabStatus(status, terminalPaint()));
    });
}

function registerLinks(parent: Command): void {
  onLab(parent, 'fail', 'cut the links between two nodes: A loses its interface, B its carrier')
    .argument('<A:B>', 'two nodes, such as leaf1:spine2; with several links per pair leaf1:spine2/2 is the second')
    .option('--silent', 'keep the carrier and drop every packet: only timers notice')
    .addHelpText('after', examples('heddle lab fail leaf1:spine2', 'heddle lab fail leaf1:spine2/2 --silent'))
    .action(async (link: string, options: LabChoice & { silent?: true }) => {
      const cut = await onNamespaces(options, (lab) => (options.silent ? silenceLink(lab, link) : failLink(lab, link)));
      print(
        cut.map(
          ({ a, b }) => `${options.silent ? 'silenced' : 'cut'}: ${a.node}/${a.interface} - ${b.node}/${b.interface}`,
        ),
      );
    });
  onLab(parent, 'heal', 'mend what fail has cut')
    .argument('<A:B>', 'as for fail, in either order')
    .addHelpText('after', examples('heddle lab heal leaf1:spine2'))
    .action(async (link: string, options: LabChoice) => {
      const mended = await onNamespaces(options, (lab) => healLink(lab, link));
      print(mended.map(({ a, b }) => `mended: ${a.node}/${a.interface} - ${b.node}/${b.interface}`));
    });
}

function registerUi(parent: Command): void {
  onLab(
    parent,
    'ui',
    'show it in a browser: links with their loads, sessions, prefixes, what changes; cut and mend links there',
  )
    .addOption(PORT_OPTION)
    .addHelpText('after', `${examples('heddle lab ui', 'heddle lab ui --port 8180')}${PAGE_HELP}`)
    .action((options: LabChoice & { readonly port: number }) =>
      onNamespaces(options, (lab) => showLab(lab, options.port)),
    );
}

function registerExec(parent: Command): void {
  onLab(parent, 'exec', 'run a command on a node')
    .argument('<NODE>', 'a router or a host')
    .argument('<COMMAND...>', 'what to run; heddle asks the daemon of that node')
    .passThroughOptions()
    .addHelpText(
      'after',
      examples('heddle lab exec leaf1 -- ip -6 route', 'heddle lab exec leaf1 -- heddle show fabric'),
    )
    .action(async (node: string, command: string[], options: LabChoice) => {
      process.exit(await onNamespaces(options, (lab) => runInNode(lab, node, command)));
    });
}

interface ExportOptions {
  readonly out: string;
  readonly heddleImage: string;
  readonly frrImage: string;
  readonly birdImage: string;
  readonly bird3Image: string;
  readonly srLinux: string[];
  readonly srLinuxImage: string;
  readonly hostImage: string;
}

function registerExport(parent: Command): void {
  parent
    .command('export')
    .description('write a containerlab topology and its configurations')
    .addArgument(fileArgument())
    .requiredOption('--out <DIR>', 'folder to write to; made when it does not exist')
    .option('--heddle-image <IMAGE>', 'container image', DEFAULT_IMAGES.heddle)
    .option('--frr-image <IMAGE>', 'container image', DEFAULT_IMAGES.frr)
    .option('--bird-image <IMAGE>', 'container image', DEFAULT_IMAGES.bird)
    .option('--bird3-image <IMAGE>', 'container image', DEFAULT_IMAGES.bird3)
    .option('--sr-linux <SPINE...>', 'make these spines SR Linux', [])
    .option('--sr-linux-image <IMAGE>', 'container image', DEFAULT_IMAGES.srLinux)
    .option('--host-image <IMAGE>', 'container image', DEFAULT_IMAGES.host)
    .addHelpText(
      'after',
      examples(
        'heddle lab export --out clab',
        'heddle lab export labs/mixed.yaml --out clab --heddle-image heddle:dev',
        'heddle lab export --out clab --sr-linux spine2 spine4',
      ),
    )
    .action(exportLab);
}

function exportLab(file: string, options: ExportOptions): void {
  const images = {
    heddle: options.heddleImage,
    frr: options.frrImage,
    bird: options.birdImage,
    bird3: options.bird3Image,
    srLinux: options.srLinuxImage,
    host: options.hostImage,
  };
  const files = containerlabFiles(planLab(topologyOf(file)), images, options.srLinux);
  for (const { path, text } of files) {
    const target = join(options.out, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  print([
    `${counted(files.length, 'file')} in ${options.out}: containerlab deploy -t ${join(options.out, files[0]!.path)}`,
  ]);
}

/** Namespaces are root's: say so before an ip command fails. */
async function onNamespaces<T>(options: LabChoice, work: (lab: Lab) => Promise<T>): Promise<T> {
  const lab = loadLab(options.lab);
  await requireNamespaces();
  return work(lab);
}

function secondsOption(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is seconds, a whole number from 1 on.');
}

function prefixOption(text: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,15}$/.test(text)) return text;
  throw new InvalidArgumentError('It is lower-case letters, digits and dashes, at most 16.');
}
