/** The runs of a study, spread over threads: each scheme with each seed is one run, and runs know nothing of each other. */
import { Worker } from 'node:worker_threads';
import { type Progress, runStudy, type TimedRun } from './run-study.js';
import type { Study } from './study.js';
import type { StudyFile } from './study-schema.js';

export interface Task {
  /** Index among the study's schemes. */
  readonly scheme: number;
  readonly seed: number;
}

export interface WorkerStudy {
  readonly file: StudyFile;
  readonly path: string;
  /** Whether every flow is wanted by itself. */
  readonly flows: boolean;
}

export interface ToWorker extends Task {
  /** Index among the tasks. */
  readonly task: number;
}

export type FromWorker =
  | { readonly task: number; readonly progress: Progress; readonly run?: never; readonly failure?: never }
  | { readonly task: number; readonly run: TimedRun; readonly progress?: never; readonly failure?: never }
  | { readonly task: number; readonly failure: string; readonly progress?: never; readonly run?: never };

/** Who is told how far a task is, and its end. */
export interface TaskWatcher {
  progress(task: Task, progress: Progress): void;
  done(task: Task, run: TimedRun): void;
  failed(failure: TaskFailure): void;
}

/** All schemes with all seeds, the seeds first: after each round of schemes there is something to compare. */
export function tasksOf(study: Study): Task[] {
  return study.seeds.flatMap((seed) => study.schemes.map((_, scheme) => ({ scheme, seed })));
}

/**
 * The `index`th of `count` equal parts (from 1): the seeds of each scheme are dealt round, so that parts take about the same time. `before`: how many have
 * been dealt already, at other points of a sweep.
 */
export function shardOf(tasks: readonly Task[], index: number, count: number, before = 0): Task[] {
  const dealt = [...tasks].sort((a, b) => a.scheme - b.scheme || a.seed - b.seed);
  const own = new Set(dealt.filter((_, task) => (before + task) % count === index - 1));
  return tasks.filter((task) => own.has(task));
}

/** What came of tasks, in their order. */
export interface TaskRuns {
  readonly runs: readonly TimedRun[];
  readonly failures: readonly TaskFailure[];
}

export interface TaskFailure extends Task {
  readonly reason: string;
}

interface RunSettings {
  readonly jobs: number;
  /** Whether every flow is wanted by itself. */
  readonly flows: boolean;
  readonly watcher: TaskWatcher;
}

/** Runs tasks, at most `jobs` at a time. One that fails does not end the others. One job runs here, without a thread. */
export async function runTasks(
  study: Study,
  path: string,
  tasks: readonly Task[],
  settings: RunSettings,
): Promise<TaskRuns> {
  const { jobs, flows, watcher } = settings;
  const lanes = Math.min(jobs, tasks.length);
  const workerStudy = { file: study.file, path, flows };
  const lane = (): Lane => (lanes <= 1 ? new Here(study, flows) : new Thread(workerStudy));
  const results: (TimedRun | TaskFailure)[] = new Array(tasks.length);
  let next = 0;
  const work = async () => {
    let own = lane();
    while (next < tasks.length) {
      const index = next++;
      const task = tasks[index]!;
      const progress = (progress: Progress) => watcher.progress(task, progress);
      try {
        const run = await own.run({ ...task, task: index }, progress);
        results[index] = run;
        watcher.done(task, run);
      } catch (error) {
        const failure = { ...task, reason: error instanceof Error ? error.message : String(error) };
        results[index] = failure;
        watcher.failed(failure);
        // A thread that ran out of memory is no more.
        await own.end();
        own = lane();
      }
    }
    await own.end();
  };
  await Promise.all(Array.from({ length: lanes }, work));
  const isFailure = (one: TimedRun | TaskFailure): one is TaskFailure => 'reason' in one;
  return {
    runs: results.filter((one): one is TimedRun => !isFailure(one)),
    failures: results.filter(isFailure),
  };
}

/** Where tasks run one after another. */
interface Lane {
  run(message: ToWorker, progress: (progress: Progress) => void): Promise<TimedRun>;
  end(): Promise<void>;
}

class Here implements Lane {
  constructor(
    private readonly study: Study,
    private readonly flows: boolean,
  ) {}

  run({ scheme, seed }: ToWorker, progress: (progress: Progress) => void): Promise<TimedRun> {
    return runStudy(this.study, this.study.schemes[scheme]!, seed, { progress, flows: this.flows });
  }

  async end(): Promise<void> {}
}

class Thread implements Lane {
  private readonly worker: Worker;

  constructor(workerData: WorkerStudy) {
    this.worker = new Worker(new URL('./run-worker.js', import.meta.url), { workerData, name: 'run' });
  }

  run(message: ToWorker, progress: (progress: Progress) => void): Promise<TimedRun> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        this.worker.off('message', hear).off('error', fail);
        settle();
      };
      const fail = (error: Error) => end(() => reject(error));
      const hear = (answer: FromWorker) => {
        if (answer.task !== message.task) return;
        if (answer.progress) progress(answer.progress);
        else if (answer.run) end(() => resolve(answer.run));
        else end(() => reject(new Error(answer.failure)));
      };
      this.worker.on('message', hear).on('error', fail);
      this.worker.postMessage(message);
    });
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }
}
