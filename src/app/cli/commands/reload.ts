/** `heddle reload`: the daemon reads its configuration file again and applies what differs. */
import type { Command } from 'commander';
import { ReloadRefused, reload } from '../../../edge/control/command-client.js';
import { ConfigError } from '../../config/read-text.js';
import { EXIT_CODES_HELP } from '../exit-codes.js';
import {
  API_OPTION,
  CA_OPTION,
  chooseDaemon,
  type DaemonOptions,
  NODE_OPTION,
  SOCKET_OPTION,
  TOKEN_OPTION,
} from '../socket-choice.js';
import { complain, print, printJson } from '../terminal.js';

const EXAMPLES = `
Sessions whose settings did not change are not touched. A file that is wrong, or that changes what needs a restart
(name, as, router-id, port, control-socket, ...), changes nothing. SIGHUP does the same.

Examples:
  heddle check leaf1.yaml && heddle reload
  heddle reload --json | jq -r '.changes[]'

${EXIT_CODES_HELP}`;

export function register(program: Command): void {
  program
    .command('reload')
    .description('apply a changed configuration file to a running daemon')
    .option('--json', 'changes and warnings as JSON')
    .addOption(SOCKET_OPTION)
    .addOption(NODE_OPTION)
    .addOption(API_OPTION)
    .addOption(TOKEN_OPTION)
    .addOption(CA_OPTION)
    .addHelpText('after', EXAMPLES)
    .action(run);
}

async function run(options: DaemonOptions & { readonly json?: true }): Promise<void> {
  const { changes, warnings } = await reload(chooseDaemon(options)).catch((error: unknown) => {
    throw error instanceof ReloadRefused ? new ConfigError(error.lines) : error;
  });
  if (options.json) return printJson({ changes, warnings });
  complain(warnings);
  print(changes.length > 0 ? changes : ['nothing changed']);
}
