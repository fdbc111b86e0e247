/** Processes of one who is measured, and what is left in the kernel when they are gone. */
import { tryRun } from '../../app/lab/command.js';
import { findRouter, type Lab } from '../../app/lab/lab.js';
import type { PlannedRouter } from '../../app/lab/plan.js';
import { poll } from '../../app/lab/poll.js';
import { endProcesses, isAlive, type LabProcess, recordedProcesses } from '../../app/lab/processes.js';
import type { Implementation } from '../../app/lab/topology.js';
import { LEAF, stageNames } from './plan.js';

/** Milliseconds. */
const PATIENCE = 10_000;

/** The leaf, as a router of that implementation. */
export function leafAs(lab: Lab, implementation: Implementation): PlannedRouter {
  return { ...findRouter(lab, LEAF), implementation };
}

/** Of the leaf: `leaf1`, or `leaf1.bgpd` and others. */
export function leafProcesses(lab: Lab): readonly LabProcess[] {
  return recordedProcesses(lab.directory).filter(({ name }) => name.split('.')[0] === LEAF && !name.includes('-'));
}

export function leafPids(lab: Lab): readonly number[] {
  return leafProcesses(lab)
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
  const { leaf } = stageNames(lab);
  await tryRun('ip', ['-n', leaf, 'nexthop', 'flush']);
  for (const protocol of ['bgp', 'bird', 'zebra', '179'])
    await tryRun('ip', ['-n', leaf, '-6', 'route', 'flush', 'proto', protocol]);
}
