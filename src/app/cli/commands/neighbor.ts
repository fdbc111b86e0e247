/** `heddle neighbor`: shut a neighbor down, enable it, reset it, or ask it for its routes again. */
import { Argument, type Command } from 'commander';
import { commandNeighbor } from '../../../edge/control/command-client.js';
import { NEIGHBOR_COMMANDS, type NeighborCommandName } from '../../../edge/control/commands.js';
import { CommandError, EXIT_CODES_HELP, EXIT_USAGE } from '../exit-codes.js';
import {
  API_OPTION,
  CA_OPTION,
  chooseDaemon,
  type DaemonOptions,
  NODE_OPTION,
  SOCKET_OPTION,
  TOKEN_OPTION,
} from '../socket-choice.js';
import { print, printJson } from '../terminal.js';

interface NeighborOptions extends DaemonOptions {
  readonly message?: string;
  readonly json?: true;
}

const DONE: Readonly<Record<NeighborCommandName, string>> = {
  shutdown: 'shut down; it stays so until it is enabled',
  enable: 'enabled',
  refresh: 'asked for all routes again',
  reset: 'reset',
};

const EXAMPLES = `
shutdown   ends the session and keeps it down, over link flaps too (Cease 6/2 with the message)
enable     lifts a shutdown, or what a prefix limit did
refresh    asks for all routes again (ROUTE-REFRESH); the session stays up
reset      ends the session and starts it again (Cease 6/4 with the message)

Examples:
  heddle neighbor to-spine1 shutdown --message "optics are replaced"
  heddle neighbor fe80::1%to-spine1 enable

${EXIT_CODES_HELP}`;

export function register(program: Command): void {
  program
    .command('neighbor')
    .alias('neighbour')
    .description('shut down, enable, refresh or reset a neighbor')
    .argument('<NAME>', 'interface, address, ADDRESS%INTERFACE, or peer group')
    .addArgument(new Argument('<COMMAND>', 'what to do').choices(NEIGHBOR_COMMANDS))
    .option('--message <TEXT>', "for the other side's operator (RFC 9003), with shutdown and reset")
    .option('--json', 'the neighbors that it was done to, as JSON')
    .addOption(SOCKET_OPTION)
    .addOption(NODE_OPTION)
    .addOption(API_OPTION)
    .addOption(TOKEN_OPTION)
    .addOption(CA_OPTION)
    .addHelpText('after', EXAMPLES)
    .action(run);
}

async function run(name: string, command: NeighborCommandName, options: NeighborOptions): Promise<void> {
  const { message } = options;
  if (message !== undefined && command !== 'shutdown' && command !== 'reset') {
    throw new CommandError(`--message goes with shutdown and reset, not with ${command}`, EXIT_USAGE);
  }
  const request = { name, command, ...(message !== undefined && { message }) };
  const done = await commandNeighbor(chooseDaemon(options), request);
  if (options.json) return printJson({ command, neighbors: done });
  print(done.map((neighbor) => `${neighbor}: ${DONE[command]}`));
}
