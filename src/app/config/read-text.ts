/** The text of a file that a user names, and the error of whatever is wrong with it. */
import { readFileSync } from 'node:fs';

/** The file cannot be read, or is wrong; `lines` are ready to print. */
export class ConfigError extends Error {
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
    this.name = 'ConfigError';
  }
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
