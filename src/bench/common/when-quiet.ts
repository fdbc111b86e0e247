/** Waits until who is measured stands still: done with what it was given, or with what it does once it has started. */
import { setTimeout as pause } from 'node:timers/promises';
import { LabError } from '../../app/lab/command.js';
import { now } from '../../app/lab/monotonic.js';
import { poll } from '../../app/lab/poll.js';
import { Quiet } from './quiet.js';
import { cpuSeconds } from './usage.js';

/** Milliseconds. */
const LOOK = 20;
const PATIENCE = 120_000;
/** After the sessions are up: End-of-RIB and other first words are over by then, and what comes after them has begun. */
const SETTLE = 5_000;

export interface Watched {
  readonly name: string;
  pids(): readonly number[];
}

/** Resolves with when it was done, in monotonic milliseconds. */
export async function whenQuiet(subject: Watched, signal: AbortSignal): Promise<number> {
  const quiet = new Quiet(now());
  const isQuiet = () => {
    signal.throwIfAborted();
    return quiet.look(now(), cpuSeconds(subject.pids()));
  };
  if (await poll(isQuiet, { timeout: PATIENCE, interval: LOOK })) return quiet.doneAt;
  throw new LabError(`${subject.name} was not done after ${PATIENCE / 1000} s`);
}

/** To be called when the sessions are up. */
export async function whenStarted(subject: Watched, signal: AbortSignal): Promise<void> {
  await pause(SETTLE, undefined, { signal });
  await whenQuiet(subject, signal);
}
