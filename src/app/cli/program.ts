/** The `heddle` command line: every command registers itself. */
import { Command } from 'commander';
import { packageVersion } from '../version.js';
import * as check from './commands/check.js';
import * as demo from './commands/demo.js';
import * as dump from './commands/dump.js';
import * as host from './commands/host.js';
import * as lab from './commands/lab.js';
import * as neighbor from './commands/neighbor.js';
import * as policy from './commands/policy.js';
import * as reload from './commands/reload.js';
import * as replay from './commands/replay.js';
import * as run from './commands/run.js';
import * as show from './commands/show.js';
import * as trace from './commands/trace.js';
import * as traffic from './commands/traffic.js';
import * as verify from './commands/verify.js';
import { EXIT_CODES_HELP } from './exit-codes.js';

const COMMANDS = [demo, run, check, policy, show, neighbor, reload, dump, lab, host, trace, verify, traffic, replay];

const HELP = `
Examples:
  heddle demo                      a fabric comes up, a link dies under traffic, it heals
  heddle check leaf1.yaml          is this configuration right?
  heddle run leaf1.yaml            run it
  heddle lab up                    four spines and two leaves in network namespaces
  heddle show fabric               which prefix takes which uplink

${EXIT_CODES_HELP}
HEDDLE_SOCKET names the daemon's control socket; HEDDLE_DEBUG=1 adds a stack trace to errors.`;

/** Throws CommanderError instead of exiting. */
export function buildProgram(): Command {
  const program = new Command('heddle')
    .description('The BGP speaker for AI/GPU fabrics')
    .version(packageVersion, '-V, --version')
    .addHelpText('after', HELP)
    .exitOverride();
  for (const { register } of COMMANDS) register(program);
  return program;
}
