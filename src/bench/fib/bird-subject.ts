/** BIRD, 2 or 3. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { birdc, startBird } from '../../app/lab/bird-driver.js';
import type { Lab } from '../../app/lab/lab.js';
import { runPeer } from '../../app/lab/peers.js';
import { poll } from '../../app/lab/poll.js';
import { isAlive } from '../../app/lab/processes.js';
import {
  flushForwarding,
  killProcesses,
  measuredAs,
  measuredPids,
  measuredProcesses,
  stopProcesses,
} from '../common/daemons.js';
import { birdConfig } from './node-config.js';
import { LEAF } from './plan.js';
import type { Subject } from './subject.js';

const CONFIG = `${LEAF}.bird.conf`;
/** Graceful recovery: what is in the kernel stays until the neighbours have told their routes. */
const RECOVER = ['-R'];

export async function birdSubject(lab: Lab, implementation: 'bird' | 'bird3'): Promise<Subject> {
  const router = measuredAs(lab, implementation);
  const program = implementation === 'bird3' ? '/opt/bird3/usr/sbin/bird' : '/usr/sbin/bird';
  const { stdout, stderr } = await runPeer(lab, LEAF, [program, '--version']);
  return {
    name: implementation === 'bird3' ? 'BIRD 3' : 'BIRD',
    version: `BIRD ${/version (\S+)/.exec(stdout + stderr)?.[1] ?? '?'}`,
    start: async (options) => {
      writeFileSync(join(lab.directory, CONFIG), birdConfig(options));
      await startBird(lab, router, { config: CONFIG });
    },
    stop: async () => {
      await stopProcesses(measuredProcesses(lab));
      await flushForwarding(lab);
    },
    pids: () => measuredPids(lab),
    restart: async (kind) => {
      const processes = measuredProcesses(lab);
      if (kind === 'kill') await killProcesses(processes);
      else {
        await birdc(lab, router, 'graceful restart');
        await poll(() => !processes.some(isAlive), { timeout: 10_000, interval: 2 });
      }
      await startBird(lab, router, { config: CONFIG, options: RECOVER });
    },
  };
}
