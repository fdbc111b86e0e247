/** Hosts of a lab as their kernels have set them up: the addresses that SLAAC formed, beside those it should have formed. */

import { formatAddress } from '../../core/net/address.js';
import { eui64Address, parseMac } from '../../core/net/eui64.js';
import type { Colour } from '../../core/speaker/config.js';
import { LabError, run } from './command.js';
import { type Lab, namespaceOf } from './lab.js';
import { isIpv4, type PlannedHost, type PlannedPrefix, prefixText } from './plan.js';
import { poll } from './poll.js';

/** `deprecated`: valid, and not for new connections; `tentative`: duplicate address detection runs, `duplicate`: it failed. */
export type AddressCondition = 'preferred' | 'deprecated' | 'tentative' | 'duplicate' | 'missing';

export interface HostAddress {
  readonly prefix: string;
  readonly colour: Colour;
  /** The modified EUI-64 address of the host's MAC in the prefix (RFC 4862 section 5.5.3, RFC 4291 appendix A). */
  readonly expected: string;
  readonly condition: AddressCondition;
  /** The kernel has it, and duplicate address detection is over. */
  readonly usable: boolean;
  /** Seconds that are left; absent while it is missing. */
  readonly valid?: number;
  readonly preferred?: number;
  /** How many addresses of the interface were there before it and still are; IPv4 ones are configured, and so the first. */
  readonly position?: number;
}

interface AddressJson {
  readonly family?: string;
  readonly local?: string;
  readonly scope?: string;
  readonly tentative?: boolean;
  readonly dadfailed?: boolean;
  readonly deprecated?: boolean;
  readonly valid_life_time?: number;
  readonly preferred_life_time?: number;
}

/** One entry per IPv6 prefix of the host, in the order of the plan. */
export async function hostAddresses(lab: Lab, host: PlannedHost): Promise<readonly HostAddress[]> {
  const where = ['-n', namespaceOf(lab, host.name), '-j'];
  const [output, mac] = await Promise.all([
    run('ip', [...where, 'addr', 'show', 'dev', host.interface]),
    hostMac(lab, host),
  ]);
  const formed = globalAddresses(output);
  return host.prefixes
    .filter((planned) => !isIpv4(planned))
    .map((planned) => hostAddress(planned, expectedAddress(planned, mac), formed));
}

function hostAddress(planned: PlannedPrefix, expected: string, formed: readonly AddressJson[]): HostAddress {
  const position = formed.findIndex(({ local }) => local === expected);
  const found = formed[position];
  const condition = conditionOf(found);
  return {
    prefix: prefixText(planned),
    colour: planned.colour,
    expected,
    condition,
    usable: condition === 'preferred' || condition === 'deprecated',
    ...(found && { valid: found.valid_life_time ?? 0, preferred: found.preferred_life_time ?? 0, position }),
  };
}

/** IPv4, then IPv6 in the order in which they were formed: the kernel puts a new one before the others of its scope. */
function globalAddresses(json: string): AddressJson[] {
  const entries: readonly { readonly addr_info?: readonly AddressJson[] }[] = JSON.parse(json || '[]');
  const all = entries.flatMap((entry) => entry.addr_info ?? []).filter(({ scope }) => scope === 'global');
  const isIpv6 = ({ family }: AddressJson) => family === 'inet6';
  return [...all.filter((one) => !isIpv6(one)), ...all.filter(isIpv6).toReversed()];
}

function conditionOf(found: AddressJson | undefined): AddressCondition {
  if (!found) return 'missing';
  if (found.dadfailed) return 'duplicate';
  if (found.tentative) return 'tentative';
  return found.deprecated ? 'deprecated' : 'preferred';
}

/** RFC 5952 text of the address that SLAAC forms in the prefix. */
export function expectedAddress(planned: PlannedPrefix, mac: Uint8Array): string {
  return formatAddress(eui64Address(planned.prefix, mac));
}

async function hostMac(lab: Lab, host: PlannedHost): Promise<Uint8Array> {
  const output = await run('ip', ['-n', namespaceOf(lab, host.name), '-j', 'link', 'show', 'dev', host.interface]);
  const [link]: readonly { readonly address: string }[] = JSON.parse(output);
  const mac = parseMac(link?.address ?? '');
  if (!mac) throw new LabError(`${host.name}: ${host.interface} has no MAC address`);
  return mac;
}

/** Waits until every host has all its addresses; resolves with what is missing, `host1: fc00:1:1:1::/64`. */
export async function waitHostAddresses(lab: Lab, timeout: number): Promise<readonly string[]> {
  let missing: readonly string[] = [];
  await poll(
    async () => {
      missing = await missingAddresses(lab);
      return missing.length === 0;
    },
    { timeout, interval: 100 },
  );
  return missing;
}

async function missingAddresses(lab: Lab): Promise<readonly string[]> {
  const all = await Promise.all(
    lab.plan.hosts.map(async (host) => {
      const addresses = await hostAddresses(lab, host);
      return addresses.filter((address) => !address.usable).map((address) => `${host.name}: ${address.prefix}`);
    }),
  );
  return all.flat();
}

/** Throws LabError for a name that is no host of the lab. */
export function findHost(lab: Lab, name: string): PlannedHost {
  const host = lab.plan.hosts.find((candidate) => candidate.name === name);
  if (!host)
    throw new LabError(
      `lab ${lab.name} has no host ${name}; hosts: ${lab.plan.hosts.map((one) => one.name).join(', ')}`,
    );
  return host;
}

/** The address of a host that its kernel formed in the prefix of that colour. Throws LabError while there is none. */
export async function addressOf(lab: Lab, host: PlannedHost, colour: Colour): Promise<string> {
  const found = (await hostAddresses(lab, host)).find((address) => address.colour === colour);
  if (!found) throw new LabError(`${host.name} has no prefix of colour ${colour}`);
  if (!found.usable) throw new LabError(`${host.name} has no address in ${found.prefix} yet`);
  return found.expected;
}
