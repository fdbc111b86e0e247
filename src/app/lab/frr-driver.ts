/**
 * Runs FRR on a node: mgmtd, zebra, bgpd and perhaps bfdd, kept apart from other nodes' by FRR's pathspace (-N), which is the namespace's
 * name; then vtysh applies the whole configuration. vtysh asks too early when a socket of an earlier run is still there.
 */
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LabError } from './command.js';
import { type Lab, namespaceOf } from './lab.js';
import { peersRoot, runPeer, startPeer } from './peers.js';
import type { PlannedRouter } from './plan.js';
import { poll } from './poll.js';
import { lastLogLine } from './processes.js';
import { countSessions, type RouterDriver } from './router-driver.js';

const ZEBRA_API = 'zserv.api';
export const DAEMONS = ['mgmtd', 'zebra', 'bgpd'] as const;
const WITH_BFD = ['mgmtd', 'zebra', 'bfdd', 'bgpd'] as const;
/** The user that the packages' scripts would have made; scripts/peers-install makes it. */
const FRR_USER = 900;
const STARTUP = { timeout: 60_000, interval: 20 };

export const frrDriver: RouterDriver = {
  async start(lab, router, config) {
    prepareFrr(lab, router, config);
    await startDaemons(lab, router, { daemons: lab.plan.topology.bfd ? WITH_BFD : DAEMONS });
  },

  async sessions(lab, router) {
    const answer = await vtysh(lab, router.name, ['show bgp ipv6 unicast summary json']);
    const peers = summaryPeers(answer);
    return countSessions(router, (_, port) => {
      const state = peers[port]?.state ?? 'no answer from bgpd';
      return state === 'Established' ? undefined : state.toLowerCase();
    });
  },

  clean(lab, router) {
    for (const folder of Object.values(folders(lab, router))) rmSync(folder, { recursive: true, force: true });
  },
};

/** Makes the node's folders anew, with its configuration: a file in the lab's folder. */
export function prepareFrr(lab: Lab, router: PlannedRouter, config: string): void {
  const { etc } = prepareFolders(lab, router);
  copyFileSync(join(lab.directory, config), join(etc, 'frr.conf'));
}

export interface FrrDaemons {
  readonly daemons: readonly string[];
  /** For every one of them, beside those that all nodes have. */
  readonly options?: readonly string[];
  /** For zebra alone, on top of those. */
  readonly zebraOptions?: readonly string[];
}

/** Starts daemons, all of a node's or the one that is to come back, and applies the node's configuration. */
export async function startDaemons(lab: Lab, router: PlannedRouter, start: FrrDaemons): Promise<void> {
  const { daemons, options = [], zebraOptions = [] } = start;
  const { run } = folders(lab, router);
  for (const daemon of daemons) {
    // A socket that is still there is taken for the new daemon's.
    for (const socket of socketsOf(daemon)) rmSync(join(run, socket), { force: true });
    startDaemon(lab, router, { daemon, options: daemon === 'zebra' ? [...options, ...zebraOptions] : options });
    // The others look for zebra once, when they start.
    if (daemon === 'zebra') await waitForSocket(lab, `${router.name}.zebra`, join(run, ZEBRA_API));
  }
  for (const daemon of daemons) await waitForSocket(lab, `${router.name}.${daemon}`, join(run, `${daemon}.vty`));
  await applyConfig(lab, router);
}

function socketsOf(daemon: string): string[] {
  return [`${daemon}.vty`, ...(daemon === 'zebra' ? [ZEBRA_API] : [])];
}

/** What vtysh prints for `commands` on a node. */
export async function vtysh(lab: Lab, node: string, commands: readonly string[]): Promise<string> {
  const parameters = commands.flatMap((command) => ['-c', command]);
  const result = await runPeer(lab, node, ['vtysh', '-N', namespaceOf(lab, node), ...parameters]);
  return result.stdout;
}

function folders(lab: Lab, router: PlannedRouter) {
  const space = namespaceOf(lab, router.name);
  return { etc: join(peersRoot(), 'etc/frr', space), run: join(peersRoot(), 'run/frr', space) };
}

function prepareFolders(lab: Lab, router: PlannedRouter) {
  const used = folders(lab, router);
  for (const folder of Object.values(used)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    chownSync(folder, FRR_USER, FRR_USER);
    chmodSync(folder, 0o755);
  }
  writeFileSync(join(used.etc, 'vtysh.conf'), 'service integrated-vtysh-config\n');
  return used;
}

interface DaemonStart {
  readonly daemon: string;
  readonly options: readonly string[];
}

function startDaemon(lab: Lab, router: PlannedRouter, { daemon, options }: DaemonStart): void {
  startPeer(lab, {
    name: `${router.name}.${daemon}`,
    node: router.name,
    command: [
      `/usr/lib/frr/${daemon}`,
      ...['-N', namespaceOf(lab, router.name)],
      ...['--log', 'stdout', '--log-level', 'informational'],
      ...['-A', '127.0.0.1', '-P', '0'],
      ...options,
    ],
  });
}

async function waitForSocket(lab: Lab, name: string, socket: string): Promise<void> {
  if (await poll(() => existsSync(socket), STARTUP)) return;
  throw new LabError(`${name} did not start: ${lastLogLine(lab.directory, name) ?? 'it said nothing'}`);
}

async function applyConfig(lab: Lab, router: PlannedRouter): Promise<void> {
  const result = await runPeer(lab, router.name, ['vtysh', '-N', namespaceOf(lab, router.name), '-b']);
  const complaint = /^(?:%|line \d+:|.*(?:error|failed|Unknown command)).*$/im.exec(
    `${result.stderr}\n${result.stdout}`,
  );
  if (result.status !== 0 || complaint)
    throw new LabError(`${router.name}: FRR refused its configuration: ${complaint?.[0] ?? result.stderr.trim()}`);
}

interface SummaryPeer {
  readonly state: string;
}

function summaryPeers(json: string): Readonly<Record<string, SummaryPeer>> {
  try {
    const summary: { peers?: Record<string, SummaryPeer> } = JSON.parse(json);
    return summary.peers ?? {};
  } catch {
    return {};
  }
}
