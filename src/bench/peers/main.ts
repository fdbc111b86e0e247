/**
 * `npm run bench:peers`: heddle beside FRR, BIRD and GoBGP as BGP speakers: the same UPDATEs to each in turn, round by round, so that a slow
 * minute of the machine hits everybody.
 */

import { writePart } from '../../app/document-part.js';
import { LabError } from '../../app/lab/command.js';
import { installPeers } from '../../app/lab/peers.js';
import { Interruption, interruptible } from '../common/interruption.js';
import { machineText } from '../common/machine.js';
import { OptionError } from '../common/option-values.js';
import { measureWorkload } from './measure.js';
import { type Options, parseOptions, USAGE } from './options.js';
import { Results, renderResults } from './results.js';
import { Stage } from './stage.js';
import type { Subject } from './subject.js';
import { heddleSubject, peerSubject } from './subjects.js';

async function main(parameters: readonly string[]): Promise<void> {
  if (parameters.includes('--help') || parameters.includes('-h')) return console.log(USAGE);
  const options = parseOptions(parameters);
  if (options.peers.length > 0) installPeers();
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
    const results = await measure({ options, stage, subjects, signal, say });
    const text = reportOf(options, subjects, results);
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

interface Work {
  readonly options: Options;
  readonly stage: Stage;
  readonly subjects: readonly Subject[];
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/** Who fails at a workload is named and not asked again for it; the others go on. */
async function measure({ options, stage, subjects, signal, say }: Work): Promise<Results> {
  const results = new Results();
  for (let round = 1; round <= options.rounds; round++) {
    for (const workload of options.workloads) {
      for (const subject of subjects) {
        if (results.failure(workload, subject) !== undefined) continue;
        const place = `round ${round}, ${workload.name}, ${subject.name}`;
        try {
          for (const result of await measureWorkload({ subject, workload, stage, signal })) {
            results.add({ workload, subject, result });
            const told = result.told === undefined ? '' : `, told ${result.told.toFixed(2)} s`;
            say(
              `${place}: ${result.step} ${result.wall.toFixed(2)} s${told}, CPU ${result.cpu.toFixed(2)} s, ${result.memory.toFixed(0)} MB, late ${result.lateness.toFixed(0)} ms`,
            );
          }
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof LabError)) throw error;
          results.fail(workload, subject, error.message);
          say(`${place}: ${error.message}`);
        }
      }
    }
  }
  return results;
}

function reportOf({ rounds }: Options, subjects: readonly Subject[], results: Results): string {
  return [
    '## Figures',
    '',
    `\`npm run bench:peers\`, ${rounds} round${rounds === 1 ? '' : 's'}, medians [least-most].`,
    `${subjects.map(({ version }) => version).join('; ')}; ${machineText()}.`,
    '',
    ...renderResults(results),
  ].join('\n');
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  if (error instanceof OptionError) console.error(USAGE);
  process.exitCode = error instanceof Interruption ? error.status : 1;
});
