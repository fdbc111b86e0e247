/** A daemon that rehearses beside one that does not, each in a namespace of its own without a neighbour. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNamespace, deleteNamespace, ip, namespacesUnusable } from '../../../test/harness/netns.js';
import { cpuSeconds } from '../../bench/common/usage.js';
import { ControlClient } from '../../edge/control/client.js';
import { PACKAGE_ROOT } from '../lab/lab.js';
import { poll } from '../lab/poll.js';

const PATIENCE = { timeout: 120_000, interval: 50 };
/** Seconds of CPU that a rehearsal takes at the very least, and those of a daemon that has nothing to do. */
const REHEARSED = 0.15;
const IDLE = 0.02;
/** Milliseconds in which one that is stopped ends, or half of what a whole rehearsal takes this machine. */
const STOPPED_WITHIN = 3_000;
const STILL = 500;

interface Daemon {
  readonly child: ChildProcess;
  readonly log: string[];
  readonly client: ControlClient;
  readonly namespace: string;
}

const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('a daemon that rehearses', () => {
  let folder: string;
  const started: Daemon[] = [];
  let whole = 0;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'heddle-wm-'));
  });

  afterAll(() => {
    for (const { child, namespace } of started) {
      child.kill('SIGKILL');
      deleteNamespace(namespace);
    }
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(name: string, rehearsal: boolean): Promise<Daemon> {
    const namespace = `wm-${name}`;
    const socket = join(folder, `${name}.sock`);
    const file = join(folder, `${name}.yaml`);
    const settings = ['name: router', 'role: spine', 'as: 65001', 'router-id: 10.0.0.1', 'log-level: debug'];
    const fabric = 'fabric: { wm0: { accept-remote-as: [external] } }';
    writeFileSync(file, [...settings, fabric, `rehearsal: ${rehearsal}`, `control-socket: ${socket}`].join('\n'));
    createNamespace(namespace);
    const command = [process.execPath, join(PACKAGE_ROOT, 'bin', 'heddle'), 'run', file];
    const child = spawn('ip', ['netns', 'exec', namespace, ...command], { stdio: ['ignore', 'ignore', 'pipe'] });
    const daemon = { child, log: [] as string[], client: new ControlClient(socket), namespace };
    started.push(daemon);
    child.stderr.on('data', (text) => daemon.log.push(String(text)));
    expect(await poll(() => existsSync(socket) && text(daemon).includes('runs as'), PATIENCE)).toBe(true);
    return daemon;
  }

  it('tells nobody of it: no table, no log, no kernel has anything that is not the daemon itself', async () => {
    const [rehearsing, plain] = [await start('rehearsing', true), await start('plain', false)];
    const from = performance.now();
    const spent = cpuSeconds([plain.child.pid!]);
    expect(await poll(() => cpuSeconds([rehearsing.child.pid!]) > spent + REHEARSED, PATIENCE)).toBe(true);
    expect(await poll(() => isIdle(rehearsing), PATIENCE)).toBe(true);
    whole = performance.now() - from;
    expect(await seen(rehearsing)).toEqual(await seen(plain));
    expect(text(rehearsing)).toBe(text(plain));
  });

  it('stops at once in the middle of it', async () => {
    const { child } = await start('stopped', true);
    const gone = once(child, 'exit');
    const from = performance.now();
    child.kill('SIGTERM');
    expect(await gone).toEqual([0, null]);
    expect(performance.now() - from).toBeLessThan(Math.max(STOPPED_WITHIN, whole / 2));
  });
});

/** What is logged, without the time of it. */
function text({ log }: Daemon): string {
  return log.join('').replaceAll(/^\S+ /gm, '');
}

async function isIdle({ child }: Daemon): Promise<boolean> {
  const before = cpuSeconds([child.pid!]);
  await new Promise((resolve) => setTimeout(resolve, STILL));
  return cpuSeconds([child.pid!]) - before <= IDLE;
}

async function seen({ client, namespace }: Daemon): Promise<unknown> {
  return {
    summary: { ...(await client.summary()), uptimeMs: 0, pid: 0 },
    neighbors: await client.neighbors(),
    routes: await collected(client.routes()),
    fib: await client.fib(),
    differences: await client.fibDifferences(),
    interfaces: await client.interfaces(),
    kernel: [['-6', 'route'], ['nexthop'], ['address']].map((what) => ip('-n', namespace, ...what)),
  };
}

async function collected<T>(batches: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}
