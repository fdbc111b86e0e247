/**
 * Network namespaces for tests of the Linux edge. A test process moves its own thread into a namespace just while it opens a
 * socket or reads /proc/sys: what was opened stays there, so one test can hold both ends of a link.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const CLONE_NEWNET = 0x40000000;
const HOME = '/proc/thread-self/ns/net';

/** Why namespaces cannot be used here; `undefined` when they can. */
export function namespacesUnusable(): string | undefined {
  if (process.platform !== 'linux') return 'not Linux';
  if (process.getuid?.() !== 0) return 'not root';
  if (!isMainThread) return 'in a worker thread: run with --pool=forks';
  try {
    createRequire(import.meta.url)('koffi');
    ip('netns', 'list');
    return undefined;
  } catch (error) {
    return String((error as Error).message).split('\n')[0];
  }
}

/** Runs the ip command and returns what it printed; throws with its complaint. */
export function ip(...parameters: string[]): string {
  return execFileSync('ip', parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

export function createNamespace(name: string): void {
  deleteNamespace(name);
  ip('netns', 'add', name);
  ip('-n', name, 'link', 'set', 'lo', 'up');
}

export function deleteNamespace(name: string): void {
  if (ip('netns', 'list').split(/\s+/).includes(name)) ip('netns', 'delete', name);
}

/** Runs `work`, which must not await, with this thread in the namespace `name`. */
export function inNamespace<Result>(name: string, work: () => Result): Result {
  const home = openSync(HOME, 'r');
  try {
    enter(`/run/netns/${name}`);
    return work();
  } finally {
    setns(home);
    closeSync(home);
  }
}

/** The same for `work` that opens its sockets a tick later; nothing else may open one until it settles. */
export async function whileInNamespace<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const home = openSync(HOME, 'r');
  try {
    enter(`/run/netns/${name}`);
    return await work();
  } finally {
    setns(home);
    closeSync(home);
  }
}

function enter(path: string): void {
  const target = openSync(path, 'r');
  try {
    setns(target);
  } finally {
    closeSync(target);
  }
}

function setns(descriptor: number): void {
  const koffi = createRequire(import.meta.url)('koffi');
  const call = koffi.load(null).func('int setns(int fd, int type)') as (fd: number, type: number) => number;
  if (call(descriptor, CLONE_NEWNET) !== 0) throw new Error(`setns failed: errno ${koffi.errno()}`);
}
