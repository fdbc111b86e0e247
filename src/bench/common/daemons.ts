/** Processes of one who is measured, and what is left in the kernel when they are gone. */
import { tryRun } from '../../app/lab/command.js';
import { findRouter, type Lab, namespaceOf } from '../../app/lab/lab.js';
import type { PlannedRouter } from '../../app/lab/plan.js';
import { poll } from '../../app/lab/poll.js';
import { endProcesses, isAlive, type LabProcess, recordedProcesses } from '../../app/lab/processes.js';
import type { Implementation } from '../../app/lab/topology.js';

/** The node that is measured, in the lab of every benchmark. */
export const MEASURED = 'leaf1';

/** Milliseconds. */
const PATIENCE = 10_000;

/** The measured node, as a router of that implementation. */
export function measuredAs(lab: Lab, implementation: Implementation): PlannedRouter {
  return { ...findRouter(lab, MEASURED), implementation };
}

/** Of the measured node: `leaf1`, or `leaf1.bgpd` and others. */
export function measuredProcesses(lab: Lab): readonly LabProcess[] {
  return recordedProcesses(lab.directory).filter(({ name }) => name.split('.')[0] === MEASURED && !name.includes('-'));
}

export function measuredPids(lab: Lab): readonly number[] {
  return measuredProcesses(lab)
    .filter(isAlive)
    .map(({ pid }) => pid);
}

export async function killProcesses(processes: readonly LabProcess[]): Promise<void> {
  for (const entry of processes) if (isAlive(entry)) process.kill(entry.pid, 'SIGKILL');
  await poll(() => !processes.some(isAlive), { timeout: PATIENCE, interval: 2 });
}

export async function stopProcesses(processes: readonly LabProcess[]): Promise<void> {
  await endProcesses(processes, PATIENCE);
}

/** Routes of routing daemons and all next-hop objects; what uses an object goes with it, without a walk. */
export async function flushForwarding(lab: Lab): Promise<void> {
  const namespace = namespaceOf(lab, MEASURED);
  await tryRun('ip', ['-n', namespace, 'nexthop', 'flush']);
  for (const protocol of ['bgp', 'bird', 'zebra', '179'])
    await tryRun('ip', ['-n', namespace, '-6', 'route', 'flush', 'proto', protocol]);
}
