/** Runs heddle itself on a node, the same command a user would, and asks it over its control socket. */
import { join } from 'node:path';
import { ControlClient } from '../../edge/control/client.js';
import { LabError } from './command.js';
import { controlSocket, namespaceOf, PACKAGE_ROOT } from './lab.js';
import { poll } from './poll.js';
import { isAlive, lastLogLine, startProcess } from './processes.js';
import { countSessions, type RouterDriver } from './router-driver.js';

/** Milliseconds; one that dies is not waited for, one on a busy machine takes what it takes. */
const STARTUP = 300_000;

export const heddleDriver: RouterDriver = {
  async start(lab, router, config) {
    const command = [process.execPath, join(PACKAGE_ROOT, 'bin', 'heddle'), 'run', join(lab.directory, config)];
    const started = startProcess(lab.directory, {
      name: router.name,
      program: 'ip',
      parameters: ['netns', 'exec', namespaceOf(lab, router.name), ...command],
    });
    const client = new ControlClient(controlSocket(lab, router.name));
    // One that was killed has left the file of its socket behind.
    const answers = () => client.summary().then(Boolean, () => false);
    if (await poll(async () => (await answers()) || !isAlive(started), { timeout: STARTUP, interval: 20 }))
      if (isAlive(started)) return;
    throw new LabError(
      `${router.name}: heddle did not start: ${lastLogLine(lab.directory, router.name) ?? 'it said nothing'}`,
    );
  },

  async sessions(lab, router) {
    const neighbors = await new ControlClient(controlSocket(lab, router.name)).neighbors().catch(describeFailure);
    if (typeof neighbors === 'string') return countSessions(router, () => neighbors);
    return countSessions(router, (_, port) => {
      const mine = neighbors.filter((neighbor) => neighbor.interface === port);
      if (mine.some((neighbor) => neighbor.state === 'established')) return undefined;
      const [first] = mine;
      return first ? `${first.state}, ${first.reason ?? 'no reason given'}` : 'not a fabric interface of this daemon';
    });
  },

  clean() {},
};

function describeFailure(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
