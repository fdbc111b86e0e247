/** `heddle tech-support`: one archive for who is asked for help, without secrets. */
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { arch, release } from 'node:os';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { counted } from '../../../core/net/counted.js';
import { ControlClient } from '../../../edge/control/client.js';
import { parseConfig } from '../../config/parse-config.js';
import { formatProblem } from '../../config/problem.js';
import { packageVersion } from '../../version.js';
import { examples } from '../examples.js';
import { CommandError, EXIT_CODES_HELP, EXIT_USAGE } from '../exit-codes.js';
import { doctorJson, renderDoctor } from '../render/doctor.js';
import { plainPaint } from '../render/paint.js';
import { chooseSocket, NODE_OPTION, SOCKET_OPTION, type SocketOptions } from '../socket-choice.js';
import { Bundle, type Part } from '../support/bundle.js';
import { daemonParts } from '../support/daemon-parts.js';
import { configOf, kernelParts, logPart, processParts, tailOf } from '../support/machine-parts.js';
import { cleanConfig } from '../support/secrets.js';
import { complain, print } from '../terminal.js';

interface SupportOptions extends SocketOptions {
  readonly output?: string;
  readonly config?: string;
  readonly log?: string;
}

export function register(program: Command): void {
  program
    .command('tech-support')
    .description(
      'one archive for who is asked for help: configuration, tables, metrics, kernel, doctor, log; without secrets',
    )
    .option('--output <FILE>', 'archive to write (default: heddle-tech-support-NAME-TIME.tar.gz here)')
    .option('--config <FILE>', 'configuration file (default: the one that the daemon was started with)')
    .option('--log <FILE>', "log of the daemon (default: where its standard error goes, or the journal's)")
    .addOption(SOCKET_OPTION)
    .addOption(NODE_OPTION)
    .addHelpText(
      'after',
      `${examples(
        'sudo heddle tech-support',
        'sudo heddle tech-support --node leaf1 --output /tmp/leaf1.tar.gz',
        'heddle tech-support --config leaf1.yaml --log leaf1.log    (the daemon is down)',
      )}
Passwords, keys and tokens are taken out; addresses and names are not. What cannot be had is named, in the archive's MANIFEST.json too.
The file is readable to its owner only.
${EXIT_CODES_HELP}`,
    )
    .action(run);
}

async function run(options: SupportOptions): Promise<void> {
  const bundle = new Bundle();
  const daemon = await askDaemon(bundle, options);
  const config = readConfigPart(bundle, options.config ?? (daemon && configOf(daemon.pid)));
  if (daemon) await bundle.add([...daemonParts(daemon.client), ...processParts(daemon.pid)]);
  await bundle.add([...kernelParts(), ...doctorParts(config, daemon?.pid)]);
  if (config) await bundle.add(logParts(bundle, options, daemon?.pid));
  else bundle.lacks('log.txt', 'without the configuration nobody knows what in it is secret');
  const name = ['heddle-tech-support', ...(daemon ? [daemon.name] : []), timeText()].join('-');
  const file = options.output ?? `${name}.tar.gz`;
  writePrivately(file, await bundle.archive(name, { ...versions(), daemon: daemon?.name ?? null }));
  complain(bundle.absent.map((one) => `not in it: ${one.name}: ${one.why}`));
  print([`${file}: written; secrets that were recognised are taken out${missingText(bundle)}`]);
}

interface Daemon {
  readonly client: ControlClient;
  readonly name: string;
  readonly pid: number;
}

/** `undefined`, and named as missing, when none answers. */
async function askDaemon(bundle: Bundle, options: SocketOptions): Promise<Daemon | undefined> {
  try {
    const client = new ControlClient(chooseSocket(options));
    const { name, pid } = await client.summary();
    return { client, name, pid };
  } catch (error) {
    if (error instanceof CommandError && error.exitCode === EXIT_USAGE) throw error;
    bundle.lacks('show, metrics, process', error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

interface ConfigPart {
  readonly file: string;
  /** As it is, with its secrets. */
  readonly text: string;
}

function readConfigPart(bundle: Bundle, file: string | undefined): ConfigPart | undefined {
  if (file === undefined) {
    bundle.lacks('config', 'nobody says where the configuration file is: --config FILE names it');
    return undefined;
  }
  try {
    const text = tailOf(file);
    const clean = cleanConfig(text);
    if (clean) {
      bundle.hide(clean.secrets);
      bundle.keep({ name: `config/${basename(file)}`, text: clean.text });
      return { file, text };
    }
    bundle.lacks(`config/${basename(file)}`, 'it is no YAML, so that nobody knows where its secrets are');
  } catch (error) {
    bundle.lacks('config', `${file}: ${(error as NodeJS.ErrnoException).code ?? error}`);
  }
  return undefined;
}

function doctorParts(config: ConfigPart | undefined, process: number | undefined): Part[] {
  const parsed = config && parseConfig(config.text);
  let asked: Promise<Parameters<typeof doctorJson>[0]> | undefined;
  const answer = () => {
    asked ??= import('../../doctor/doctor.js').then(({ examine }) => examine(parsed?.config, { process }));
    return asked;
  };
  const problems = (parsed && 'problems' in parsed ? parsed.problems : parsed?.warnings) ?? [];
  return [
    ...(config
      ? [
          {
            name: 'config/check.txt',
            read: () => problems.map((one) => `${formatProblem(basename(config.file), one)}\n`).join(''),
          },
        ]
      : []),
    { name: 'doctor.json', read: async () => `${JSON.stringify(doctorJson(await answer()), null, 2)}\n` },
    {
      name: 'doctor.txt',
      read: async () =>
        renderDoctor(await answer(), { paint: plainPaint, width: 160 })
          .map((line) => `${line}\n`)
          .join(''),
    },
  ];
}

function logParts(bundle: Bundle, { log }: SupportOptions, pid: number | undefined): Part[] {
  if (log !== undefined) return [{ name: 'log.txt', read: () => tailOf(log) }];
  if (pid !== undefined) return [logPart(pid)];
  bundle.lacks('log.txt', 'nobody says where the log is: --log FILE names it');
  return [];
}

function versions() {
  return {
    written: new Date().toISOString(),
    versions: { heddle: packageVersion, node: process.versions.node, kernel: release(), architecture: arch() },
  };
}

/** `20260102T030405Z`. */
function timeText(): string {
  return new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

/** Nobody else may read it, not even while it is written; an old file is replaced when the new one is whole. */
function writePrivately(file: string, octets: Uint8Array): void {
  const unfinished = `${file}.part`;
  try {
    rmSync(unfinished, { force: true });
    writeFileSync(unfinished, octets, { mode: 0o600, flag: 'wx' });
    chmodSync(unfinished, 0o600);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw new CommandError(`${file}: cannot be written (${(error as NodeJS.ErrnoException).code ?? error})`);
  }
}

function missingText({ absent }: Bundle): string {
  return absent.length === 0 ? '' : `; ${counted(absent.length, 'part')} missing`;
}
