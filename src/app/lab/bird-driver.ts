/** Runs BIRD 2 or 3 on a node; its control socket stands in the lab's folder. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { LabError } from './command.js';
import type { Lab } from './lab.js';
import { runPeer, startPeer } from './peers.js';
import type { PlannedRouter } from './plan.js';
import { poll } from './poll.js';
import { lastLogLine } from './processes.js';
import { countSessions, type RouterDriver } from './router-driver.js';

function program(router: PlannedRouter, name: 'bird' | 'birdc'): string {
  return `${router.implementation === 'bird3' ? '/opt/bird3' : ''}/usr/sbin/${name}`;
}

function socketName(router: PlannedRouter): string {
  return `${router.name}.ctl`;
}

export const birdDriver: RouterDriver = {
  start: (lab, router, config) => startBird(lab, router, { config }),

  async sessions(lab, router) {
    const lines = (await birdc(lab, router, 'show protocols')).split('\n');
    return countSessions(router, (index) => {
      const line = lines.find(
        (candidate) => candidate.startsWith(`link${index + 1}_`) && candidate.includes('Established'),
      );
      return line ? undefined : 'nobody has connected yet';
    });
  },

  clean() {},
};

export interface BirdStart {
  readonly config: string;
  readonly options?: readonly string[];
}

export async function startBird(lab: Lab, router: PlannedRouter, { config, options = [] }: BirdStart): Promise<void> {
  const socket = socketName(router);
  const command = [program(router, 'bird'), '-f', '-c', `/lab/${config}`, '-s', `/lab/${socket}`, ...options];
  rmSync(join(lab.directory, socket), { force: true });
  startPeer(lab, { name: router.name, node: router.name, command });
  const listening = () => existsSync(join(lab.directory, socket));
  if (await poll(listening, { timeout: 60_000, interval: 20 })) return;
  throw new LabError(
    `${router.name}: BIRD did not start: ${lastLogLine(lab.directory, router.name) ?? 'it said nothing'}`,
  );
}

/** What birdc prints for a command on a node. */
export async function birdc(lab: Lab, router: PlannedRouter, command: string): Promise<string> {
  const result = await runPeer(lab, router.name, [
    program(router, 'birdc'),
    '-s',
    `/lab/${socketName(router)}`,
    ...command.split(' '),
  ]);
  return result.stdout;
}
