/** What processes and their namespace's tables say under /proc: CPU time, memory, routes. Cheap enough to be asked every millisecond. */
import { readFileSync } from 'node:fs';

/** USER_HZ: what the kernel counts CPU time in, for user space (proc(5)). */
const TICKS_PER_SECOND = 100;

/** Seconds of CPU of all the processes, so far. */
export function cpuSeconds(pids: readonly number[]): number {
  return pids.reduce((total, pid) => total + cpuTicks(readFileSync(`/proc/${pid}/stat`, 'utf8')), 0) / TICKS_PER_SECOND;
}

/** Fields 14 and 15 of /proc/PID/stat, user and system; the second field is a name that may hold spaces. */
export function cpuTicks(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Mebibytes: the sum of what each process had in memory at most. */
export function peakMemory(pids: readonly number[]): number {
  return pids.reduce((total, pid) => total + peakKibibytes(readFileSync(`/proc/${pid}/status`, 'utf8')), 0) / 1024;
}

export function peakKibibytes(status: string): number {
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0);
}

/** IPv6 routes in the tables of the process's namespace. */
export function kernelRouteCount(pid: number): number {
  return routeEntries(readFileSync(`/proc/${pid}/net/rt6_stats`, 'utf8'));
}

/** The fourth of its hexadecimal fields counts the routes (net/ipv6/route.c, rt6_stats_seq_show). */
export function routeEntries(stats: string): number {
  return Number.parseInt(stats.trim().split(/\s+/)[3] ?? '', 16);
}
