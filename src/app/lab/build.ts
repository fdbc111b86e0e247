/** Builds a lab on this machine and takes it down again. */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '../../core/net/counted.js';
import { LabError, tryRun } from './command.js';
import { driverOf } from './drivers.js';
import { allNamespaces, controlSocket, forgetLab, knownLabs, type Lab, loadLab, namespaceOf, saveLab } from './lab.js';
import { createNamespaces, deleteNamespaces, listNamespaces, setLinksUp } from './namespaces.js';
import { nodeConfig } from './node-config.js';
import { requirePeers } from './peers.js';
import { endProcesses, recordedProcesses } from './processes.js';

/** Throws LabError when namespaces cannot be made here at all. */
export async function requireNamespaces(): Promise<void> {
  if (process.platform !== 'linux') throw new LabError('a lab needs Linux: it is made of network namespaces');
  if (process.getuid?.() !== 0)
    throw new LabError('a lab needs root: it makes network namespaces and veth links (try sudo)');
  const answer = await tryRun('ip', ['-V']).catch(() => undefined);
  if (answer?.status !== 0) throw new LabError('the ip command is missing: install iproute2');
}

export interface BuildOptions {
  /** Told what is being made, in a few words. */
  readonly onStep?: (step: string) => void;
  /** Aborting takes down again what was made. */
  readonly signal?: AbortSignal;
}

/**
 * Makes the namespaces and links and starts every daemon, with all links still down: raiseLinks is the moment from which
 * a set-up time counts. Throws LabError, with nothing left behind, when something does not start.
 */
export async function buildLab(lab: Lab, { onStep = () => {}, signal }: BuildOptions = {}): Promise<void> {
  await requireNamespaces();
  await requireFree(lab);
  if (lab.plan.routers.some((router) => router.implementation !== 'heddle')) requirePeers();
  saveLab(lab);
  try {
    onStep(`${counted(allNamespaces(lab).length, 'namespace')}, ${counted(lab.plan.links.length, 'link')}`);
    await createNamespaces(lab.plan, (node) => namespaceOf(lab, node));
    onStep(counted(lab.plan.routers.length, 'daemon'));
    signal?.throwIfAborted();
    await startRouters(lab);
    signal?.throwIfAborted();
  } catch (error) {
    await tearDown(lab);
    throw error;
  }
}

export async function raiseLinks(lab: Lab): Promise<void> {
  await setLinksUp(lab.plan, (node) => namespaceOf(lab, node));
}

async function requireFree(lab: Lab): Promise<void> {
  const existing = new Set(await listNamespaces());
  if (knownLabs().includes(lab.name)) {
    const known = loadLab(lab.name);
    const state = allNamespaces(known).some((name) => existing.has(name)) ? 'is already up' : 'left state behind';
    throw new LabError(`lab ${lab.name} ${state} (from ${known.source}): heddle lab down --lab ${lab.name} removes it`);
  }
  const taken = allNamespaces(lab).find((name) => existing.has(name));
  if (taken)
    throw new LabError(
      `the network namespace ${taken} exists and is no lab's: delete it (ip netns delete ${taken}) or rename the lab`,
    );
}

async function startRouters(lab: Lab): Promise<void> {
  const results = await Promise.allSettled(
    lab.plan.routers.map(async (router) => {
      const config = nodeConfig(lab.plan, router, controlSocket(lab, router.name));
      writeFileSync(join(lab.directory, config.file), config.text, { mode: 0o644 });
      await driverOf(router).start(lab, router, config.file);
    }),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

export interface TearDownReport {
  readonly processes: number;
  readonly namespaces: number;
  /** Processes of others inside the lab's namespaces, left alone: `12345 in leaf1`. */
  readonly strangers: readonly string[];
}

/** Ends the lab's processes, removes its namespaces and its state. Whatever is gone already is no fault. */
export async function tearDown(lab: Lab): Promise<TearDownReport> {
  const processes = recordedProcesses(lab.directory);
  await endProcesses(processes);
  const existing = new Set(await listNamespaces());
  const namespaces = allNamespaces(lab).filter((name) => existing.has(name));
  const strangers = await findStrangers(lab, existing);
  await deleteNamespaces(namespaces);
  for (const router of lab.plan.routers) driverOf(router).clean(lab, router);
  if (existsSync(lab.directory)) forgetLab(lab);
  return { processes: processes.length, namespaces: namespaces.length, strangers };
}

async function findStrangers(lab: Lab, existing: ReadonlySet<string>): Promise<string[]> {
  const nodes = [...lab.plan.routers, ...lab.plan.hosts].filter((node) => existing.has(namespaceOf(lab, node.name)));
  const found = await Promise.all(
    nodes.map(async ({ name }) => {
      const { stdout } = await tryRun('ip', ['netns', 'pids', namespaceOf(lab, name)]);
      return stdout
        .split('\n')
        .filter((pid) => pid !== '')
        .map((pid) => `${pid} in ${name}`);
    }),
  );
  return found.flat();
}
