/**
 * `npm run bench:sim`: the simulator's speed and memory beside those that other simulators were measured at (`anchors.ts`). Each run is a process of its
 * own, and rounds go in turn through all workloads, so that a slow minute of the machine hits everybody.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writePart } from '../../app/document-part.js';
import { runBenchmark } from '../common/command-line.js';
import { machineText } from '../common/machine.js';
import { type Options, parseOptions, USAGE } from './options.js';
import { reportLines } from './report.js';
import type { SimMeasurement } from './run-protocol.js';
import type { SimWorkload } from './workloads.js';

/** Milliseconds: what a run that does not end may take. */
const PATIENCE = 600_000;
const RUN = fileURLToPath(new URL('./run-main.js', import.meta.url));

const run = promisify(execFile);

async function main(parameters: readonly string[]): Promise<void> {
  const options = parseOptions(parameters);
  const measured = options.workloads.map((workload) => ({ workload, rounds: [] as SimMeasurement[] }));
  for (let round = 1; round <= options.rounds; round++) {
    for (const { workload, rounds } of measured) {
      const measurement = await measure(workload);
      rounds.push(measurement);
      const { wall, cpu, memory } = measurement;
      console.log(
        `round ${round}, ${workload.name}: ${[wall, cpu].map((s) => s.toFixed(1)).join(' s, CPU ')} s, ${memory.toFixed(0)} MB`,
      );
    }
  }
  const text = reportText(options, reportLines(measured));
  console.log(`\n${text}`);
  if (options.report !== undefined) writePart(options.report, 'figures', text);
}

async function measure({ name }: SimWorkload): Promise<SimMeasurement> {
  const { stdout } = await run(process.execPath, [RUN, name], { timeout: PATIENCE });
  return JSON.parse(stdout) as SimMeasurement;
}

function reportText({ rounds }: Options, lines: readonly string[]): string {
  return [
    '## Figures',
    '',
    `\`npm run bench:sim\`, ${rounds} rounds, medians [least-most]; ${machineText()}; Node.js ${process.versions.node}.`,
    '',
    ...lines,
  ].join('\n');
}

await runBenchmark(main, USAGE);
