/** Which Linux capabilities a configuration needs and a process has (capabilities(7)), from /proc/self/status. */

interface Capability {
  readonly name: string;
  /** In the CapEff mask. */
  readonly bit: bigint;
  readonly purpose: string;
}

const ALWAYS: readonly Capability[] = [
  { name: 'CAP_NET_ADMIN', bit: 12n, purpose: 'routes and addresses' },
  { name: 'CAP_NET_RAW', bit: 13n, purpose: 'router advertisements' },
];
const BIND: Capability = { name: 'CAP_NET_BIND_SERVICE', bit: 10n, purpose: 'the BGP port' };
const PLANE: readonly Capability[] = [
  { name: 'CAP_PERFMON', bit: 38n, purpose: 'the eBPF plane' },
  { name: 'CAP_BPF', bit: 39n, purpose: 'the eBPF plane' },
];
/** Whoever has it may do what CAP_BPF and CAP_PERFMON allow. */
const SYS_ADMIN = 21n;

export interface Needs {
  readonly port: number;
  /** Where ports begin that everybody may have (ip_unprivileged_port_start). */
  readonly firstFreePort: number;
  readonly plane: boolean;
}

export function neededCapabilities({ port, firstFreePort, plane }: Needs): readonly Capability[] {
  return [...ALWAYS, ...(port < firstFreePort ? [BIND] : []), ...(plane ? PLANE : [])];
}

/** Those of `needed` that a process with this /proc/PID/status lacks. */
export function lackingCapabilities(status: string, needed: readonly Capability[]): readonly Capability[] {
  const mask = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  const has = (bit: bigint) => ((mask >> bit) & 1n) === 1n;
  return needed.filter(({ bit }) => !has(bit) && !(PLANE.some((one) => one.bit === bit) && has(SYS_ADMIN)));
}

/** `CAP_NET_RAW (router advertisements)`. */
export function capabilityText({ name, purpose }: Capability): string {
  return `${name} (${purpose})`;
}
