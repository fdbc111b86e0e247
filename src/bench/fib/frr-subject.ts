/** FRR: mgmtd, zebra and bgpd. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { driverOf } from '../../app/lab/drivers.js';
import { DAEMONS, prepareFrr, startDaemons } from '../../app/lab/frr-driver.js';
import type { Lab } from '../../app/lab/lab.js';
import { runPeer } from '../../app/lab/peers.js';
import {
  flushForwarding,
  killProcesses,
  measuredAs,
  measuredPids,
  measuredProcesses,
  stopProcesses,
} from '../common/daemons.js';
import { frrConfig, RESTART_TIME } from './node-config.js';
import { LEAF } from './plan.js';
import type { Subject } from './subject.js';

const CONFIG = `${LEAF}.frr.conf`;
/** zebra keeps the routes that it finds at its start for so long, and with `-r` leaves them at its end. */
const GRACEFUL = { options: ['-K', String(RESTART_TIME)], zebraOptions: ['-r'] };

export async function frrSubject(lab: Lab): Promise<Subject> {
  const router = measuredAs(lab, 'frr');
  const { stdout } = await runPeer(lab, LEAF, ['/usr/lib/frr/bgpd', '--version']);
  const launch = (options?: typeof GRACEFUL) => startDaemons(lab, router, { daemons: DAEMONS, ...options });
  return {
    name: 'FRR',
    version: `FRR ${/version (\S+)/.exec(stdout)?.[1] ?? '?'}`,
    start: async (options) => {
      writeFileSync(join(lab.directory, CONFIG), frrConfig(options));
      prepareFrr(lab, router, CONFIG);
      await launch(options.gracefulRestart ? GRACEFUL : undefined);
    },
    stop: async () => {
      // Its own cleaning up takes long, and is not measured.
      await killProcesses(measuredProcesses(lab));
      await flushForwarding(lab);
      driverOf(router).clean(lab, router);
    },
    pids: () => measuredPids(lab),
    restart: async (kind) => {
      // Its own script stops all daemons at once too.
      await (kind === 'kill' ? killProcesses : stopProcesses)(measuredProcesses(lab));
      await launch(GRACEFUL);
    },
  };
}
