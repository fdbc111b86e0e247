/** `heddle demo rlb` as a user runs it, with fewer draws. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../src/app/lab/lab.js';
import { labUnusable } from '../harness/lab.js';

const DRAWS = 3;
const unusable = labUnusable({ peers: false });

async function heddle(...parameters: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(join(PACKAGE_ROOT, 'bin', 'heddle'), parameters);
  return stdout;
}

describe('the story of RDMA-aware load balancing', () => {
  let directory: string;
  let chapters: readonly string[];
  const chapter = (title: string) => chapters.find((text) => text.startsWith(title)) ?? '';
  const used = (text: string) => [...text.matchAll(/(\d) of 4\s+\d+ ms/g)].map(([, links]) => Number(links));

  beforeAll(async () => {
    if (unusable !== undefined) return;
    directory = mkdtempSync(join(tmpdir(), 'heddle-story-'));
    const svg = join(directory, 'failure.svg');
    const story = await heddle('demo', 'rlb', '--draws', String(DRAWS), '--svg', svg);
    chapters = story
      .split(/\n\n(?=(?:Hashing|RDMA-aware|Proof|Predicted|Made|Split|Healed):)/)
      .map((text) => text.trimStart());
  }, 600_000);

  afterAll(() => {
    if (directory !== undefined) rmSync(directory, { recursive: true });
  });

  it.skipIf(unusable)('hashes queue pairs of one address over equal links', () => {
    const text = chapter('Hashing:');
    expect(used(text)).toHaveLength(DRAWS);
    expect(text).toContain('different links in 9.4 % of all draws');
  });

  it.skipIf(unusable)(
    'gives each queue pair with addresses of its own its own link, before and after the failure',
    () => {
      expect(used(chapter('RDMA-aware:'))).toEqual([4]);
      expect(used(chapter('Healed:'))).toEqual([4]);
      const shares = [...chapter('RDMA-aware:').matchAll(/(\d+) %/g)].map(([, share]) => Number(share));
      expect(shares.filter((share) => share < 23 || share > 27)).toEqual([]);
    },
  );

  it.skipIf(unusable)('proves every path, and that a failure does what was predicted of it', () => {
    expect(chapter('Proof:')).toContain('all as expected: 6 routers, 32 prefixes');
    expect(chapter('Predicted:')).toContain('nobody is cut off');
    expect(chapter('Made:')).toContain('all as expected with leaf1:spine1 down: 6 routers, 32 prefixes');
    expect(used(chapter('Made:'))).toEqual([4, 3, 4, 3]);
    expect(chapter('Healed:')).toContain('all as expected: 6 routers, 32 prefixes');
  });

  it.skipIf(unusable)('splits the subflow that lost its link, on the eBPF plane', () => {
    const text = chapter('Split:');
    expect(used(text)).toEqual([3]);
    expect(text).toMatch(/one pair, split: [\d.]+ x as long with 3 of 4 links/);
  });

  it.skipIf(unusable)('draws the failure and leaves no lab behind', () => {
    const picture = readFileSync(join(directory, 'failure.svg'), 'utf8');
    expect(picture.includes('at the failure: kernels alone') && picture.endsWith('</svg>\n')).toBe(true);
    for (const name of ['rlb', 'hashing'])
      expect(existsSync(join(process.env.HEDDLE_LAB_STATE!, name)), name).toBe(false);
  });
});
