/** A workload takes only so long: who is not done by then is given up, so that a slow one does not make the others wait for hours. */
import { LabError } from '../../app/lab/command.js';

export class GivenUp extends LabError {}

export interface Limit {
  readonly seconds: number;
  /** Of who is given up. */
  readonly name: string;
  /** Ends it sooner, for a reason of its own. */
  readonly signal: AbortSignal;
}

/** Rejects with GivenUp when `work`, which is told by the signal, has not ended by itself by then. */
export async function within<Result>(
  { seconds, name, signal }: Limit,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController();
  const giveUp = () => limit.abort(new GivenUp(`${name} was given up after ${seconds} s`));
  const timer = setTimeout(giveUp, seconds * 1000);
  try {
    return await work(AbortSignal.any([signal, limit.signal]));
  } catch (error) {
    signal.throwIfAborted();
    // What fails after that fails because of it.
    limit.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
