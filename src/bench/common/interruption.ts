/** The end of a benchmark by a signal: everything is taken down, and the exit status is that of a program that a signal ended. */
import { constants } from 'node:os';
import { LabError } from '../../app/lab/command.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export class Interruption extends LabError {
  readonly status: number;

  constructor(signal: (typeof SIGNALS)[number]) {
    super(`${signal}: everything was taken down`);
    this.status = 128 + constants.signals[signal];
  }
}

/** Aborted, with the line that says why, by the signals that end a program. */
export function interruptible(): AbortSignal {
  const interruption = new AbortController();
  for (const signal of SIGNALS) process.on(signal, () => interruption.abort(new Interruption(signal)));
  return interruption.signal;
}
