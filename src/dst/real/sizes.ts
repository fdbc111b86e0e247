/** What daemons and their kernels hold and have done, as numbers: some must be again what they were at first, some must not grow in a quiet fabric. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { KernelRoute } from '../../app/lab/kernel-routes.js';
import type { Neighbor, Summary } from '../../edge/control/schema.js';
import type { Invariant, Violation } from '../violation.js';

/** By name. */
export type Numbers = Readonly<Record<string, number>>;
export type NumbersOf = ReadonlyMap<string, Numbers>;

export interface Asked {
  readonly summary: Summary;
  readonly neighbors: readonly Neighbor[];
  readonly kernel: readonly KernelRoute[];
}

/** Of one process: how much there is of everything. */
export function sizesOf({ summary, neighbors, kernel }: Asked): Numbers {
  return {
    prefixes: summary.routes,
    paths: summary.paths,
    'forwarding entries': summary.fib.installed + summary.fib.pending + summary.fib.failed,
    sessions: neighbors.length,
    routes: kernel.length,
    descriptors: descriptorsOf(summary.pid),
  };
}

/** Open descriptors of a process but for connections over Unix sockets: who asks it for its sizes is one of those, closed or not yet. */
function descriptorsOf(pid: number): number {
  const connections = unixConnections(readFileSync(`/proc/${pid}/net/unix`, 'utf8'));
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => !connections.has(targetOf(pid, fd))).length;
}

/** Empty of one that was closed since it was listed. */
function targetOf(pid: number, fd: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return '';
  }
}

/** As /proc/PID/fd names them; the sixth column is the state, CONNECTED (3) or DISCONNECTING (4), the seventh the inode (proc_pid_net(5)). */
export function unixConnections(table: string): ReadonlySet<string> {
  const rows = table.split('\n').map((line) => line.split(/\s+/));
  return new Set(
    rows.filter(([, , , , , state]) => state === '03' || state === '04').map((row) => `socket:[${row[6]}]`),
  );
}

/** And what it did, but for KEEPALIVEs. */
export function deedsOf({ summary, neighbors }: Asked): Numbers {
  const { nextHops, groups, routes } = summary.fib.written;
  const sent = neighbors.flatMap(({ messages }) => [messages.sent]);
  const sum = (kind: 'open' | 'update' | 'notification' | 'routeRefresh') =>
    sent.reduce((total, counters) => total + counters[kind], 0);
  return {
    pid: summary.pid,
    'OPENs sent': sum('open'),
    'UPDATEs sent': sum('update'),
    'NOTIFICATIONs sent': sum('notification'),
    'ROUTE-REFRESHes sent': sum('routeRefresh'),
    'writes to the kernel': nextHops + groups + routes,
  };
}

export function changes(invariant: Invariant, before: NumbersOf, now: NumbersOf): Violation[] {
  return [...now].flatMap(([place, numbers]) =>
    Object.entries(numbers).flatMap(([what, number]): Violation[] => {
      const first = before.get(place)?.[what];
      return first === number ? [] : [{ invariant, place, detail: `${what}: ${first} before, ${number} now` }];
    }),
  );
}
