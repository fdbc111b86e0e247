/** Lifetimes of host prefixes that can end between two advertisements. */
import type { HostPrefix } from '../../core/speaker/config.js';
import type { Sections } from './originations.js';
import type { Problem } from './problem.js';

const DEFAULT_INTERVAL = 10_000;
/** Advertisements that may be lost before a host runs out of time. */
const LOSSES = 3;

export function lifetimeChecks({ hosts, timers }: Sections): Problem[] {
  const interval = (timers?.routerAdvertisement ?? DEFAULT_INTERVAL) / 1000;
  return Object.entries(hosts ?? {}).flatMap(([name, host]) =>
    host.prefixes.flatMap((entry, index) =>
      lifetimeProblem(entry, interval).map((found) => ({
        severity: 'warning' as const,
        path: ['hosts', name, 'prefixes', index, found.key],
        message: found.message,
      })),
    ),
  );
}

function lifetimeProblem({ lifetimes }: HostPrefix, interval: number): { key: string; message: string }[] {
  if (!lifetimes) return [];
  const least = LOSSES * interval;
  const [key, seconds] =
    lifetimes.valid < least
      ? (['valid-lifetime', lifetimes.valid] as const)
      : (['preferred-lifetime', lifetimes.preferred] as const);
  if (seconds === 0 || seconds >= least) return [];
  return [
    {
      key,
      message: `${seconds} s can end between advertisements, which are up to ${interval} s apart and may be lost: at least ${least} s`,
    },
  ];
}
