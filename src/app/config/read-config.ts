/** A configuration file from disk, with errors that name the file. */
import type { DaemonConfig } from './daemon-config.js';
import { parseConfig } from './parse-config.js';
import { formatProblem } from './problem.js';
import { ConfigError, readText } from './read-text.js';

/** Throws ConfigError with every error in the file. Warnings are ready to print. */
export function readConfig(file: string): { config: DaemonConfig; warnings: readonly string[] } {
  const parsed = parseConfig(readText(file));
  if (parsed.config === undefined)
    throw new ConfigError(parsed.problems.map((problem) => formatProblem(file, problem)));
  return { config: parsed.config, warnings: parsed.warnings.map((problem) => formatProblem(file, problem)) };
}
