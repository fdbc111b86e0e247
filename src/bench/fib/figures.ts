/** What the figures of the rows are called: rows report them, targets look for them. Pure. */

/** Who is measured beside the other implementations: heddle, and the kernel without a daemon. */
export const HEDDLE = 'heddle';
export const KERNEL = 'kernel';
export const ECMP = 'kernel ECMP';

export const LOCAL_COUNTS = [1, 1_000, 100_000] as const;
export const REMOTE_COUNTS = [1, 1_000, 10_000] as const;
export const INSTALL_COUNT = 100_000;
export const RESTART_COUNT = 10_000;

/** How a link goes at the leaf: what is not said is the first one, or neither. */
export type LocalFailure = 'set down' | 'carrier lost';

export const FIGURE = {
  gap: (count: number, how?: LocalFailure) => `gap at ${prefixes(count)}${suffix(how)}, ms`,
  lost: (count: number, how?: LocalFailure) => `packets lost at ${prefixes(count)}${suffix(how)}`,
  slowest: (count: number, how?: LocalFailure) =>
    `gap of the slowest of first, middle, last at ${prefixes(count)}${suffix(how)}, ms`,
  install: 'time, s',
  cpu: 'CPU, s',
  memory: 'peak memory, MB',
  stopped: 'packets lost, stopped and started',
  killed: 'packets lost, kill -9 and started',
  outage: (how: string) => `longest gap, ${how}, ms`,
  imbalance: 'max / mean of the links',
  goodput: 'goodput, % of what was sent',
} as const;

function suffix(how: LocalFailure | undefined): string {
  return how === 'carrier lost' ? ', carrier lost' : '';
}

function prefixes(count: number): string {
  return `${count.toLocaleString('en-US')} prefix${count === 1 ? '' : 'es'}`;
}
