/** `heddle check`: is this configuration right, and what comes of it. */
import type { Command } from 'commander';
import { counted, countedPrefixes } from '../../../core/net/counted.js';
import { formatIdentifier } from '../../../core/net/identifier.js';
import type { SpeakerConfig } from '../../../core/speaker/config.js';
import { configJsonSchema } from '../../config/parse-config.js';
import { readConfig } from '../../config/read-config.js';
import { ConfigError } from '../../config/read-text.js';
import { CommandError, EXIT_CODES_HELP, EXIT_USAGE } from '../exit-codes.js';
import { complain, print, printJson } from '../terminal.js';

const EXAMPLES = `
Examples:
  heddle check leaf1.yaml
  heddle check /etc/heddle/*.yaml
  heddle check --schema > heddle-config.schema.json

${EXIT_CODES_HELP}`;

export function register(program: Command): void {
  program
    .command('check')
    .description('check configuration files and report every mistake in them')
    .argument('[FILE...]', 'configuration files (YAML)')
    .option('--schema', 'print the JSON Schema of a configuration file')
    .addHelpText('after', EXAMPLES)
    .action((files: string[], options: { schema?: true }) => {
      if (options.schema) return printJson(configJsonSchema());
      if (files.length === 0) throw new CommandError('check needs a FILE (or --schema)', EXIT_USAGE);
      checkFiles(files);
    });
}

function checkFiles(files: readonly string[]): void {
  const problems = files.flatMap(checkFile);
  if (problems.length > 0) throw new ConfigError(problems);
}

/** Prints what a good file means; returns the errors of a bad one. */
function checkFile(file: string): readonly string[] {
  try {
    const { config, warnings } = readConfig(file);
    complain([...warnings, ...kernelWarnings(file, config.speaker)]);
    print([`${file}: ok: ${describe(config.speaker)}`]);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.lines;
    throw error;
  }
}

/** What only the machine that runs it can tell; run and reload refuse. */
function kernelWarnings(file: string, { fabric, neighbours = [] }: SpeakerConfig): string[] {
  const signed = [...fabric, ...neighbours]
    .filter(({ authenticationKey }) => authenticationKey !== undefined)
    .map(({ name }) => name);
  if (signed.length === 0) return [];
  return [`${file}: warning: tcp-ao (${signed.join(', ')}) needs Linux 6.7 or newer with CONFIG_TCP_AO where it runs`];
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
