/** `heddle doctor`: is this machine fit for a daemon, and what would one change here. */
import type { Command } from 'commander';
import { readConfig } from '../../config/read-config.js';
import { examples } from '../examples.js';
import { CommandError, EXIT_CODES_HELP, EXIT_FAILURE, SilentExit } from '../exit-codes.js';
import { page } from '../pager.js';
import { doctorJson, renderDoctor } from '../render/doctor.js';
import { complain, printJson, terminalPaint, terminalWidth } from '../terminal.js';

interface DoctorOptions {
  readonly json?: true;
}

export function register(program: Command): void {
  program
    .command('doctor')
    .description(
      'look at this machine before a daemon runs on it: kernel, privileges, links, and what would be changed',
    )
    .argument('[FILE]', 'configuration file (YAML); without one, what concerns any daemon')
    .option('--json', 'the findings as JSON')
    .addHelpText(
      'after',
      `${examples(
        'heddle doctor',
        'sudo heddle doctor leaf1.yaml',
        `heddle doctor leaf1.yaml --json | jq '.findings[] | select(.status == "problem")'`,
      )}
Nothing is changed. Run it as the user, and in the network namespace, that the daemon is to run in.
Ends with 0 when nothing keeps a daemon from its work (there may be warnings), with 1 when there is a problem.
${EXIT_CODES_HELP}`,
    )
    .action(run);
}

async function run(file: string | undefined, { json }: DoctorOptions): Promise<void> {
  if (process.platform !== 'linux') throw new CommandError(`doctor looks at Linux, this is ${process.platform}`);
  const read = file === undefined ? undefined : readConfig(file);
  complain(read?.warnings ?? []);
  // Loaded here only: it looks at the native packages.
  const { examine } = await import('../../doctor/doctor.js');
  const findings = await examine(read?.config);
  if (json) printJson(doctorJson(findings));
  else await page(renderDoctor(findings, { paint: terminalPaint(), width: terminalWidth() }));
  if (findings.some(({ status }) => status === 'problem')) throw new SilentExit(EXIT_FAILURE);
}
