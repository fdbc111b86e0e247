/** The benchmark itself, with few routes and heddle alone: that it measures, and leaves nothing. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { labUnusable } from '../../../test/harness/lab.js';
import { PACKAGE_ROOT } from '../../app/lab/lab.js';

const NAME = 'bench-peers-test';
const unusable = labUnusable({ peers: false });
if (unusable) console.log(`skipped: ${unusable}`);

function heddle(...parameters: readonly string[]) {
  return spawnSync(process.execPath, [join(PACKAGE_ROOT, 'bin/heddle'), ...parameters], { encoding: 'utf8' });
}

function bench(workloads: string) {
  const main = join(PACKAGE_ROOT, 'dist/bench/peers/main.js');
  const options = ['--quick', '--peers', '', '--workloads', workloads, '--name', NAME];
  return spawnSync(process.execPath, [main, ...options], { encoding: 'utf8', timeout: 800_000 });
}

describe.skipIf(unusable)('the benchmark of speakers', () => {
  afterAll(() => void heddle('lab', 'down', '--lab', NAME));

  it('measures tables, delays and a start from cold, judges what it can, and takes everything down', {
    timeout: 900_000,
  }, () => {
    const { status, stdout, stderr } = bench('forward-100k-1,latency,unnumbered-64');
    expect(stderr).toContain('round 1, latency, heddle: ');
    expect(status).toBe(0);
    expect(stdout).toMatch(/\| announced: until the last is told, s +\| [\d.]+ +\|/);
    expect(stdout).toMatch(/\| UPDATE to kernel route event, p99, ms +\| [\d.]+ +\|/);
    expect(stdout).toMatch(/\| links up to all of it, s +\| [\d.]+ +\|/);
    expect(stdout).toMatch(/\| KEEPALIVEs late, p99, the worst workload, ms +\| < 50 +\|/);
    expect(heddle('lab', 'status', '--lab', NAME).status).not.toBe(0);
  });
});
