/**
 * `npm run bench:peers`: heddle beside FRR, BIRD and GoBGP as BGP speakers: the same UPDATEs to each in turn, round by round, so that a slow
 * minute of the machine hits everybody.
 */

import { writePart } from '../../app/document-part.js';
import { LabError } from '../../app/lab/command.js';
import { installPeers } from '../../app/lab/peers.js';
import { runBenchmark } from '../common/command-line.js';
import { interruptible } from '../common/interruption.js';
import { machineText } from '../common/machine.js';
import { Results } from '../common/results.js';
import { short } from '../common/table.js';
import type { Context } from './context.js';
import { measureLatency } from './latency-work.js';
import { within } from './limit.js';
import { type Options, parseOptions, USAGE } from './options.js';
import { measurePolicy } from './policy-work.js';
import { type Note, renderResults } from './results.js';
import { Stage } from './stage.js';
import type { Subject } from './subject.js';
import { heddleSubject, peerSubject } from './subjects.js';
import { measureTables } from './table-work.js';
import { judge, renderTargets } from './targets.js';
import { measureUnnumbered } from './unnumbered-work.js';
import type { Workload } from './workloads.js';

/** Seconds at one workload, after which more rounds of it would take too long. */
const SLOW = 20;

async function main(parameters: readonly string[]): Promise<void> {
  const options = parseOptions(parameters);
  if (options.peers.some((peer) => peer !== 'node')) installPeers();
  const signal = interruptible();
  const started = performance.now();
  const say = (text: string) =>
    console.error(`${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s  ${text}`);
  const stage = await Stage.build(options.name);
  try {
    const subjects = [
      heddleSubject(stage.lab),
      ...(await Promise.all(options.peers.map((peer) => peerSubject(stage.lab, peer)))),
    ];
    const outcome = await measure({ options, stage, subjects, signal, say });
    const text = reportOf(options, subjects, outcome);
    console.log(`\n${text}`);
    if (options.report !== undefined) writePart(options.report, 'figures', text);
  } catch (error) {
    // What fails afterwards fails because of it.
    signal.throwIfAborted();
    throw error;
  } finally {
    await stage.tearDown();
  }
}

interface Outcome {
  readonly results: Results;
  readonly notes: readonly Note[];
}

interface Work {
  readonly options: Options;
  readonly stage: Stage;
  readonly subjects: readonly Subject[];
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/** Who fails at a workload is named and not asked again for it, nor who is slow at it; the others go on. */
async function measure({ options, stage, subjects, signal, say }: Work): Promise<Outcome> {
  const results = new Results();
  const notes: Note[] = [];
  const over = new Set<string>();
  for (let round = 1; round <= options.rounds; round++) {
    for (const workload of options.workloads) {
      for (const subject of subjects) {
        if (over.has(`${workload.name} ${subject.name}`) || subject.fits?.(workload) === false) continue;
        const place = `round ${round}, ${workload.name}, ${subject.name}`;
        const note = (text: string) => {
          if (!notes.some((one) => one.workload === workload && one.text === text)) notes.push({ workload, text });
          say(`${place}: ${text}`);
        };
        const said: string[] = [];
        const report: Context['report'] = (figure, value, bound) => {
          const atLeast = bound === 'at-least';
          results.add({ row: workload.name, figure, subject: subject.name, value, ...(atLeast && { atLeast }) });
          said.push(`${figure} ${atLeast ? '> ' : ''}${short(value)}`);
        };
        const started = performance.now();
        try {
          await within({ seconds: options.limit, name: subject.name, signal }, (limited) =>
            measureWorkload({ subject, stage, signal: limited, report, note }, workload),
          );
          if (said.length > 0) say(`${place}: ${said.join('; ')}`);
          if (performance.now() - started > SLOW * 1000 && options.rounds > 1) {
            over.add(`${workload.name} ${subject.name}`);
            note(`${subject.name} was measured once, for it took longer than ${SLOW} s`);
          }
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof LabError)) throw error;
          over.add(`${workload.name} ${subject.name}`);
          note(error.message);
        }
      }
    }
  }
  return { results, notes };
}

function measureWorkload(context: Context, workload: Workload): Promise<void> {
  switch (workload.kind) {
    case 'tables':
      return measureTables(context, workload);
    case 'policy':
      return measurePolicy(context, workload);
    case 'latency':
      return measureLatency(context, workload);
    case 'unnumbered':
      return measureUnnumbered(context, workload);
  }
}

function reportOf(
  { rounds, workloads, quick }: Options,
  subjects: readonly Subject[],
  { results, notes }: Outcome,
): string {
  const verdicts = judge(results);
  return [
    '## Figures',
    '',
    `\`npm run bench:peers\`, ${rounds} round${rounds === 1 ? '' : 's'}, medians [least-most].${quick ? ' A look: with a hundredth of the routes.' : ''}`,
    `${subjects.map(({ version }) => version).join('; ')}; ${machineText()}.`,
    '',
    ...(verdicts.length > 0 ? ['### Targets', '', ...renderTargets(verdicts), ''] : []),
    ...renderResults(workloads, results, notes),
  ].join('\n');
}

await runBenchmark(main, USAGE);
