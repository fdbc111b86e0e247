/** Parts of a study for a cluster, as somebody types them: more parts than runs are no fault, and all parts make one. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { buildProgram } from '../program.js';

let folder = '';
const said = { stdout: '', stderr: '' };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'heddle-shards-'));
  for (const stream of ['stdout', 'stderr'] as const) {
    said[stream] = '';
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      said[stream] += text;
      return true;
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const STUDY = `name: small
topology:
  leaf-spine: { leaves: 2, spines: 2, hosts-per-leaf: 1, host-rate: 100G, uplink-rate: 100G }
workload:
  permutation: { octets: 10KB }
schemes: [ecmp]
`;

// Loaded before the tests: their time limits are not for that.
await buildProgram('sim');

async function heddle(...words: readonly string[]): Promise<void> {
  said.stdout = '';
  said.stderr = '';
  await (await buildProgram('sim')).parseAsync(['sim', ...words], { from: 'user' });
}

const compare = (...options: readonly string[]) =>
  heddle('compare', join(folder, 'study.yaml'), '--jobs', '1', ...options);

it('a part without a run says so, writes its files, and is put together with the others', async () => {
  writeFileSync(join(folder, 'study.yaml'), STUDY);
  const files = [1, 2, 3].map((part) => join(folder, `${part}.json`));
  const [csv, report, flows] = ['csv', 'html', 'flows'].map((name) => join(folder, name));
  await compare(
    '--seeds',
    '2',
    '--shard',
    '3/3',
    '--out',
    files[2]!,
    '--csv',
    csv!,
    '--report',
    report!,
    '--flows-out',
    flows!,
  );
  expect(said.stdout).toBe('');
  expect(said.stderr).toMatch(/^no run for part 3 of 3: the study has 2 in all\nwritten: /);
  expect(readFileSync(csv!, 'utf8').trimEnd().split('\n')).toHaveLength(1);
  expect(readFileSync(flows!, 'utf8').trimEnd().split('\n')).toHaveLength(1);
  expect(readFileSync(report!, 'utf8')).not.toMatch(/NaN|Infinity|undefined/);
  for (const part of [1, 2]) await compare('--seeds', '2', '--shard', `${part}/3`, '--out', files[part - 1]!);
  await heddle('report', ...[...files].reverse(), '--json');
  expect(said.stderr).toBe('');
  expect(JSON.parse(said.stdout).runs.map(({ seed }: { seed: number }) => seed)).toEqual([1, 2]);
  await heddle('report', files[2]!);
  expect(said.stderr).toMatch(/not all runs of the study are here: 2 are missing \(ecmp, seed 1, \.\.\.\)/);
});

it('a part without a run of a sweep as well', async () => {
  writeFileSync(join(folder, 'study.yaml'), `${STUDY}sweep: { workload.permutation.octets: [1KB, 20KB] }\n`);
  const files = [1, 2, 3].map((part) => join(folder, `${part}.json`));
  for (const part of [1, 2, 3]) await compare('--shard', `${part}/3`, '--out', files[part - 1]!);
  expect(said.stderr).toContain('no run for part 3 of 3: the study has 2 in all');
  await heddle('report', ...[...files].reverse(), '--json');
  expect(said.stderr).toBe('');
  expect(JSON.parse(said.stdout).points).toHaveLength(2);
  const report = join(folder, 'html');
  await heddle('report', files[2]!, '--report', report, '--csv', join(folder, 'csv'));
  expect(said.stderr).toContain('not all points of the study are here: 2 are missing (octets 1KB, ...)');
  expect(readFileSync(report, 'utf8')).not.toMatch(/NaN|Infinity|undefined/);
  await heddle('report', files[0]!);
  expect(said.stderr).toContain('not all points of the study are here: one is missing (octets 20KB)');
});
