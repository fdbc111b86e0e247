/** The `heddle` command line: every command registers itself. */
import { Command, Option } from 'commander';
import { packageVersion } from '../version.js';
import { EXIT_CODES_HELP } from './exit-codes.js';
import { allowPager } from './pager.js';
import { COLOUR_CHOICES, type ColourChoice, chooseColours } from './terminal.js';

/**
 * In the order of `heddle --help`. A command that is called by its name is the only one that is loaded: of 725 modules `heddle sim compare` needs 516,
 * `heddle show` 128.
 */
const COMMANDS: ReadonlyMap<string, () => Promise<{ register(program: Command): void }>> = new Map([
  ['demo', () => import('./commands/demo.js')],
  ['run', () => import('./commands/run.js')],
  ['check', () => import('./commands/check.js')],
  ['doctor', () => import('./commands/doctor.js')],
  ['config', () => import('./commands/config.js')],
  ['policy', () => import('./commands/policy.js')],
  ['show', () => import('./commands/show.js')],
  ['explain', () => import('./commands/explain.js')],
  ['watch', () => import('./commands/watch.js')],
  ['ui', () => import('./commands/ui.js')],
  ['neighbor', () => import('./commands/neighbor.js')],
  ['reload', () => import('./commands/reload.js')],
  ['dump', () => import('./commands/dump.js')],
  ['api', () => import('./commands/api.js')],
  ['tech-support', () => import('./commands/tech-support.js')],
  ['lab', () => import('./commands/lab.js')],
  ['host', () => import('./commands/host.js')],
  ['trace', () => import('./commands/trace.js')],
  ['verify', () => import('./commands/verify.js')],
  ['traffic', () => import('./commands/traffic.js')],
  ['replay', () => import('./commands/replay.js')],
  ['sim', () => import('./commands/sim.js')],
  ['completion', () => import('./commands/completion.js')],
]);

const HELP = `
Examples:
  heddle demo                      a fabric comes up, a link dies under traffic, it heals
  heddle check leaf1.yaml          is this configuration right?
  heddle doctor leaf1.yaml         is this machine fit for it, and what would change here?
  heddle run leaf1.yaml            run it
  heddle lab up                    four spines and two leaves in network namespaces
  heddle show fabric               which prefix takes which uplink

${EXIT_CODES_HELP}
--color and --no-pager go with every command. NO_COLOR and TERM=dumb keep colours off; PAGER says what pages (default: less -FRX), on a terminal alone.
HEDDLE_SOCKET names the daemon's control socket; HEDDLE_DEBUG=1 adds a stack trace to errors.`;

/** With the command that `name` is, or with all. The program throws CommanderError instead of exiting. */
export async function buildProgram(name?: string): Promise<Command> {
  const program = new Command('heddle')
    .description('The BGP speaker for AI/GPU fabrics')
    .version(packageVersion, '-V, --version')
    .addOption(
      new Option('--color <WHEN>', 'colours: on a terminal, always or never').choices(COLOUR_CHOICES).default('auto'),
    )
    .option('--no-pager', 'long tables go through no pager')
    .hook('preAction', (_, command) => {
      const { color, pager } = command.optsWithGlobals<{ color: ColourChoice; pager: boolean }>();
      chooseColours(color);
      allowPager(pager);
    })
    .addHelpText('after', HELP)
    .exitOverride();
  const named = name === undefined ? undefined : COMMANDS.get(name);
  const commands = await Promise.all((named ? [named] : [...COMMANDS.values()]).map((load) => load()));
  for (const { register } of commands) register(program);
  return program;
}
