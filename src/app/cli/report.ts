/** An error as the operator sees it: one line, no stack trace. */
import { CommanderError } from 'commander';
import { ConfigError } from '../config/read-text.js';
import { CommandError, EXIT_FAILURE, EXIT_OK, EXIT_USAGE, SilentExit } from './exit-codes.js';
import { complain } from './terminal.js';

/** Prints what the operator should know of an error; returns the exit code. */
export function report(error: unknown): number {
  if (error instanceof SilentExit) return error.exitCode;
  // commander has printed its own line.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE;
  if (process.env.HEDDLE_DEBUG === '1' && error instanceof Error) complain([error.stack ?? error.message]);
  if (error instanceof ConfigError) {
    complain(error.lines);
    return EXIT_USAGE;
  }
  const message = error instanceof Error ? error.message : String(error);
  complain([`heddle: ${isPlain(error) ? message : `unexpected: ${message} (HEDDLE_DEBUG=1 shows where)`}`]);
  return error instanceof CommandError ? error.exitCode : EXIT_FAILURE;
}

/** What the language throws by itself is a mistake in this program; everything else was written for the operator. */
function isPlain(error: unknown): boolean {
  const mistakes = [TypeError, RangeError, ReferenceError, SyntaxError];
  return error instanceof Error && !mistakes.some((mistake) => error instanceof mistake);
}
