/** Parts of a support archive that the machine has: the kernel's tables, switches, the process of the daemon, its log. */
import { execFile } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Part } from './bundle.js';

/** Milliseconds. */
const PATIENCE = 10_000;
const LARGEST_OUTPUT = 8 * 1024 * 1024;
/** Octets from the end of a log. */
const LOG_TAIL = 4 * 1024 * 1024;
const JOURNAL_LINES = '20000';

const COMMANDS: readonly (readonly [string, ...string[]])[] = [
  ['ip', '-d', '-s', 'link', 'show'],
  ['ip', 'addr', 'show'],
  ['ip', '-6', 'route', 'show', 'table', 'all'],
  ['ip', '-4', 'route', 'show', 'table', 'all'],
  ['ip', '-6', 'rule', 'show'],
  ['ip', '-4', 'rule', 'show'],
  ['ip', '-d', 'nexthop', 'show'],
  ['ip', '-s', 'neigh', 'show'],
  ['ip', 'maddr', 'show'],
  ['sysctl', '-a', '--pattern', '^net\\.(ipv4|ipv6|core)\\.'],
  ['uname', '-a'],
];

export function kernelParts(): Part[] {
  return COMMANDS.map((command) => ({ name: `kernel/${nameOf(command)}.txt`, read: () => outputOf(command) }));
}

function nameOf(command: readonly string[]): string {
  return command
    .filter((word) => /^[-a-z0-9]+$/.test(word) && word !== 'show')
    .join('-')
    .replaceAll('--', '-');
}

/** What it prints, also when it ends with an error; rejects with the reason when it prints nothing. */
function outputOf([program, ...parameters]: readonly [string, ...string[]]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: PATIENCE, maxBuffer: LARGEST_OUTPUT, killSignal: 'SIGKILL' } as const;
    execFile(program, parameters, options, (error, stdout, stderr) => {
      if (stdout !== '' || !error) resolve(stdout);
      else reject(new Error(error.code === 'ENOENT' ? `${program} is not installed` : stderr.trim() || error.message));
    });
  });
}

export function processParts(pid: number): Part[] {
  return ['status', 'limits', 'cmdline', 'sched'].map((name) => ({
    name: `process/${name}.txt`,
    read: () => readFileSync(`/proc/${pid}/${name}`, 'utf8').replaceAll('\0', ' '),
  }));
}

/** The file that the daemon was started with, from its command line; undefined where that cannot be told. */
export function configOf(pid: number): string | undefined {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const file = words[words.indexOf('run') + 1];
    if (!words.includes('run') || !file) return undefined;
    // As the daemon sees it, which may be in a container.
    return join(`/proc/${pid}/root`, isAbsolute(file) ? file : join(readlinkSync(`/proc/${pid}/cwd`), file));
  } catch {
    return undefined;
  }
}

/** The end of the daemon's log: the file that its standard error is, or the journal's lines of its process. */
export function logPart(pid: number): Part {
  return {
    name: 'log.txt',
    read: async () => {
      const target = readlinkSync(`/proc/${pid}/fd/2`);
      if (target.startsWith('/') && !target.startsWith('/dev/')) return tailOf(`/proc/${pid}/fd/2`);
      return outputOf([
        'journalctl',
        '--quiet',
        '--no-pager',
        '-o',
        'short-iso-precise',
        '-n',
        JOURNAL_LINES,
        `_PID=${pid}`,
      ]);
    },
  };
}

export function tailOf(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const octets = Buffer.alloc(Math.min(size, LOG_TAIL));
    const read = readSync(descriptor, octets, 0, octets.length, size - octets.length);
    const text = octets.toString('utf8', 0, read);
    // The first line of a part is half a line, and might be half a secret.
    return size > octets.length ? text.slice(text.indexOf('\n') + 1) : text;
  } finally {
    closeSync(descriptor);
  }
}
