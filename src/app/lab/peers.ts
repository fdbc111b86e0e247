/** The other implementations' root file system (scripts/peers-install) and how its programs run (scripts/peer-run). */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandResult, LabError, tryRun } from './command.js';
import { type Lab, namespaceOf, PACKAGE_ROOT } from './lab.js';
import { type LabProcess, startProcess } from './processes.js';

const PEER_RUN = join(PACKAGE_ROOT, 'scripts', 'peer-run');

/** The root file system that the peers see. */
export function peersRoot(): string {
  return join(process.env.HEDDLE_PEERS ?? '/var/tmp/heddle-peers', 'root');
}

/** Throws LabError when the peers are not installed. */
export function requirePeers(): void {
  if (existsSync(join(peersRoot(), '.peers'))) return;
  throw new LabError(`FRR and BIRD are not installed in ${peersRoot()}: run scripts/peers-install`);
}

/** Installs the peers where they are missing, with the script's own words on standard error. Throws LabError. */
export function installPeers(): void {
  if (existsSync(join(peersRoot(), '.peers'))) return;
  const { status } = spawnSync(join(PACKAGE_ROOT, 'scripts', 'peers-install'), { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new LabError('scripts/peers-install could not install FRR, BIRD and GoBGP');
}

/** Runs a program of the peers on a node to completion; it sees the lab's folder as /lab. */
export function runPeer(lab: Lab, node: string, command: readonly string[]): Promise<CommandResult> {
  return tryRun(PEER_RUN, [namespaceOf(lab, node), ...command], { env: { HEDDLE_PEER_DIR: lab.directory } });
}

export interface PeerProcess {
  readonly name: string;
  readonly node: string;
  readonly command: readonly string[];
}

export function startPeer(lab: Lab, { name, node, command }: PeerProcess): LabProcess {
  return startProcess(lab.directory, {
    name,
    program: PEER_RUN,
    parameters: [namespaceOf(lab, node), ...command],
    env: { HEDDLE_PEER_DIR: lab.directory },
  });
}
