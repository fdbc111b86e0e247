/** The `heddle` command line: every command registers itself. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { z } from 'zod';
import * as check from './commands/check.js';
import * as run from './commands/run.js';
import * as show from './commands/show.js';
import { EXIT_CODES_HELP } from './exit-codes.js';

const COMMANDS = [run, check, show];

const HELP = `
Examples:
  heddle check leaf1.yaml          is this configuration right?
  heddle run leaf1.yaml            run it
  heddle show fabric               which prefix takes which uplink

${EXIT_CODES_HELP}
HEDDLE_SOCKET names the daemon's control socket; HEDDLE_DEBUG=1 adds a stack trace to errors.`;

/** Throws CommanderError instead of exiting. */
export function buildProgram(): Command {
  const program = new Command('heddle')
    .description('The BGP speaker for AI/GPU fabrics')
    .version(packageVersion(), '-V, --version')
    .addHelpText('after', HELP)
    .exitOverride();
  for (const { register } of COMMANDS) register(program);
  return program;
}

function packageVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}
