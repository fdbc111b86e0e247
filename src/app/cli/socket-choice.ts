/** Which daemon a command means: --socket, --node, HEDDLE_SOCKET, or the only one there is; or --api, over TCP. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Option } from 'commander';
import { readToken } from '../../edge/control/credentials.js';
import { type Endpoint, endpointAt, tcpEndpoint } from '../../edge/control/endpoint.js';
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

export interface DaemonOptions extends SocketOptions {
  readonly api?: string;
  readonly tokenFile?: string;
  readonly ca?: string;
}

/** The same over TCP. */
export const API_OPTION = new Option(
  '--api <URL>',
  'the control API over TCP in place of a socket: https://leaf1:8443 (with --token-file)',
);
export const TOKEN_OPTION = new Option('--token-file <FILE>', 'with --api: file with the token, mode 0600');
export const CA_OPTION = new Option(
  '--ca <FILE>',
  "with --api: PEM file of who signed the daemon's certificate (default: whom the system trusts)",
);

/** Throws CommandError when it is not clear which, or how to get in. */
export function chooseDaemon(options: DaemonOptions): Endpoint {
  const { api, tokenFile, ca, socket, node } = options;
  if (api === undefined) {
    const alone = tokenFile === undefined ? ca && '--ca' : '--token-file';
    if (alone) throw new CommandError(`${alone} goes with --api`, EXIT_USAGE);
    return endpointAt(chooseSocket(options));
  }
  if (socket !== undefined || node !== undefined)
    throw new CommandError(
      `--api and --${socket === undefined ? 'node' : 'socket'} both name a daemon: give one`,
      EXIT_USAGE,
    );
  if (tokenFile === undefined) throw new CommandError('--api needs --token-file', EXIT_USAGE);
  const url = apiUrl(api);
  if (ca !== undefined && url.protocol === 'http:') throw new CommandError('--ca goes with https://', EXIT_USAGE);
  try {
    const trusted = ca === undefined ? {} : { ca: readFileSync(ca, 'utf8') };
    return tcpEndpoint({ url, token: readToken(tokenFile, '--token-file'), ...trusted });
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw new CommandError(`--ca ${ca}: cannot be read (${error.code})`);
    throw error;
  }
}

const LOOPBACK = /^(127(\.\d+){3}|\[::1\]|localhost)$/;

function apiUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) {
    if (url.protocol === 'https:' || LOOPBACK.test(url.hostname)) return url;
    throw new CommandError(
      `--api ${text}: the token could be read on its way: https:// goes to other machines`,
      EXIT_USAGE,
    );
  }
  throw new CommandError(`--api ${text}: expected https://HOST:PORT, or http:// on loopback`, EXIT_USAGE);
}

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
