/** Everybody who is measured: heddle as it is installed, and the others without a kernel behind them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { birdc, startBird } from '../../app/lab/bird-driver.js';
import { LabError } from '../../app/lab/command.js';
import { driverOf } from '../../app/lab/drivers.js';
import { DAEMONS, prepareFrr, startDaemons, vtysh } from '../../app/lab/frr-driver.js';
import { controlSocket, type Lab, namespaceOf } from '../../app/lab/lab.js';
import { runPeer, startPeer } from '../../app/lab/peers.js';
import { poll } from '../../app/lab/poll.js';
import { startProcess } from '../../app/lab/processes.js';
import { packageVersion } from '../../app/version.js';
import { ControlClient } from '../../edge/control/client.js';
import { reload } from '../../edge/control/command-client.js';
import {
  flushForwarding,
  killProcesses,
  measuredAs,
  measuredPids,
  measuredProcesses,
  stopProcesses,
} from '../common/daemons.js';
import { HEDDLE, NODE_ALONE } from './figures.js';
import { ROUTER } from './plan.js';
import {
  birdConfig,
  frrConfig,
  frrPolicyChange,
  gobgpConfig,
  gobgpPolicyChange,
  heddleConfig,
} from './router-config.js';
import type { RouterSetup, Subject } from './subject.js';

export const PEERS = ['frr', 'bird', 'bird3', 'gobgp', 'node'] as const;
export type PeerName = (typeof PEERS)[number];

const NODE_ALONE_MAIN = fileURLToPath(new URL('node-alone-main.js', import.meta.url));

const PATIENCE = { timeout: 20_000, interval: 20 };

export function heddleSubject(lab: Lab): Subject {
  const router = measuredAs(lab, 'heddle');
  const config = `${ROUTER}.yaml`;
  const socket = controlSocket(lab, ROUTER);
  const present = presentSetup();
  const configure = (marking: boolean) =>
    writeFileSync(join(lab.directory, config), heddleConfig(present.setup, { controlSocket: socket, marking }));
  return {
    name: HEDDLE,
    version: `heddle ${packageVersion} on Node ${process.versions.node}`,
    start: async (setup) => {
      present.setup = setup;
      configure(false);
      await driverOf(router).start(lab, router, config);
    },
    stop: () => stop(lab, present.setup, stopProcesses),
    pids: () => measuredPids(lab),
    prefixes: async () => (await new ControlClient(socket).summary()).routes,
    changePolicy: async () => {
      configure(true);
      await reload(socket);
    },
  };
}

export function peerSubject(lab: Lab, peer: PeerName): Promise<Subject> {
  if (peer === 'frr') return frrSubject(lab);
  if (peer === 'node') return Promise.resolve(nodeAloneSubject(lab));
  return peer === 'gobgp' ? gobgpSubject(lab) : birdSubject(lab, peer);
}

async function frrSubject(lab: Lab): Promise<Subject> {
  const router = measuredAs(lab, 'frr');
  const config = `${ROUTER}.frr.conf`;
  const present = presentSetup();
  return {
    name: 'FRR',
    version: `FRR ${await versionOf(lab, '/usr/lib/frr/bgpd')}`,
    start: async (setup) => {
      present.setup = setup;
      writeFileSync(join(lab.directory, config), frrConfig(setup));
      prepareFrr(lab, router, config);
      await startDaemons(
        lab,
        router,
        setup.kernel ? { daemons: DAEMONS } : { daemons: ['bgpd'], options: ['-n', '-Z'] },
      );
    },
    stop: () => stop(lab, present.setup, killProcesses),
    pids: () => measuredPids(lab),
    prefixes: async () => {
      const answer = await vtysh(lab, ROUTER, [`show bgp ${present.setup.family} unicast statistics json`]);
      return numberAfter(answer, /"totalPrefixes":\s*(\d+)/);
    },
    changePolicy: async () => void (await vtysh(lab, ROUTER, frrPolicyChange(present.setup))),
  };
}

async function birdSubject(lab: Lab, implementation: 'bird' | 'bird3'): Promise<Subject> {
  const router = measuredAs(lab, implementation);
  const config = `${ROUTER}.bird.conf`;
  const program = implementation === 'bird3' ? '/opt/bird3/usr/sbin/bird' : '/usr/sbin/bird';
  const present = presentSetup();
  const configure = (marking: boolean) =>
    writeFileSync(join(lab.directory, config), birdConfig(present.setup, { marking }));
  return {
    name: implementation === 'bird3' ? 'BIRD 3' : 'BIRD',
    version: `BIRD ${await versionOf(lab, program)}`,
    lacks: { discovery: 'BIRD finds no neighbours by router advertisements' },
    start: async (setup) => {
      present.setup = setup;
      configure(false);
      await startBird(lab, router, { config });
    },
    stop: () => stop(lab, present.setup, killProcesses),
    pids: () => measuredPids(lab),
    prefixes: async () => {
      const answer = await birdc(lab, router, 'show route count');
      // `N of N routes for M networks in table master6` for each table, then a line for all of them.
      const tables = [...answer.matchAll(/routes for (\d+) networks in table/g)];
      return tables.reduce((sum, [, networks]) => sum + Number(networks), 0);
    },
    changePolicy: async () => {
      configure(true);
      await birdc(lab, router, 'configure');
    },
  };
}

async function gobgpSubject(lab: Lab): Promise<Subject> {
  const config = `${ROUTER}.gobgp.toml`;
  const present = presentSetup();
  const gobgp = async (...command: readonly string[]) => runPeer(lab, ROUTER, ['gobgp', ...command]);
  return {
    name: 'GoBGP',
    version: `GoBGP ${await versionOf(lab, 'gobgpd')}`,
    start: async (setup) => {
      present.setup = setup;
      writeFileSync(join(lab.directory, config), gobgpConfig(setup));
      const options = ['-f', `/lab/${config}`, '--api-hosts', '127.0.0.1:50051', '--pprof-disable', '-l', 'warn'];
      startPeer(lab, { name: ROUTER, node: ROUTER, command: ['gobgpd', ...options] });
      if (await poll(async () => (await gobgp('neighbor')).status === 0, PATIENCE)) return;
      throw new LabError('GoBGP did not start');
    },
    lacks: { kernel: 'GoBGP puts no routes into the kernel by itself' },
    stop: () => stop(lab, present.setup, killProcesses),
    pids: () => measuredPids(lab),
    prefixes: async () => {
      const { stdout } = await gobgp('global', 'rib', 'summary', '-a', present.setup.family);
      return numberAfter(stdout, /Destination:\s*(\d+)/);
    },
    changePolicy: async () => {
      for (const command of gobgpPolicyChange(present.setup)) await gobgp(...command);
    },
  };
}

function nodeAloneSubject(lab: Lab): Subject {
  const present = presentSetup();
  const unasked = () => Promise.reject(new LabError(`${NODE_ALONE} has no tables`));
  return {
    name: NODE_ALONE,
    version: `${NODE_ALONE} ${process.versions.node}`,
    fits: (workload) => workload.kind === 'latency' && workload.load === undefined,
    start: async (setup) => {
      present.setup = setup;
      const command = [process.execPath, NODE_ALONE_MAIN];
      startProcess(lab.directory, {
        name: ROUTER,
        program: 'ip',
        parameters: ['netns', 'exec', namespaceOf(lab, ROUTER), ...command],
      });
    },
    stop: () => stop(lab, present.setup, killProcesses),
    pids: () => measuredPids(lab),
    prefixes: unasked,
    changePolicy: unasked,
  };
}

/** Of the run under way. */
function presentSetup(): { setup: RouterSetup } {
  return {
    setup: { family: 'ipv6', ends: [], links: [], exports: false, holdTime: 0, kernel: false, changeable: false },
  };
}

async function stop(
  lab: Lab,
  { kernel }: RouterSetup,
  end: (processes: ReturnType<typeof measuredProcesses>) => Promise<void>,
): Promise<void> {
  await end(measuredProcesses(lab));
  if (kernel) await flushForwarding(lab);
}

async function versionOf(lab: Lab, program: string): Promise<string> {
  const { stdout, stderr } = await runPeer(lab, ROUTER, [program, '--version']);
  return /version (\S+)/.exec(stdout + stderr)?.[1] ?? '?';
}

function numberAfter(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? Number.NaN);
}
