/** The rows with daemons: builds what they stand on, goes through them, and takes it down. */
import type { Results } from '../common/results.js';
import { frrSubject } from '../fib/frr-subject.js';
import { Ground } from '../fib/ground.js';
import { heddleSubject } from '../fib/heddle-subject.js';
import type { Row } from '../fib/row.js';
import { Stage } from '../fib/stage.js';
import { balance, gap, reorder } from './live-rows.js';
import type { Options } from './options.js';
import type { RowName } from './subjects.js';

const LIVE = { balance, reorder, gap } as const satisfies Partial<Record<RowName, Row>>;
/** They take long, and their figures hardly differ. */
const MOST_ROUNDS = 2;

export interface LiveWork {
  readonly results: Results<RowName>;
  readonly signal: AbortSignal;
}

const liveRows = ({ rows }: Options) =>
  (Object.keys(LIVE) as (keyof typeof LIVE)[]).filter((row) => rows.includes(row));

/** Whether FRR must be there. */
export const needsPeers = (options: Options): boolean => liveRows(options).length > 0;

/** What could not be measured, and why. */
export async function measureLive(options: Options, { results, signal }: LiveWork): Promise<readonly string[]> {
  const rows = liveRows(options);
  if (rows.length === 0) return [];
  const stage = await Stage.build(`${options.name}-live`);
  const ground = new Ground(stage, signal);
  const failures: string[] = [];
  try {
    const subjects = [heddleSubject(stage.lab), await frrSubject(stage.lab)];
    for (let round = 1; round <= Math.min(options.rounds, MOST_ROUNDS); round++)
      for (const row of rows) {
        const say = (text: string) => console.log(`round ${round}, ${row}: ${text}`);
        await LIVE[row]({
          ...{ ground, subjects, round, quick: true, say },
          report: (measurement) => results.add({ ...measurement, row }),
          fail: (text) => {
            failures.push(`round ${round}, ${row}: ${text}`);
            say(`FAILED: ${text}`);
          },
        });
      }
  } catch (error) {
    // What fails afterwards fails because of it.
    signal.throwIfAborted();
    throw error;
  } finally {
    ground.end();
    await stage.tearDown();
  }
  return failures;
}
