/** FRR: mgmtd, zebra and bgpd. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { driverOf } from '../../app/lab/drivers.js';
import { DAEMONS, startDaemons } from '../../app/lab/frr-driver.js';
import type { Lab } from '../../app/lab/lab.js';
import { runPeer } from '../../app/lab/peers.js';
import { flushForwarding, killProcesses, leafAs, leafPids, leafProcesses, stopProcesses } from './daemons.js';
import { frrConfig, RESTART_TIME } from './node-config.js';
import { LEAF } from './plan.js';
import type { Subject } from './subject.js';

const CONFIG = `${LEAF}.frr.conf`;
/** zebra keeps the routes that it finds at its start for so long, and leaves them at its end. */
const GRACEFUL = ['-K', String(RESTART_TIME)];

export async function frrSubject(lab: Lab): Promise<Subject> {
  const router = leafAs(lab, 'frr');
  const { stdout } = await runPeer(lab, LEAF, ['/usr/lib/frr/bgpd', '--version']);
  return {
    name: 'FRR',
    version: `FRR ${/version (\S+)/.exec(stdout)?.[1] ?? '?'}`,
    start: async (options) => {
      writeFileSync(join(lab.directory, CONFIG), frrConfig(options));
      await driverOf(router).start(lab, router, CONFIG);
    },
    stop: async () => {
      // Its own cleaning up takes long, and is not measured.
      await killProcesses(leafProcesses(lab));
      await flushForwarding(lab);
      driverOf(router).clean(lab, router);
    },
    pids: () => leafPids(lab),
    restart: async (kind) => {
      if (kind === 'kill') {
        await killProcesses(leafProcesses(lab));
        await startDaemons(lab, router, { daemons: DAEMONS, options: GRACEFUL });
      } else {
        await stopProcesses(leafProcesses(lab).filter(({ name }) => name === `${LEAF}.bgpd`));
        await startDaemons(lab, router, { daemons: ['bgpd'], options: GRACEFUL });
      }
    },
  };
}
