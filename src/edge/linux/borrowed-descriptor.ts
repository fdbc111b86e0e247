/**
 * A descriptor of another process, duplicated into this one (pidfd_open(2), pidfd_getfd(2); Linux 5.6, and the right to trace that process):
 * how whoever tests a daemon writes octets among those that it writes, on a connection of its own.
 */
import { closeSync, writeSync } from 'node:fs';
import { getSystemErrorName } from 'node:util';
import { loadKoffi } from './native.js';

/** The same on every architecture: both are younger than the common table. */
const PIDFD_OPEN = 434;
const PIDFD_GETFD = 438;
/** The process, its descriptor or the other side of it has gone. */
const GONE: readonly unknown[] = ['ESRCH', 'EBADF', 'EPIPE', 'ECONNRESET'];

/** On what process `pid` has as descriptor `fd`; whether it was still there. Throws what else went wrong, with the call's `code`. */
export function writeAs(pid: number, fd: number, octets: Uint8Array): boolean {
  try {
    withDescriptor(call(PIDFD_OPEN, pid, 0), (process) =>
      withDescriptor(call(PIDFD_GETFD, process, fd), (borrowed) => {
        const written = writeSync(borrowed, octets);
        if (written < octets.length) throw new Error(`${written} of ${octets.length} octets written`);
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && GONE.includes(error.code)) return false;
    throw error;
  }
}

function withDescriptor(descriptor: number, use: (descriptor: number) => void): void {
  try {
    use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function call(number: number, first: number, second: number): number {
  const koffi = loadKoffi();
  const syscall = koffi.load(null).func('long syscall(long number, long first, long second, long third)');
  const result = Number(syscall(number, first, second, 0));
  if (result >= 0) return result;
  const code = getSystemErrorName(-koffi.errno());
  throw Object.assign(new Error(`${number === PIDFD_OPEN ? 'pidfd_open' : 'pidfd_getfd'}: ${code}`), { code });
}
