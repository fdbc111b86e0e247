/** What the figures of the rows are called: rows report them, targets look for them. Pure. */

/** Who is measured beside the other implementations: heddle, and the kernel without a daemon. */
export const HEDDLE = 'heddle';
export const KERNEL = 'kernel';
export const ECMP = 'kernel ECMP';

export const LOCAL_COUNTS = [1, 1_000, 100_000] as const;
export const REMOTE_COUNTS = [1, 1_000, 10_000] as const;
export const INSTALL_COUNT = 100_000;
export const RESTART_COUNT = 10_000;

export const FIGURE = {
  gap: (count: number) => `gap at ${prefixes(count)}, ms`,
  lost: (count: number) => `packets lost at ${prefixes(count)}`,
  slowest: (count: number) => `gap of the slowest of first, middle, last at ${prefixes(count)}, ms`,
  install: 'time, s',
  cpu: 'CPU, s',
  memory: 'peak memory, MB',
  stopped: 'packets lost, stopped and started',
  killed: 'packets lost, kill -9 and started',
  outage: (how: string) => `longest gap, ${how}, ms`,
  imbalance: 'max / mean of the links',
  goodput: 'goodput, % of what was sent',
} as const;

function prefixes(count: number): string {
  return `${count.toLocaleString('en-US')} prefix${count === 1 ? '' : 'es'}`;
}
