/** A policy that changes what every route says: judged again from what was received, and told again. */
import { now } from '../../app/lab/monotonic.js';
import { type Context, withRouter } from './context.js';
import { measureStep } from './step.js';
import type { PolicyWorkload } from './workloads.js';

export async function measurePolicy(context: Context, { table }: PolicyWorkload): Promise<void> {
  const needs = { family: table.family, sessions: [table, 'listens'], exports: true, changeable: true } as const;
  await withRouter(context, needs, async (running) => {
    const { subject, generator } = running;
    const all = { told: table.prefixes, left: table.prefixes };
    await measureStep(running, { step: 'announce', act: async () => (await generator.send('announce')).from, ...all });
    const change = async () => {
      const from = now();
      await subject.changePolicy();
      return from;
    };
    await measureStep(running, { step: 'policy', act: change, ...all });
  });
}
