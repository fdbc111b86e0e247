/**
 * Kernel switches without which the host does not forward, or sends all flows between two hosts down one path: checked
 * at start, and set where that is allowed.
 */
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import type { EventLog } from '../../core/ports/event-log.js';

/** The routing hash covers ports too: subflows of one pair of hosts spread over the next hops (value 1). */
const SWITCHES: readonly { readonly name: string; readonly value: number; readonly why: string }[] = [
  { name: 'net.ipv6.conf.all.forwarding', value: 1, why: 'the host would not forward IPv6' },
  { name: 'net.ipv4.ip_forward', value: 1, why: 'the host would not forward IPv4' },
  { name: 'net.ipv6.fib_multipath_hash_policy', value: 1, why: 'IPv6 flows would not spread over equal paths by port' },
  { name: 'net.ipv4.fib_multipath_hash_policy', value: 1, why: 'IPv4 flows would not spread over equal paths by port' },
];

export interface ForwardingSwitch {
  readonly name: string;
  readonly value: number;
  /** What goes wrong otherwise. */
  readonly why: string;
  /** As it stands; `undefined` where the kernel has no such switch. */
  readonly before: number | undefined;
}

/** Looks, and changes nothing. */
export function forwardingSwitches(): readonly ForwardingSwitch[] {
  return SWITCHES.map((wanted) => ({ ...wanted, before: read(wanted.name) }));
}

/**
 * With `manage`, sets what is not as needed, and logs it; without, throws an error that names all of those. A switch that the
 * kernel does not have, or does not let be set, is an error too. The result puts back what was set, for a start that fails.
 */
export function setForwardingSwitches(log: EventLog, manage: boolean): () => void {
  const wrong = forwardingSwitches().filter(({ before, value }) => before !== value);
  if (wrong.length > 0 && !manage) {
    const list = wrong.map(({ name, value, why }) => `${name} must be ${value} (${why})`).join('; ');
    throw new Error(`kernel switches are not as needed, and this configuration does not let heddle set them: ${list}`);
  }
  if (wrong.length > 0 && areSwitchesReadOnly()) {
    const list = wrong.map(({ name, value }) => `--sysctl ${name}=${value}`).join(' ');
    throw new Error(`/proc/sys is read-only, as in a container: the container has to be started with ${list}`);
  }
  for (const { name, value } of wrong) {
    write(name, value);
    log.write({ level: 'info', topic: 'fib', message: `${name} set to ${value}` });
  }
  return () => {
    for (const { name, before } of wrong) if (before !== undefined) write(name, before);
  };
}

/** Nobody can set a switch then, whatever the privileges: an unprivileged container. Opening one changes nothing. */
export function areSwitchesReadOnly(): boolean {
  try {
    closeSync(openSync(pathOf('net.ipv4.ip_forward'), 'r+'));
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}

function read(name: string): number | undefined {
  try {
    return Number(readFileSync(pathOf(name), 'latin1'));
  } catch {
    return undefined;
  }
}

function write(name: string, value: number): void {
  try {
    writeFileSync(pathOf(name), String(value));
  } catch (error) {
    throw new Error(`${name} cannot be set to ${value}: ${(error as NodeJS.ErrnoException).code ?? error}`);
  }
}

function pathOf(name: string): string {
  return `/proc/sys/${name.replaceAll('.', '/')}`;
}
