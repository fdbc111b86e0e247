/** What the docs show is what it prints: samples of the pages, typed in a lab. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../src/app/lab/lab.js';
import { runSamples } from '../documentation/run-samples.js';
import { samplesOf } from '../documentation/samples.js';
import { labUnusable } from '../harness/lab.js';

const folder = join(PACKAGE_ROOT, 'docs');
const pages = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .filter((name) => samplesOf(readFileSync(join(folder, name), 'utf8')).length > 0);
const unusable = labUnusable({ peers: false });
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('what docs show', () => {
  it('is in some pages at least', () => {
    expect(pages).toEqual(expect.arrayContaining(['tutorial.md']));
  });

  it.each(pages)('%s is what is printed', { timeout: 900_000 }, async (page) => {
    expect(await runSamples(join(folder, page))).toBeGreaterThan(0);
  });
});
