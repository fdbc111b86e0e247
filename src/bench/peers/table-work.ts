/** Tables that are announced, withdrawn and lost. */
import { peakMemory } from '../common/usage.js';
import { type Context, type Running, withRouter } from './context.js';
import { FIGURE } from './figures.js';
import { measureStep } from './step.js';
import { type TableStep, type TableWorkload, toldRoutes } from './workloads.js';

const OCTETS = 1024 * 1024;

export async function measureTables(context: Context, workload: TableWorkload): Promise<void> {
  const { senders, listeners, table } = workload;
  const sessions = Array.from({ length: senders + listeners }, (_, index) => (index < senders ? table : 'listens'));
  await withRouter(context, { family: table.family, sessions, exports: listeners > 0 }, async (running) => {
    for (const step of workload.steps) await measureTable(running, workload, step);
  });
}

async function measureTable(running: Running, workload: TableWorkload, step: TableStep): Promise<void> {
  const { subject, generator, report } = running;
  const { senders, table } = workload;
  const before = peakMemory(subject.pids());
  await measureStep(running, {
    step,
    act: async () => (await generator.send(step)).from,
    told: toldRoutes(workload),
    left: step === 'announce' ? table.prefixes : 0,
  });
  if (step !== 'announce') return;
  const grown = (peakMemory(subject.pids()) - before) * OCTETS;
  report(FIGURE.perPath(step), grown / (senders * table.prefixes));
}
