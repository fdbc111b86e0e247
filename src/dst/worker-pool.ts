/** Worker processes that run scenarios, each bounded in time. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { RunResult } from './run-scenario.js';
import type { Scenario } from './scenario.js';
import type { Violation } from './violation.js';

const WORKER = fileURLToPath(new URL('worker.js', import.meta.url));
/**
 * A scenario makes half a gigabyte of objects that live for an event or two: with room for many of them a collection finds few that live.
 */
const ROOM = ['--max-semi-space-size=64', '--min-semi-space-size=64'];
/** Milliseconds of wall-clock time; a run takes a few seconds on a busy machine. */
const LONGEST = 300_000;

export class WorkerPool {
  private readonly idle: ChildProcess[] = [];
  private readonly all = new Set<ChildProcess>();
  private readonly queue: ((child: ChildProcess) => void)[] = [];

  constructor(private readonly size: number) {}

  async run(scenario: Scenario): Promise<RunResult> {
    const child = await this.take();
    return new Promise((resolve) => {
      const finish = (result: RunResult, keep: boolean) => {
        clearTimeout(timer);
        child.removeAllListeners();
        if (keep) this.give(child);
        else this.discard(child);
        resolve(result);
      };
      const timer = setTimeout(() => finish(failure(`no result after ${LONGEST / 1000} s`), false), LONGEST);
      child.once('message', (result: RunResult) => finish(result, true));
      child.once('exit', (code, signal) => finish(failure(`the worker ended with ${signal ?? code}`), false));
      child.send(scenario);
    });
  }

  close(): void {
    for (const child of this.all) child.kill('SIGKILL');
  }

  private take(): Promise<ChildProcess> {
    const child = this.idle.pop() ?? (this.all.size < this.size ? this.grow() : undefined);
    return child ? Promise.resolve(child) : new Promise((resolve) => this.queue.push(resolve));
  }

  private give(child: ChildProcess): void {
    const next = this.queue.shift();
    if (next) next(child);
    else this.idle.push(child);
  }

  private discard(child: ChildProcess): void {
    child.kill('SIGKILL');
    this.all.delete(child);
    const next = this.queue.shift();
    if (next) next(this.grow());
  }

  private grow(): ChildProcess {
    const child = fork(WORKER, { serialization: 'json', execArgv: [...process.execArgv, ...ROOM] });
    this.all.add(child);
    return child;
  }
}

function failure(detail: string): RunResult {
  const violation: Violation = { invariant: 'no-exception', place: 'worker', detail };
  return { violations: [violation], digest: '', messages: 0, updates: 0, time: 0, slowest: 0 };
}
