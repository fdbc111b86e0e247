/** `heddle explain PREFIX`: why packets go where they go, in sentences. */
import type { Command } from 'commander';
import { ControlClient, ControlError } from '../../../edge/control/client.js';
import { examples } from '../examples.js';
import { EXIT_CODES_HELP, EXIT_FAILURE, SilentExit } from '../exit-codes.js';
import { explainNoRoute, explainRoute, type Sentence } from '../explain/explanation.js';
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

interface ExplainOptions extends DaemonOptions {
  readonly json?: true;
}

export function register(program: Command): void {
  program
    .command('explain')
    .description('why packets to a prefix go where they go, what takes over, and why not another way, in sentences')
    .argument('<PREFIX>', 'a prefix, or an address (the longest match)')
    .option('--json', 'the sentences as JSON, each with what it is about')
    .addOption(SOCKET_OPTION)
    .addOption(NODE_OPTION)
    .addOption(API_OPTION)
    .addOption(TOKEN_OPTION)
    .addOption(CA_OPTION)
    .addHelpText(
      'after',
      `${examples('heddle explain fc00:2:1:1::/64', 'heddle explain fc00:2:1:1::42 --node leaf1')}\nEnds with 1 when there is no route.\n${EXIT_CODES_HELP}`,
    )
    .action(run);
}

async function run(destination: string, options: ExplainOptions): Promise<void> {
  const client = new ControlClient(chooseDaemon(options));
  const neighbors = await client.neighbors();
  try {
    tell(explainRoute(await client.route(destination), neighbors), options);
  } catch (error) {
    if (!(error instanceof ControlError) || error.status !== 404) throw error;
    tell(explainNoRoute(error.message, neighbors), options);
    throw new SilentExit(EXIT_FAILURE);
  }
}

function tell(sentences: readonly Sentence[], { json }: ExplainOptions): void {
  if (json) printJson(sentences);
  else print(sentences.map(({ text }) => text));
}
