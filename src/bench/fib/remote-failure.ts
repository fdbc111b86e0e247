/**
 * Row b: the preferred spine loses its link to the far leaf. Its scripted speaker takes the link down and writes the
 * withdrawal of all prefixes in one breath, so everybody who is measured hears the same octets at the same pace.
 */
import { FIGURE, REMOTE_COUNTS } from './figures.js';
import { gapDuring } from './gap.js';
import { FAR_INTERFACE, type Uplink } from './plan.js';
import { measureOne, type Row, type RowContext } from './row.js';
import type { Subject } from './subject.js';

const UPLINKS: readonly Uplink[] = [1, 2, 3];
const PREFERRED: Uplink = 1;
/** Milliseconds. */
const AFTER = 300;

export const remoteFailure: Row = async (context) => {
  for (const subject of context.subjects) {
    const work = async () => {
      for (const count of REMOTE_COUNTS) await failOnce(context, subject, count);
    };
    await measureOne(context, subject, { options: { uplinks: UPLINKS }, work });
  }
};

async function failOnce({ ground, report, say }: RowContext, subject: Subject, count: number): Promise<void> {
  await ground.setRoutes(UPLINKS, count);
  await ground.settled(subject, PREFERRED, count);
  const gap = await gapDuring(ground, count, async () => {
    await ground.speaker(PREFERRED).cut(FAR_INTERFACE);
    await ground.moved(PREFERRED, count);
    await ground.pause(AFTER);
  });
  report({ figure: FIGURE.gap(count), subject: subject.name, value: gap.gap });
  report({ figure: FIGURE.lost(count), subject: subject.name, value: gap.lost });
  if (count > 1) report({ figure: FIGURE.slowest(count), subject: subject.name, value: gap.slowest });
  say(`${subject.name}, ${count} prefixes: ${gap.lost} lost, gap ${gap.gap} ms, slowest ${gap.slowest} ms`);
  await ground.stage.heal(PREFERRED);
  await ground.speaker(PREFERRED).setRoutes(count);
  await ground.settled(subject, PREFERRED, count);
}
