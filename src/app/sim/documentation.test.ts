/** What docs/simulator.md shows works: its study is read, its scheme is this file's fixture and runs. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FIGURES } from '../../simulator/results/figures.js';
import { SIZES } from '../../simulator/results/run-result.js';
import { SCHEMES } from '../../simulator/schemes/catalogue.js';
import { roundRobin } from '../../simulator/schemes/round-robin.fixture.js';
import { FLOWS_HEAD } from './flow-records.js';
import { readStudy } from './read-study.js';
import { runStudy } from './run-study.js';

const page = readFileSync('docs/simulator.md', 'utf8');

function blocks(language: string): string[] {
  return [...page.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map((match) => match[1]!);
}

it('the study and the scheme of docs/simulator.md work', async () => {
  expect(blocks('ts')).toEqual([readFileSync('src/simulator/schemes/round-robin.fixture.ts', 'utf8')]);
  const folder = mkdtempSync(join(tmpdir(), 'heddle-docs-'));
  try {
    const path = join(folder, 'study.yaml');
    writeFileSync(path, blocks('yaml')[0]!);
    const study = readStudy(path);
    expect(study.schemes.length).toBeGreaterThan(3);
    const scheme = { label: 'round-robin', definition: roundRobin, options: {} };
    const { result } = await runStudy(study, scheme, 1);
    // Packet by packet over a fabric without oversubscription: even, and out of order.
    expect(result.packets['out-of-order']).toBeGreaterThan(0);
    const up = result.links.filter(({ from }) => from === 'leaf1').map(({ octets }) => octets);
    expect(up).toHaveLength(8);
    expect(Math.max(...up) / Math.min(...up)).toBeLessThan(1.2);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('every scheme of the catalogue is in the page', () => {
  expect(SCHEMES.map(({ name }) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

it('every figure of results is in the page', () => {
  const bySize = (key: string) => /^slowdown_p99_(to_\d+|larger)$/.test(key) || /^slowdown_avg_to_(?!4000$)/.test(key);
  expect(FIGURES.filter(({ key }) => !bySize(key) && !page.includes(`\`${key}\``)).map(({ key }) => key)).toEqual([]);
  expect(SIZES.filter((upTo) => upTo !== null && !page.includes(String(upTo)))).toEqual([]);
  for (const column of FLOWS_HEAD.trimEnd().split(',')) expect(page).toContain(`\`${column}\``);
});

it.each(readdirSync('studies').filter((file) => file.endsWith('.yaml')))('the study %s is one', (file) => {
  expect(readStudy(join('studies', file)).file.description).toBeTruthy();
});
