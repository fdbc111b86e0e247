/**
 * Row a: the leaf's uplink is set down, or loses its carrier, and every prefix has to move to the other two; beside the kernel left
 * to itself.
 */

import { flushForwarding } from '../common/daemons.js';
import { installByHand } from './by-hand.js';
import { FIGURE, KERNEL, LOCAL_COUNTS, type LocalFailure } from './figures.js';
import { type Gap, gapDuring } from './gap.js';
import type { Uplink } from './plan.js';
import { measureOne, type Row, type RowContext } from './row.js';
import type { Subject } from './subject.js';

const UPLINKS: readonly [Uplink, ...Uplink[]] = [1, 2, 3];
const PREFERRED: Uplink = 1;
/** Milliseconds. */
const AFTER = 300;
const QUICK_LIMIT = 1_000;

/** How the link goes; both at that many prefixes at most, for what the kernel does is the same. */
const FAILURES: readonly { readonly how: LocalFailure; readonly most: number }[] = [
  { how: 'set down', most: LOCAL_COUNTS.at(-1)! },
  { how: 'carrier lost', most: QUICK_LIMIT },
];

interface Case {
  readonly count: number;
  readonly how: LocalFailure;
}

export const localFailure: Row = (context) =>
  localFailuresAt(
    context,
    LOCAL_COUNTS.filter((one) => !context.quick || one <= QUICK_LIMIT),
  );

/** With so many prefixes each. */
export async function localFailuresAt(context: RowContext, counts: readonly number[]): Promise<void> {
  const { subjects } = context;
  const cases = counts.flatMap((count) =>
    FAILURES.filter(({ most }) => count <= most).map(({ how }) => ({ count, how })),
  );
  for (const one of cases) await byHand(context, one);
  for (const subject of subjects) {
    const work = async () => {
      for (const one of cases) await failOnce(context, subject, one);
    };
    await measureOne(context, subject, { options: { uplinks: UPLINKS }, work });
  }
}

async function byHand(context: RowContext, one: Case): Promise<void> {
  const { stage } = context.ground;
  await flushForwarding(stage.lab);
  await installByHand(stage.names, UPLINKS, one.count);
  tell(context, KERNEL, { ...one, gap: await measure(context, one) });
  await stage.heal(PREFERRED);
  await flushForwarding(stage.lab);
}

async function failOnce(context: RowContext, subject: Subject, one: Case): Promise<void> {
  const { ground } = context;
  await ground.setRoutes(UPLINKS, one.count);
  await ground.settled(subject, PREFERRED, one.count);
  tell(context, subject.name, { ...one, gap: await measure(context, one) });
  await ground.restore(subject, PREFERRED, one.count);
}

function measure({ ground }: RowContext, { count, how }: Case): Promise<Gap> {
  return gapDuring(ground, count, async () => {
    await (how === 'set down' ? ground.stage.failUplink(PREFERRED) : ground.stage.loseCarrier(PREFERRED));
    await ground.moved(PREFERRED, count);
    await ground.pause(AFTER);
  });
}

function tell({ report, say }: RowContext, subject: string, { count, how, gap }: Case & { readonly gap: Gap }): void {
  report({ figure: FIGURE.gap(count, how), subject, value: gap.gap });
  report({ figure: FIGURE.lost(count, how), subject, value: gap.lost });
  if (count > 1) report({ figure: FIGURE.slowest(count, how), subject, value: gap.slowest });
  const { median, p99, longest } = gap.spacing;
  say(
    `${subject}, ${count} prefixes, ${how}: ${gap.lost} lost, gap ${gap.gap} ms, slowest ${gap.slowest} ms (sender: one every ${median} ms, 99 % within ${p99}, longest pause ${longest})`,
  );
}
