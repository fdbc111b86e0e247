/** What a check found: the one shape that all checks answer in, and that `heddle doctor --json` prints. */

/** Every check there is, in the order in which they are shown; docs/operations.md lists them. */
export const CHECKS = [
  'kernel.version',
  'kernel.netlink',
  'kernel.ipv6',
  'kernel.next-hops',
  'kernel.forwarding',
  'kernel.tcp-md5',
  'kernel.tcp-ao',
  'kernel.ebpf',
  'packages',
  'privileges',
  'limits.files',
  'limits.memlock',
  'clock.monotonic',
  'clock.synchronised',
  'port',
  'daemons',
  'routes',
  'link.state',
  'link.switches',
  'link.mtu',
  'link.addresses',
  'link.neighbours',
  'storage',
  'changes',
] as const;
export type Check = (typeof CHECKS)[number];

export type Status = 'ok' | 'warning' | 'problem';

export interface Finding {
  readonly check: Check;
  /** The interface, path or program that it is about; null where it is the machine. */
  readonly subject: string | null;
  readonly status: Status;
  readonly found: string;
  /** What comes of it, where it is not as it should be. */
  readonly meaning: string | null;
  /** What to do about it. */
  readonly action: string | null;
}

export function ok(check: Check, found: string, subject: string | null = null): Finding {
  return { check, subject, status: 'ok', found, meaning: null, action: null };
}

interface Trouble {
  readonly found: string;
  readonly meaning: string;
  readonly action: string;
  readonly subject?: string;
}

export function warning(check: Check, { subject, ...trouble }: Trouble): Finding {
  return { check, subject: subject ?? null, status: 'warning', ...trouble };
}

export function problem(check: Check, { subject, ...trouble }: Trouble): Finding {
  return { check, subject: subject ?? null, status: 'problem', ...trouble };
}
