/** Files under /proc and /sys as texts, and the processes of this network namespace: read, never written. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** `undefined` when it cannot be read. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

export function numberOf(path: string): number | undefined {
  const text = textOf(path)?.trim();
  return text === undefined || text === '' || Number.isNaN(Number(text)) ? undefined : Number(text);
}

export interface Process {
  readonly pid: number;
  readonly name: string;
}

/** Those that share our network namespace, as far as this user may know. */
export function processesHere(): readonly Process[] {
  const ours = linkOf('/proc/self/ns/net');
  return pids().flatMap((pid) => {
    if (ours === undefined || linkOf(`/proc/${pid}/ns/net`) !== ours) return [];
    const name = textOf(`/proc/${pid}/comm`)?.trim();
    return name === undefined ? [] : [{ pid, name }];
  });
}

/** Who has one of these sockets open, as far as this user may know. */
export function socketOwners(inodes: readonly string[]): readonly Process[] {
  const targets = new Set(inodes.map((inode) => `socket:[${inode}]`));
  return pids().flatMap((pid) => {
    const has = descriptorsOf(pid).some((target) => targets.has(target));
    return has ? [{ pid, name: textOf(`/proc/${pid}/comm`)?.trim() ?? '?' }] : [];
  });
}

function pids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function descriptorsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`) ?? '');
  } catch {
    return [];
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
