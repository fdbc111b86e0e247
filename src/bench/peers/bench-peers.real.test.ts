/** The benchmark itself, with few routes and heddle alone: that it measures, and leaves nothing. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../app/lab/lab.js';

const NAME = 'bench-peers-test';
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

function heddle(...parameters: readonly string[]) {
  return spawnSync(process.execPath, [join(PACKAGE_ROOT, 'bin/heddle'), ...parameters], { encoding: 'utf8' });
}

function bench(workloads: string) {
  const main = join(PACKAGE_ROOT, 'dist/bench/peers/main.js');
  const options = ['--quick', '--peers', '', '--workloads', workloads, '--name', NAME];
  return spawnSync(process.execPath, [main, ...options], { encoding: 'utf8', timeout: 60_000 });
}

describe.skipIf(!isRoot)('the benchmark of speakers', () => {
  afterAll(() => void heddle('lab', 'down', '--lab', NAME));

  it('measures tables and delays, judges what it can, and takes everything down', { timeout: 90_000 }, () => {
    const { status, stdout, stderr } = bench('forward-100k-1,latency');
    expect(stderr).toContain('round 1, latency, heddle: ');
    expect(status).toBe(0);
    expect(stdout).toMatch(/\| announced: until the last is told, s +\| [\d.]+ +\|/);
    expect(stdout).toMatch(/\| UPDATE to kernel route event, p99, ms +\| [\d.]+ +\|/);
    expect(stdout).toMatch(/\| KEEPALIVEs late, p99, the worst workload, ms +\| < 50 +\|/);
    expect(heddle('lab', 'status', '--lab', NAME).status).not.toBe(0);
  });
});
