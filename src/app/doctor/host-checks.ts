/** The process's place on the machine: privileges, limits, the clock, disk. Each check is a function of what was read. */
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { listed } from '../../core/net/counted.js';
import type { KernelClock } from '../../edge/linux/diagnosis/kernel-clock.js';
import { capabilityText, lackingCapabilities, type Needs, neededCapabilities } from './capabilities.js';
import { type Finding, ok, problem, warning } from './finding.js';

export function checkPrivileges(status: string, needs: Needs): Finding {
  const needed = neededCapabilities(needs);
  const lacking = lackingCapabilities(status, needed);
  const all = listed(needed.map(capabilityText));
  if (lacking.length === 0) return ok('privileges', `this process has what the daemon needs: ${all}`);
  return problem('privileges', {
    found: `this process lacks ${listed(lacking.map(capabilityText))}`,
    meaning: `a daemon that is started like this ends at once; it needs ${all}`,
    action: 'run it as root, or give the service these capabilities alone (AmbientCapabilities= in systemd)',
  });
}

/** Descriptors of a daemon that has no neighbour yet, with room for commands that ask it things. */
const FILES_AT_REST = 96;
/** A session, one that is replaced, BFD, router advertisements. */
const FILES_PER_LINK = 6;

/** @param limits /proc/self/limits */
export function checkFiles(limits: string, links: number): Finding {
  const limit = limitOf(limits, 'Max open files');
  const needed = FILES_AT_REST + links * FILES_PER_LINK;
  if (limit >= needed)
    return ok('limits.files', `${limitText(limit)} open files are allowed, about ${needed} are needed`);
  return problem('limits.files', {
    found: `${limit} open files are allowed, about ${needed} are needed`,
    meaning: 'sessions and commands would be refused once they are used up',
    action: 'raise it: ulimit -n 65536, or LimitNOFILE=65536 in systemd',
  });
}

/** Octets that the tables of an eBPF plane take at their default sizes, where the kernel counts them (before 5.11). */
const PLANE_OCTETS = 64 * 1024 * 1024;

export function checkMemlock(limits: string, { plane, kernel }: { plane: boolean; kernel: string }): Finding {
  const limit = limitOf(limits, 'Max locked memory');
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  const isCounted = major < 5 || (major === 5 && minor < 11);
  const found = `${limitText(limit)} octets of locked memory are allowed`;
  if (!plane) return ok('limits.memlock', `${found}; without an eBPF plane none is needed`);
  if (!isCounted) return ok('limits.memlock', `${found}; tables of eBPF do not count since Linux 5.11`);
  if (limit >= PLANE_OCTETS) return ok('limits.memlock', found);
  return warning('limits.memlock', {
    found,
    meaning: 'the kernel would refuse the tables of the eBPF plane, and forward itself',
    action: 'raise it: ulimit -l unlimited, or LimitMEMLOCK=infinity in systemd',
  });
}

/** The soft one of the two. */
function limitOf(limits: string, name: string): number {
  const word = new RegExp(`^${name}\\s+(\\S+)`, 'm').exec(limits)?.[1];
  return word === 'unlimited' ? Number.POSITIVE_INFINITY : Number(word ?? 0);
}

function limitText(limit: number): string {
  return limit === Number.POSITIVE_INFINITY ? 'any number of' : String(limit);
}

/** Two looks at both clocks, in milliseconds. */
export interface ClockLooks {
  readonly monotonic: readonly [number, number];
  readonly wall: readonly [number, number];
}

/** More than a clock that is being slewed (adjtime(3) and chrony: less than a tenth) or a late process makes of it. */
const JUMP = 100;

/** @param source of the kernel's clock, as in /sys; undefined where it cannot be told */
export function checkMonotonicClock({ monotonic, wall }: ClockLooks, source: string | undefined): Finding {
  const passed = monotonic[1] - monotonic[0];
  const jump = Math.round(wall[1] - wall[0] - passed);
  if (passed < 0)
    return problem('clock.monotonic', {
      found: 'the monotonic clock ran backwards',
      meaning: 'timers of sessions cannot be trusted',
      action: 'choose another clock source (/sys/devices/system/clocksource/clocksource0)',
    });
  if (Math.abs(jump) > JUMP)
    return warning('clock.monotonic', {
      found: `the time of day jumped by ${jump} ms while it was looked at`,
      meaning: 'sessions do not mind (their timers are monotonic); times in logs, MRT and BMP do',
      action: 'have it slewed, not stepped, by one time service',
    });
  if (source === 'jiffies' || source === 'acpi_pm' || source === 'hpet')
    return warning('clock.monotonic', {
      found: `the clock source is ${source}`,
      meaning: 'reading the clock is slow, and is done for every packet of BFD',
      action: 'see why the kernel took no better one: dmesg | grep -i clocksource',
    });
  return ok('clock.monotonic', `it runs evenly${source === undefined ? '' : `, from ${source}`}`);
}

export function checkSynchronised(clock: KernelClock | undefined): Finding {
  if (clock?.synchronised)
    return ok(
      'clock.synchronised',
      `the time of day is kept right, to ${(clock.maximalError / 1000).toFixed(1)} ms at worst`,
    );
  return warning('clock.synchronised', {
    found: clock ? 'nobody keeps the time of day right' : 'whether the time of day is kept right cannot be told here',
    meaning: 'sessions do not mind; logs, MRT and BMP of several routers cannot be laid side by side',
    action: 'run chrony, systemd-timesyncd or ntpd, or let the host of this container do so',
  });
}

/** Octets below which a disk counts as full. */
const LITTLE = 16 * 1024 * 1024;

/** A folder where the daemon writes; it makes those that are missing. */
export function checkStorage(purpose: string, folder: string, needed = LITTLE): Finding {
  const nearest = nearestExisting(folder);
  const refused = statSync(nearest).isDirectory() ? obstacleTo(nearest) : `${nearest} is no folder`;
  if (refused !== undefined)
    return problem('storage', {
      subject: folder,
      found: `${purpose}: ${refused}`,
      meaning: 'the daemon would not start, or write nothing there',
      action: `make ${folder} writable for the user that runs heddle, or choose another path in the configuration`,
    });
  const { bavail, bsize } = statfsSync(nearest);
  const free = bavail * bsize;
  if (free >= needed) return ok('storage', `${purpose}: writable, ${mebibytes(free)} free`, folder);
  return warning('storage', {
    subject: folder,
    found: `${purpose}: ${mebibytes(free)} free, ${mebibytes(needed)} may be needed`,
    meaning: 'what does not fit is lost; sessions go on',
    action: `make room on the disk of ${nearest}`,
  });
}

function nearestExisting(folder: string): string {
  return existsSync(folder) ? folder : nearestExisting(dirname(folder));
}

function obstacleTo(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return `${folder} cannot be written to (${(error as NodeJS.ErrnoException).code ?? error})`;
  }
}

function mebibytes(octets: number): string {
  return `${Math.floor(octets / 1024 / 1024)} MiB`;
}
