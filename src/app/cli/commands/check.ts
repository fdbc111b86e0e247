/** `heddle check`: is this configuration right, and what comes of it. */
import type { Command } from 'commander';
import { counted, countedPrefixes } from '../../../core/net/counted.js';
import { formatIdentifier } from '../../../core/net/identifier.js';
import type { SpeakerConfig } from '../../../core/speaker/config.js';
import type { DaemonConfig } from '../../config/daemon-config.js';
import { configJsonSchema, parseConfig } from '../../config/parse-config.js';
import type { LocatedProblem } from '../../config/problem.js';
import { readConfig } from '../../config/read-config.js';
import { ConfigError, readText } from '../../config/read-text.js';
import { CommandError, EXIT_CODES_HELP, EXIT_USAGE, SilentExit } from '../exit-codes.js';
import { complain, print, printJson } from '../terminal.js';

const EXAMPLES = `
Examples:
  heddle check leaf1.yaml
  heddle check /etc/heddle/*.yaml
  heddle check --json leaf1.yaml | jq '.[].problems[]'
  heddle check --schema > heddle-config.schema.json

${EXIT_CODES_HELP}`;

export function register(program: Command): void {
  program
    .command('check')
    .description('check configuration files and report every mistake in them')
    .argument('[FILE...]', 'configuration files (YAML)')
    .option('--schema', 'print the JSON Schema of a configuration file')
    .option('--json', 'what is wrong with each file as JSON, with line and column')
    .addHelpText('after', EXAMPLES)
    .action((files: string[], options: { schema?: true; json?: true }) => {
      if (options.schema) return printJson(configJsonSchema());
      if (files.length === 0) throw new CommandError('check needs a FILE (or --schema)', EXIT_USAGE);
      if (options.json) checkAsJson(files);
      else checkFiles(files);
    });
}

function checkFiles(files: readonly string[]): void {
  const problems = files.flatMap(checkFile);
  if (problems.length > 0) throw new ConfigError(problems);
}

/** A file that cannot be read has one problem, at its beginning. */
function checkAsJson(files: readonly string[]): void {
  const checked = files.map((file) => {
    const { config, problems } = located(file);
    const kernel = config ? kernelWarnings(config.speaker).map((message) => wholeFile('warning', message)) : [];
    return {
      file,
      ok: config !== undefined,
      meaning: config ? describe(config.speaker) : null,
      problems: [...problems, ...kernel],
    };
  });
  printJson(checked);
  if (checked.some(({ ok }) => !ok)) throw new SilentExit(EXIT_USAGE);
}

function located(file: string): { config?: DaemonConfig; problems: readonly LocatedProblem[] } {
  try {
    const parsed = parseConfig(readText(file));
    return parsed.config ? { config: parsed.config, problems: parsed.warnings } : { problems: parsed.problems };
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.lines.map((line) => wholeFile('error', line)) };
    throw error;
  }
}

function wholeFile(severity: LocatedProblem['severity'], message: string): LocatedProblem {
  return { severity, line: 1, column: 1, message };
}

/** Prints what a good file means; returns the errors of a bad one. */
function checkFile(file: string): readonly string[] {
  try {
    const { config, warnings } = readConfig(file);
    complain([...warnings, ...kernelWarnings(config.speaker).map((text) => `${file}: warning: ${text}`)]);
    print([`${file}: ok: ${describe(config.speaker)}`]);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.lines;
    throw error;
  }
}

/** What only the machine that runs it can tell; run and reload refuse. */
function kernelWarnings({ fabric, neighbours = [] }: SpeakerConfig): string[] {
  const signed = [...fabric, ...neighbours]
    .filter(({ authenticationKey }) => authenticationKey !== undefined)
    .map(({ name }) => name);
  if (signed.length === 0) return [];
  return [`tcp-ao (${signed.join(', ')}) needs Linux 6.7 or newer with CONFIG_TCP_AO where it runs`];
}

function describe(speaker: SpeakerConfig): string {
  const prefixes = speaker.hosts.reduce((sum, host) => sum + host.prefixes.length, speaker.advertise.length);
  return [
    `${speaker.role} ${speaker.name}`,
    `AS ${speaker.asn}`,
    `router id ${formatIdentifier(speaker.identifier)}`,
    counted(speaker.fabric.length, 'fabric interface'),
    ...(speaker.neighbours ? [counted(speaker.neighbours.length, 'neighbor')] : []),
    countedPrefixes(prefixes),
  ].join(', ');
}
