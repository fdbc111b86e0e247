/** A thread that runs one scheme and seed of a study after another: the other half of `run-tasks.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { runStudy } from './run-study.js';
import type { FromWorker, ToWorker, WorkerStudy } from './run-tasks.js';
import { studyOf } from './study.js';

const port = parentPort!;
const { file, path, flows } = workerData as WorkerStudy;
const study = studyOf(file, path);
const tell = (message: FromWorker) => port.postMessage(message);

port.on('message', async ({ task, scheme, seed }: ToWorker) => {
  try {
    const run = await runStudy(study, study.schemes[scheme]!, seed, {
      flows,
      progress: (progress) => tell({ task, progress }),
    });
    tell({ task, run });
  } catch (error) {
    tell({ task, failure: error instanceof Error ? error.message : String(error) });
  }
});
