/** heddle as it is installed: bin/heddle run. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { driverOf } from '../../app/lab/drivers.js';
import { controlSocket, type Lab } from '../../app/lab/lab.js';
import { packageVersion } from '../../app/version.js';
import {
  flushForwarding,
  killProcesses,
  measuredAs,
  measuredPids,
  measuredProcesses,
  stopProcesses,
} from '../common/daemons.js';
import { HEDDLE } from './figures.js';
import { heddleConfig } from './node-config.js';
import { LEAF } from './plan.js';
import type { Subject } from './subject.js';

const CONFIG = `${LEAF}.yaml`;

export function heddleSubject(lab: Lab): Subject {
  const router = measuredAs(lab, 'heddle');
  const launch = () => driverOf(router).start(lab, router, CONFIG);
  return {
    name: HEDDLE,
    version: `heddle ${packageVersion} on Node ${process.versions.node}`,
    start: async (options) => {
      writeFileSync(join(lab.directory, CONFIG), heddleConfig(options, controlSocket(lab, LEAF)));
      await launch();
    },
    stop: async () => {
      await stopProcesses(measuredProcesses(lab));
      await flushForwarding(lab);
    },
    pids: () => measuredPids(lab),
    restart: async (kind) => {
      await (kind === 'kill' ? killProcesses : stopProcesses)(measuredProcesses(lab));
      // One that was killed leaves its socket, which would be taken for the new one's.
      rmSync(controlSocket(lab, LEAF), { force: true });
      await launch();
    },
  };
}
