/** Which Linux capabilities a process has (capabilities(7)), from /proc/self/status. */

/** Bit of each capability in the CapEff mask, and what it is for. */
const NEEDED = [
  { name: 'CAP_NET_ADMIN', bit: 12n, purpose: 'routes and addresses' },
  { name: 'CAP_NET_RAW', bit: 13n, purpose: 'router advertisements' },
] as const;

const BIND = { name: 'CAP_NET_BIND_SERVICE', bit: 10n, purpose: 'the BGP port' } as const;

/** Capabilities the daemon needs and the process lacks, as `CAP_NET_RAW (router advertisements)`. */
export function missingCapabilities(status: string, privilegedPort: boolean): string[] {
  const mask = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  return [...NEEDED, ...(privilegedPort ? [BIND] : [])]
    .filter(({ bit }) => ((mask >> bit) & 1n) === 0n)
    .map(({ name, purpose }) => `${name} (${purpose})`);
}
