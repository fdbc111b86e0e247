/** What `heddle` ends with, and the error that carries it. */

export const EXIT_OK = 0;
export const EXIT_FAILURE = 1;
/** `show fib --diff` found a difference, or could not look: as diff(1) ends. */
export const EXIT_DIFFERENT = 1;
export const EXIT_NOT_COMPARED = 2;
/** A wrong command line or configuration file: nothing was tried. */
export const EXIT_USAGE = 2;

export const EXIT_CODES_HELP = 'Exit codes: 0 done, 1 failed, 2 wrong command line or configuration file.';

/** Ends a command that has said all. */
export class SilentExit extends Error {
  override readonly name = 'SilentExit';

  constructor(readonly exitCode: number) {
    super();
  }
}

/** Ends the command with one line for the operator. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    message: string,
    readonly exitCode: number = EXIT_FAILURE,
  ) {
    super(message);
  }
}
