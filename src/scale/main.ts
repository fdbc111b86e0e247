/**
 * `npm run scale`: whole fabrics of the real speaker in one process on virtual time, from cold to quiet and through failures: how long
 * that takes in virtual time, how much is said, and what it costs of CPU and memory.
 */

import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writePart } from '../app/document-part.js';
import { OptionError } from '../app/option-values.js';
import { machineText } from '../bench/common/machine.js';
import { octetsInUse } from '../bench/octets-in-use.js';
import type { ClosSize } from './clos-shape.js';
import { type Options, parseOptions, USAGE } from './options.js';
import { drawPlot, type Plot } from './plot.js';
import { renderResults } from './render.js';
import { ScaleTrial, type TrialResult } from './scale-trial.js';
import { sizeText } from './size.js';

/** Milliseconds between two lines of progress. */
const PROGRESS = 3000;

async function main(parameters: readonly string[]): Promise<void> {
  if (parameters.includes('--help') || parameters.includes('-h')) return console.log(USAGE);
  const options = parseOptions(parameters);
  const results: TrialResult[] = [];
  for (const size of options.sizes) results.push(await measure(size, options));
  const text = `${machineText()}; Node.js ${process.version}; seed ${options.seed}.\n\n${renderResults(results)}`;
  console.log(options.json ? JSON.stringify(results, undefined, 2) : `\n${text}`);
  if (options.report !== undefined) report(options.report, text, results);
  if (results.some(({ checked }) => checked.wrong.length > 0)) process.exitCode = 1;
}

async function measure(size: ClosSize, options: Options): Promise<TrialResult> {
  const { seed, delay, tableDelay, failures, checks } = options;
  let said = performance.now();
  const started = said;
  const say = (text: string): void => {
    const now = performance.now();
    if (now - said < PROGRESS) return;
    said = now;
    console.error(`${((now - started) / 1000).toFixed(0).padStart(5)} s  ${sizeText(size)}, ${text}`);
  };
  const trial = new ScaleTrial(size, { seed, delay, tableDelay, failures, checks, cpu, octetsInUse, say });
  const result = await trial.run();
  console.error(`${((performance.now() - started) / 1000).toFixed(0).padStart(5)} s  ${sizeText(size)}: done`);
  return result;
}

/** Seconds of all threads of the process. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function report(file: string, text: string, results: readonly TrialResult[]): void {
  const plots = plotsOf(results);
  const name = (plot: string) => `scale-${plot}.svg`;
  for (const [plot, drawing] of Object.entries(plots))
    writeFileSync(join(dirname(file), name(plot)), `${drawPlot(drawing)}\n`);
  const pictures = Object.entries(plots).map(([plot, { title }]) => `![${title}](${name(plot)})`);
  writePart(file, 'figures', `${text}\n\n${pictures.join('\n\n')}`);
}

/** Of fabrics of three stages, where there are any, in one mode: a line through several kinds would say nothing. */
function plotsOf(all: readonly TrialResult[]): Readonly<Record<'convergence' | 'cost', Plot>> {
  const flat = all.filter(({ size }) => size.pods === 1 && size.mode === all[0]!.size.mode);
  const results = flat.length > 0 ? flat : all;
  const points = (value: (result: TrialResult) => number) =>
    results.map((result) => ({ x: result.routers, y: value(result) })).sort((a, b) => a.x - b.x);
  const steps = [...new Set(results.flatMap((result) => result.steps.map(({ step }) => step)))];
  const down = steps.filter((step) => !/back|up|again|started/.test(step));
  const timeOf = (step: string) => (result: TrialResult) =>
    result.steps.find((one) => one.step === step)?.convergence ?? 0;
  return {
    convergence: {
      title: 'Until the fabric is quiet',
      unit: 'milliseconds of virtual time',
      lines: down.map((step) => ({ name: step, points: points(timeOf(step)) })),
    },
    cost: {
      title: 'What a router costs, cold start',
      unit: 'CPU in milliseconds, memory in megabytes',
      lines: [
        { name: 'CPU ms a router', points: points(({ steps: [cold], routers }) => (1000 * cold!.cpu) / routers) },
        { name: 'MB a router', points: points(({ memory, routers }) => memory / 1e6 / routers) },
      ],
    },
  };
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof OptionError) console.error(`${error.message}\n\n${USAGE}`);
  else console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof OptionError ? 2 : 1;
}
