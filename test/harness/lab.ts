/** Labs for tests: built from topology text, with state in a folder and namespaces of a prefix of their own. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildLab, raiseLinks, tearDown } from '../../src/app/lab/build.js';
import { waitHostAddresses } from '../../src/app/lab/hosts.js';
import { describeLab, knownLabs, type Lab, loadLab, PACKAGE_ROOT } from '../../src/app/lab/lab.js';
import { parseTopology } from '../../src/app/lab/read-topology.js';
import { waitReady } from '../../src/app/lab/readiness.js';
import type { Topology } from '../../src/app/lab/topology.js';
import { namespacesUnusable } from './netns.js';
import { onPlane, type PlaneName } from './planes.js';

const PREFIX = 'test';
/** Milliseconds; a busy machine with a dozen daemons on two cores needs them. */
const READY = 300_000;

/** The same in every run, so that a run finds what an interrupted one has left. */
process.env.HEDDLE_LAB_STATE = join(tmpdir(), 'heddle-test-labs');

/** Why labs cannot be built here; `undefined` when they can. Installs FRR and BIRD the first time `peers` asks for them. */
export function labUnusable({ peers }: { readonly peers: boolean }): string | undefined {
  const reason = namespacesUnusable();
  if (reason !== undefined) return reason;
  if (!existsSync(join(PACKAGE_ROOT, 'dist', 'app', 'cli', 'main.js'))) return 'heddle is not built: npm run setup';
  return peers ? peersUnusable() : undefined;
}

function peersUnusable(): string | undefined {
  try {
    execFileSync(join(PACKAGE_ROOT, 'scripts', 'peers-install'), { stdio: ['ignore', 'pipe', 'pipe'] });
    return undefined;
  } catch (error) {
    const complaint = error instanceof Error && 'stderr' in error ? String(error.stderr).trim().split('\n').at(-1) : '';
    return `FRR and BIRD cannot be installed: ${complaint || String(error)}`;
  }
}

export function topologyOf(text: string): Topology {
  const parsed = parseTopology(text);
  if (parsed.topology !== undefined) return parsed.topology;
  throw new Error(parsed.problems.map((problem) => problem.message).join('\n'));
}

/** A lab that is not built yet; takes down what an interrupted run has left of it. */
export async function newLab(text: string, plane?: PlaneName): Promise<Lab> {
  const lab = describeLab(onPlane(topologyOf(text), plane), { prefix: PREFIX });
  if (knownLabs().includes(lab.name)) await tearDown(loadLab(lab.name));
  return lab;
}

/** Builds the lab and waits for every session, route and host address; throws with what is missing. */
export async function startLab(text: string, plane?: PlaneName): Promise<Lab> {
  const lab = await newLab(text, plane);
  await buildLab(lab);
  await raiseLinks(lab);
  const { missing } = await waitReady(lab, { timeout: READY });
  const addresses = missing.length > 0 ? [] : await waitHostAddresses(lab, READY);
  if (missing.length === 0 && addresses.length === 0) return lab;
  await tearDown(lab);
  throw new Error(`lab ${lab.name} did not get ready:\n${[...missing, ...addresses].join('\n')}`);
}
