/** Which daemon a command means: --socket, --node, HEDDLE_SOCKET, or the only one there is. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Option } from 'commander';
import { CommandError, EXIT_USAGE } from './exit-codes.js';

export const RUN_DIRECTORY = '/run/heddle';

export interface SocketOptions {
  readonly socket?: string;
  readonly node?: string;
}

/** How every command is told which daemon is meant. */
export const SOCKET_OPTION = new Option(
  '--socket <PATH>',
  'control socket of the daemon (default: HEDDLE_SOCKET, or the only one in /run/heddle)',
);
export const NODE_OPTION = new Option('--node <NAME>', 'daemon by its name: /run/heddle/NAME.sock');

/** Path of the control socket; throws CommandError when it is not clear which. */
export function chooseSocket(
  options: SocketOptions,
  environment: string | undefined = process.env.HEDDLE_SOCKET,
  directory: string = RUN_DIRECTORY,
): string {
  if (options.socket !== undefined && options.node !== undefined) {
    throw new CommandError('--socket and --node both name a daemon: give one', EXIT_USAGE);
  }
  if (options.socket !== undefined) return options.socket;
  if (options.node !== undefined) return join(directory, `${options.node}.sock`);
  return environment || onlySocket(directory);
}

function onlySocket(directory: string): string {
  const names = socketsIn(directory);
  const [first, ...others] = names;
  if (first === undefined) {
    throw new CommandError(`no daemon in ${directory} (is heddle running? --socket PATH names another place)`);
  }
  if (others.length === 0) return join(directory, first);
  throw new CommandError(
    `several daemons in ${directory}: choose one with --node (${nodesIn(directory).join(', ')})`,
    EXIT_USAGE,
  );
}

/** What `--node` takes. */
export function nodesIn(directory: string): string[] {
  return socketsIn(directory).map((name) => name.replace(/\.sock$/, ''));
}

function socketsIn(directory: string): string[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isSocket())
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT') return [];
    throw new CommandError(`${directory}: cannot be listed (${code})`);
  }
}
