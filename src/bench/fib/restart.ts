/** Row d: the daemon goes and comes back, told to or killed, while packets flow; each implementation with its graceful restart. */
import { FIGURE, RESTART_COUNT } from './figures.js';
import { type Gap, gapDuring } from './gap.js';
import type { Uplink } from './plan.js';
import { measureOne, type Row, type RowContext } from './row.js';
import type { RestartKind, Subject } from './subject.js';

const UPLINKS: readonly Uplink[] = [1, 2, 3];
const PREFERRED: Uplink = 1;
/** Milliseconds: what was stale and is swept must show. */
const AFTER = 1_500;

const KINDS: readonly { readonly kind: RestartKind; readonly lost: string; readonly words: string }[] = [
  { kind: 'stop', lost: FIGURE.stopped, words: 'stopped and started' },
  { kind: 'kill', lost: FIGURE.killed, words: 'kill -9 and started' },
];

export const restart: Row = async (context) => {
  const { ground, subjects } = context;
  for (const subject of subjects) {
    const work = async () => {
      await ground.setRoutes(UPLINKS, RESTART_COUNT);
      for (const { kind, lost, words } of KINDS) {
        await ground.settled(subject, PREFERRED, RESTART_COUNT);
        const gap = await restartOnce(context, subject, kind);
        context.report({ figure: lost, subject: subject.name, value: gap.lostInAll });
        context.report({ figure: FIGURE.outage(words), subject: subject.name, value: gap.slowest });
        context.say(`${subject.name}, ${words}: ${gap.lostInAll} lost, longest gap ${gap.slowest} ms`);
      }
    };
    await measureOne(context, subject, { options: { uplinks: UPLINKS, gracefulRestart: true }, work });
  }
};

function restartOnce({ ground }: RowContext, subject: Subject, kind: RestartKind): Promise<Gap> {
  return gapDuring(ground, RESTART_COUNT, async () => {
    const before = await ground.sessionCounts(UPLINKS);
    await subject.restart(kind);
    await ground.established(UPLINKS, before);
    await ground.settled(subject, PREFERRED, RESTART_COUNT);
    await ground.pause(AFTER);
  });
}
