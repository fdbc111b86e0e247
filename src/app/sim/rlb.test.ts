import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../simulator/results/run-result.js';
import { readStudy } from './read-study.js';
import { runStudy } from './run-study.js';

const UPLINKS = 4;
/** Every host of a leaf sends to one of the next leaf, at line rate, through a fabric that is not oversubscribed. */
const STUDY = `name: permutation
topology:
  leaf-spine: { leaves: 4, spines: ${UPLINKS}, hosts-per-leaf: 4, host-rate: 100G, uplink-rate: 100G, delay: 1us }
workload:
  permutation: { octets: 8MiB, stride: 4 }
schemes: [rlb, ecmp]
`;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'heddle-rlb-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function results(more = ''): Promise<Map<string, RunResult>> {
  const path = join(folder, 'study.yaml');
  writeFileSync(path, STUDY + more);
  const study = readStudy(path);
  const runs = await Promise.all(study.schemes.map((scheme) => runStudy(study, scheme, 1)));
  return new Map(runs.map(({ result }) => [result.scheme, result]));
}

describe('RLB and BGP-DPF, 1:1', () => {
  it('put exactly the same on every link, without marks, where hashing collides', async () => {
    const found = await results();
    const rlb = found.get('rlb')!;
    expect(rlb.flows.finished).toBe(16);
    const up = rlb.links.filter(({ from }) => from.startsWith('leaf')).map(({ octets }) => octets);
    // Control packets go the other way on the same links; data is a segment of each host on each.
    expect((Math.max(...up) - Math.min(...up)) / Math.max(...up)).toBeLessThan(0.001);
    expect(rlb.packets).toMatchObject({ marked: 0, resent: 0, 'out-of-order': 0 });
    expect(rlb.pause.frames).toBe(0);
    expect(rlb.slowdown!.most).toBeLessThan(1.05);
    expect(found.get('ecmp')!.slowdown!.most).toBeGreaterThan(1.5);
  });
});
