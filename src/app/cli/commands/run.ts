/** `heddle run`: the daemon in the foreground, after everything that can be refused beforehand was looked at. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { DaemonConfig } from '../../config/daemon-config.js';
import { readConfig } from '../../config/read-config.js';
import { capabilityText, lackingCapabilities, neededCapabilities } from '../../doctor/capabilities.js';
import { CommandError, EXIT_CODES_HELP } from '../exit-codes.js';
import { report } from '../report.js';
import { complain } from '../terminal.js';

const EXAMPLES = `
SIGHUP, or heddle reload, applies a changed file. Stops at SIGTERM or SIGINT: tells its neighbours, and leaves no route, next hop or address behind.

Examples:
  heddle check leaf1.yaml && sudo heddle run leaf1.yaml
  heddle run leaf1.yaml 2> leaf1.log &

${EXIT_CODES_HELP}`;

export function register(program: Command): void {
  program
    .command('run')
    .description('run a leaf or a spine')
    .argument('<FILE>', 'configuration file (YAML)')
    .addHelpText('after', EXAMPLES)
    .action(run);
}

async function run(file: string): Promise<void> {
  const { config, warnings } = readConfig(file);
  complain(warnings);
  checkPrivileges(config);
  // Loaded here only: the other commands need no native package.
  const { runDaemon } = await import('../../daemon/daemon.js');
  // What a daemon that could not start still holds open must not keep the process.
  process.exit(await runDaemon(config, file).catch(report));
}

/** The plane's are not asked for: without them the kernel forwards, and says so. */
function checkPrivileges({ speaker: { port } }: DaemonConfig): void {
  if (process.platform !== 'linux') throw new CommandError(`run needs Linux, this is ${process.platform}`);
  const firstFreePort = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  const needed = neededCapabilities({ port, firstFreePort, plane: false });
  const missing = lackingCapabilities(readFileSync('/proc/self/status', 'utf8'), needed).map(capabilityText);
  if (missing.length === 0) return;
  throw new CommandError(
    `run needs ${missing.join(', ')}, which this process lacks: run it as root, or give it these (docs/packaging.md)`,
  );
}
