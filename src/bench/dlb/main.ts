/**
 * `npm run bench:dlb`: what the eBPF plane's decisions cost and how many packets it forwards, beside a bare redirect and the kernel's own
 * multipath forwarding. Rounds go in turn through all of them, so that a slow minute of the machine hits everybody.
 */
import { fileURLToPath } from 'node:url';
import { writePart } from '../../app/document-part.js';
import { run } from '../../app/lab/command.js';
import { installPeers } from '../../app/lab/peers.js';
import { runBenchmark } from '../common/command-line.js';
import { interruptible } from '../common/interruption.js';
import { machineText } from '../common/machine.js';
import { type Measurement, Results } from '../common/results.js';
import { renderTable, spreadCell } from '../common/table.js';
import { measureLive, needsPeers } from './live.js';
import { type Options, parseOptions, USAGE } from './options.js';
import { buildStage, clearStage } from './stage.js';
import { BARE_ROWS, judge, type RowName } from './subjects.js';

const MEASURE = fileURLToPath(new URL('measure-main.js', import.meta.url));
/** One core for everything, so that nobody forwards on two. */
const ON_ONE_CORE = ['taskset', '-c', '0'];

async function main(parameters: readonly string[]): Promise<void> {
  const options = parseOptions(parameters);
  if (needsPeers(options)) installPeers();
  const interruption = interruptible();
  const results = new Results<RowName>();
  try {
    await buildStage(options.name);
    for (let round = 1; round <= options.rounds; round++) {
      interruption.throwIfAborted();
      console.log(`round ${round} of ${options.rounds}`);
      for (const measurement of await measure(options)) results.add(measurement);
    }
  } finally {
    await clearStage(options.name);
  }
  const failures = await measureLive(options, { results, signal: interruption });
  const text = [reportOf(options, results), ...failures.map((one) => `- **not measured**: ${one}`)].join('\n');
  console.log(`\n${text}`);
  if (options.report !== undefined) writePart(options.report, 'figures', text);
  if (failures.length > 0) process.exitCode = 1;
}

async function measure({ name, rows }: Options): Promise<readonly Measurement<RowName>[]> {
  const bare = BARE_ROWS.filter((row) => rows.includes(row));
  if (bare.length === 0) return [];
  const command = [...ON_ONE_CORE, process.execPath, MEASURE, ...bare];
  const output = await run('ip', ['netns', 'exec', name, ...command]);
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Measurement<RowName> => JSON.parse(line));
}

function reportOf({ rounds }: Options, results: Results<RowName>): string {
  return [
    '## Figures',
    '',
    `\`npm run bench:dlb\`, ${rounds} rounds, medians [least-most]. ${machineText()}.`,
    '',
    ...results.rows.flatMap((row) => [...renderTable(tableOf(results, row)), '']),
    ...judge(results).map(({ target, met, shown }) => `- ${met ? 'met' : '**not met**'}: ${target}: ${shown}`),
  ].join('\n');
}

function tableOf(results: Results<RowName>, row: RowName): readonly (readonly string[])[] {
  const subjects = results.subjects(row);
  return [
    ['', ...subjects],
    ...results
      .figures(row)
      .map((figure) => [figure, ...subjects.map((subject) => spreadCell(results.spread(row, figure, subject)))]),
  ];
}

await runBenchmark(main, USAGE);
