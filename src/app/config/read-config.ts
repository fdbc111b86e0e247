/** A configuration file from disk, with errors that name the file. */
import { readFileSync } from 'node:fs';
import type { DaemonConfig } from './daemon-config.js';
import { parseConfig } from './parse-config.js';
import { formatProblem } from './problem.js';

/** The file cannot be read, or is wrong; `lines` are ready to print. */
export class ConfigError extends Error {
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
    this.name = 'ConfigError';
  }
}

/** Throws ConfigError with every error in the file. Warnings are ready to print. */
export function readConfig(file: string): { config: DaemonConfig; warnings: readonly string[] } {
  const parsed = parseConfig(readText(file));
  if (parsed.config === undefined)
    throw new ConfigError(parsed.problems.map((problem) => formatProblem(file, problem)));
  return { config: parsed.config, warnings: parsed.warnings.map((problem) => formatProblem(file, problem)) };
}

const READ_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'is a directory, expected a YAML file',
};

/** Throws ConfigError, naming the file, when it cannot be read. */
export function readText(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new ConfigError([`${file}: ${READ_FAILURES[code] ?? `cannot be read as UTF-8 text (${code})`}`]);
  }
}
