/** Runs heddle itself on a node, the same command a user would, and asks it over its control socket. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LabError } from './command.js';
import { controlSocket, namespaceOf, PACKAGE_ROOT } from './lab.js';
import { poll } from './poll.js';
import { isAlive, lastLogLine, startProcess } from './processes.js';
import { countSessions, type RouterDriver } from './router-driver.js';

export const heddleDriver: RouterDriver = {
  async start(lab, router, config) {
    const command = [process.execPath, join(PACKAGE_ROOT, 'bin', 'heddle'), 'run', join(lab.directory, config)];
    const started = startProcess(lab.directory, {
      name: router.name,
      program: 'ip',
      parameters: ['netns', 'exec', namespaceOf(lab, router.name), ...command],
    });
    const socket = controlSocket(lab, router.name);
    await poll(() => existsSync(socket) || !isAlive(started), { timeout: 10_000, interval: 20 });
    if (existsSync(socket)) return;
    throw new LabError(
      `${router.name}: heddle did not start: ${lastLogLine(lab.directory, router.name) ?? 'it said nothing'}`,
    );
  },

  async sessions(_lab, router) {
    return countSessions(router, () => 'not asked yet');
  },

  clean() {},
};
