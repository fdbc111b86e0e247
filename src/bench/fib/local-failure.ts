/** Row a: the leaf's uplink goes down, and every prefix has to move to the other two; beside the kernel left to itself. */
import { installByHand } from './by-hand.js';
import { flushForwarding } from './daemons.js';
import { FIGURE, KERNEL, LOCAL_COUNTS } from './figures.js';
import { type Gap, gapDuring } from './gap.js';
import type { Uplink } from './plan.js';
import type { Row, RowContext } from './row.js';
import type { Subject } from './subject.js';

const UPLINKS: readonly [Uplink, ...Uplink[]] = [1, 2, 3];
const PREFERRED: Uplink = 1;
/** Milliseconds. */
const AFTER = 300;
const QUICK_LIMIT = 1_000;

export const localFailure: Row = async (context) => {
  const { ground, subjects, quick } = context;
  const counts = LOCAL_COUNTS.filter((one) => !quick || one <= QUICK_LIMIT);
  for (const count of counts) await byHand(context, count);
  for (const subject of subjects) {
    await ground.with(subject, { uplinks: UPLINKS }, async () => {
      for (const count of counts) await failOnce(context, subject, count);
    });
  }
};

async function byHand(context: RowContext, count: number): Promise<void> {
  const { ground } = context;
  const { stage } = ground;
  await flushForwarding(stage.lab);
  await installByHand(stage.names, UPLINKS, count);
  const gap = await measure(context, count);
  tell(context, KERNEL, count, gap);
  await stage.heal(PREFERRED);
  await flushForwarding(stage.lab);
}

async function failOnce(context: RowContext, subject: Subject, count: number): Promise<void> {
  const { ground } = context;
  await ground.setRoutes(UPLINKS, count);
  await ground.settled(subject, PREFERRED, count);
  const gap = await measure(context, count);
  tell(context, subject.name, count, gap);
  await ground.restore(subject, PREFERRED, count);
}

function measure({ ground }: RowContext, count: number): Promise<Gap> {
  return gapDuring(ground, count, async () => {
    await ground.stage.failUplink(PREFERRED);
    await ground.moved(PREFERRED, count);
    await ground.pause(AFTER);
  });
}

function tell({ report, say }: RowContext, subject: string, count: number, gap: Gap): void {
  report({ figure: FIGURE.gap(count), subject, value: gap.gap });
  report({ figure: FIGURE.lost(count), subject, value: gap.lost });
  if (count > 1) report({ figure: FIGURE.slowest(count), subject, value: gap.slowest });
  const { median, p99, longest } = gap.spacing;
  say(
    `${subject}, ${count} prefixes: ${gap.lost} lost, gap ${gap.gap} ms, slowest ${gap.slowest} ms (sender: one every ${median} ms, 99 % within ${p99}, longest pause ${longest})`,
  );
}
