import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createNamespace, deleteNamespace, namespacesUnusable, whileInNamespace } from '../../../test/harness/netns.js';
import { lockNamespace, type NamespaceLock } from './namespace-lock.js';

const HERE = 'b2-lock';
const ELSEWHERE = 'b2-lock-other';
const HOLDER = { name: 'leaf1', pid: 4711, controlSocket: '/run/heddle/leaf1.sock' };
const OTHER = { name: 'leaf2', pid: 4712, controlSocket: '/run/heddle/leaf2.sock' };
const LOCK_MODULE = join(import.meta.dirname, '..', '..', '..', 'dist', 'edge', 'linux', 'namespace-lock.js');

const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('the lock of a network namespace', () => {
  const held: NamespaceLock[] = [];
  const children: ChildProcess[] = [];
  const lockIn = async (namespace: string, holder = HOLDER) => {
    const lock = await whileInNamespace(namespace, () => lockNamespace(holder));
    held.push(lock);
    return lock;
  };

  beforeAll(() => {
    createNamespace(HERE);
    createNamespace(ELSEWHERE);
  });
  afterEach(async () => {
    for (const lock of held.splice(0)) lock.release();
    for (const child of children.splice(0)) await kill(child);
  });
  afterAll(() => {
    deleteNamespace(HERE);
    deleteNamespace(ELSEWHERE);
  });

  /** A process of its own that has taken the lock. */
  async function holderProcess(): Promise<ChildProcess> {
    const script = `import { lockNamespace } from ${JSON.stringify(LOCK_MODULE)};
      await lockNamespace(${JSON.stringify(OTHER)});
      setInterval(() => {}, 1000);
      process.stdout.write('held');`;
    const child = spawn('ip', ['netns', 'exec', HERE, process.execPath, '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    await once(child.stdout!, 'data');
    return child;
  }

  it('is had by one at a time, and says by whom', async () => {
    const first = await lockIn(HERE);
    await expect(lockIn(HERE, OTHER)).rejects.toThrow('network namespace already');
    first.release();
    await expect.poll(() => lockIn(HERE, OTHER)).toHaveProperty('release');
  });

  it('names the process that has it', async () => {
    await holderProcess();
    await expect(lockIn(HERE)).rejects.toThrow(
      'another heddle (leaf2, process 4712, control socket /run/heddle/leaf2.sock) runs in this network namespace already',
    );
  });

  it('is another one in another namespace', async () => {
    await lockIn(HERE);
    await expect(lockIn(ELSEWHERE, OTHER)).resolves.toHaveProperty('release');
  });

  it('is free again once its holder was killed', async () => {
    await kill(await holderProcess());
    await expect(lockIn(HERE)).resolves.toHaveProperty('release');
  });
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
