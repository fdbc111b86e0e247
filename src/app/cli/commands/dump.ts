/** `heddle dump`: the tables of a running daemon in formats that other tools read. */
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError } from 'commander';
import type { Family } from '../../../core/net/family.js';
import { ControlClient } from '../../../edge/control/client.js';
import { CommandError, EXIT_CODES_HELP } from '../exit-codes.js';
import {
  API_OPTION,
  CA_OPTION,
  chooseDaemon,
  type DaemonOptions,
  NODE_OPTION,
  SOCKET_OPTION,
  TOKEN_OPTION,
} from '../socket-choice.js';

interface DumpOptions extends DaemonOptions {
  readonly family?: Family;
}

const EXAMPLES = `
Examples:
  heddle dump mrt leaf1.mrt
  heddle dump mrt --family ipv6 --node leaf1 - | bgpdump -m -
  heddle replay leaf1.mrt

FILE - is standard output. Every path a neighbor announced is in it, and the routes of the router's own.

${EXIT_CODES_HELP}`;

export function register(program: Command): void {
  program
    .command('dump')
    .description('write the tables of a running daemon to a file')
    .addHelpText('after', EXAMPLES)
    .command('mrt')
    .description('the RIB as an MRT table dump (RFC 6396 TABLE_DUMP_V2)')
    .argument('<FILE>', 'file to write; an old one is replaced when the dump is whole')
    .option('--family <FAMILY>', 'ipv4 or ipv6; default: both', familyOption)
    .addOption(SOCKET_OPTION)
    .addOption(NODE_OPTION)
    .addOption(API_OPTION)
    .addOption(TOKEN_OPTION)
    .addOption(CA_OPTION)
    .addHelpText('after', EXAMPLES)
    .action(dumpMrt);
}

async function dumpMrt(file: string, options: DumpOptions): Promise<void> {
  const octets = new ControlClient(chooseDaemon(options)).mrt(options.family);
  if (file === '-') {
    for await (const piece of octets) if (!process.stdout.write(piece)) await drained();
    return;
  }
  const unfinished = `${file}.part`;
  try {
    await pipeline(octets, createWriteStream(unfinished));
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    throw code === undefined ? error : new CommandError(`${file}: cannot be written (${code})`);
  }
}

function drained(): Promise<void> {
  return new Promise((resolve) => process.stdout.once('drain', resolve));
}

function familyOption(text: string): Family {
  if (text === 'ipv4' || text === 'ipv6') return `${text}-unicast`;
  throw new InvalidArgumentError('It is ipv4 or ipv6.');
}
