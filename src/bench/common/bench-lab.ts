/**
 * The ground of a benchmark as a lab like any other, so that what an interrupted run leaves is known: heddle lab down --lab NAME.
 */
import { requireNamespaces, tearDown } from '../../app/lab/build.js';
import { describeLab, knownLabs, type Lab, loadLab, saveLab } from '../../app/lab/lab.js';
import { parseTopology } from '../../app/lab/read-topology.js';

export interface BenchLab {
  readonly name: string;
  /** What it is for, for people. */
  readonly source: string;
  /** The keys of a topology file. The one that is measured counts as FRR's, so that what FRR leaves outside the lab's folder is removed with the lab. */
  readonly topology: string;
  /** Makes namespaces and links. */
  connect(lab: Lab): Promise<void>;
}

/** Takes down what an interrupted run of that name has left, and builds. Throws LabError when that cannot be. */
export async function buildBenchLab({ name, source, topology, connect }: BenchLab): Promise<Lab> {
  await requireNamespaces();
  if (knownLabs().includes(name)) await tearDown(loadLab(name));
  const lab = describeLab(parsed(`name: ${name}\n${topology}`), { source });
  saveLab(lab);
  try {
    await connect(lab);
    return lab;
  } catch (error) {
    await tearDown(lab);
    throw error;
  }
}

function parsed(text: string) {
  const result = parseTopology(text);
  if (result.topology !== undefined) return result.topology;
  throw new Error(result.problems.map((problem) => problem.message).join('; '));
}
