/** Row c: a whole table from one peer, from the first octet of its UPDATEs to the last route in the kernel. */
import { LabError } from '../../app/lab/command.js';
import { now } from '../../app/lab/monotonic.js';
import { cpuSeconds, kernelRouteCount, peakMemory } from '../common/usage.js';
import { FIGURE, INSTALL_COUNT } from './figures.js';
import { measureOne, type Row, type RowContext } from './row.js';
import type { Subject } from './subject.js';

const UPLINK = 1;
/** Milliseconds; End-of-RIB and other first words are over by then. */
const BEFORE = 1_500;
const PATIENCE = 60_000;
/** Milliseconds between two looks at the number of routes, and so the resolution. */
const LOOK = 2;

export const install: Row = async (context) => {
  for (const subject of context.subjects)
    await measureOne(context, subject, {
      options: { uplinks: [UPLINK] },
      work: () => installOnce(context, subject),
    });
};

async function installOnce({ ground, report, say }: RowContext, subject: Subject): Promise<void> {
  await ground.pause(BEFORE);
  const pids = subject.pids();
  const before = { routes: kernelRouteCount(pids[0]!), cpu: cpuSeconds(pids) };
  const isDone = () => kernelRouteCount(pids[0]!) >= before.routes + INSTALL_COUNT;
  const [written, { done, end }] = await Promise.all([
    ground.speaker(UPLINK).setRoutes(INSTALL_COUNT),
    ground.poll(isDone, { timeout: PATIENCE, interval: LOOK }).then((isInTime) => ({ done: isInTime, end: now() })),
  ]);
  const seconds = (end - written) / 1000;
  if (!done) throw new LabError(`${subject.name}: not all of ${INSTALL_COUNT} routes came into the kernel`);
  const cpu = cpuSeconds(pids) - before.cpu;
  const memory = peakMemory(pids);
  report({ figure: FIGURE.install, subject: subject.name, value: seconds });
  report({ figure: FIGURE.cpu, subject: subject.name, value: cpu });
  report({ figure: FIGURE.memory, subject: subject.name, value: memory });
  say(`${subject.name}: ${seconds.toFixed(2)} s, CPU ${cpu.toFixed(2)} s, peak memory ${memory.toFixed(0)} MB`);
}
