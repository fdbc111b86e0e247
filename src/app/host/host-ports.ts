/**
 * The hosts of a lab's plan as the ports that queue pairs are planned for: with the addresses that their kernels have, or with
 * those that SLAAC will form. Pure. An address that is not ready for a new queue pair is left out, and named.
 */
import { parseAddress } from '../../core/net/address.js';
import { eui64Address } from '../../core/net/eui64.js';
import { formatPrefix } from '../../core/net/prefix.js';
import { type GidVersions, roceV2GidIndex } from '../../core/rlb/gid-table.js';
import type { GpuPort, Uplink } from '../../core/rlb/gpu-port.js';
import type { AddressCondition, HostAddress } from '../lab/hosts.js';
import { isIpv4, type LabPlan, type PlannedHost } from '../lab/plan.js';

export interface HostPort {
  readonly port: GpuPort;
  /** False: the host's MAC is not known, and its addresses stand for their prefixes. */
  readonly known: boolean;
  /** Addresses that no new queue pair is to use, and why: one line each. */
  readonly problems: readonly string[];
}

/** The same at every leaf. */
export function uplinksOf(plan: LabPlan): Uplink[] {
  const leaf = plan.routers.find(({ role }) => role === 'leaf');
  const { linksPerPair } = plan.topology;
  return (leaf?.fabric ?? []).map(({ uplink, peer, colour }) => ({
    number: uplink,
    name: linksPerPair === 1 ? peer.name : `${peer.name}/${((uplink - 1) % linksPerPair) + 1}`,
    spine: peer.name,
    colour,
  }));
}

/** As the kernel of the host has them now. RFC 4862 section 5.5.4: a deprecated address is for what uses it already. */
export function livePort(
  host: PlannedHost,
  addresses: readonly HostAddress[],
  uplinks: readonly Uplink[],
  versions: GidVersions,
): HostPort {
  const ready = addresses.filter(({ condition }) => condition === 'preferred');
  return {
    port: {
      host: host.name,
      leaf: host.leaf,
      addresses: ready.flatMap(({ expected, colour, position = 0 }) => {
        const uplink = uplinks.find((one) => one.colour === colour);
        if (!uplink) return [];
        const gidIndex = roceV2GidIndex(position, versions);
        return [{ address: parseAddress(expected)!, uplink: uplink.number, gidIndex }];
      }),
    },
    known: true,
    problems: addresses.flatMap((address) => problemOf(host, address)),
  };
}

const PROBLEMS: Readonly<Record<Exclude<AddressCondition, 'preferred'>, (address: HostAddress) => string>> = {
  missing: ({ prefix }) => `has no address in ${prefix}: the prefix is not advertised to it, or it forms none`,
  tentative: ({ expected }) => `${expected} is not valid yet: duplicate address detection runs`,
  duplicate: ({ expected }) => `${expected} is not valid: duplicate address detection found another node that has it`,
  deprecated: ({ expected, valid }) => `${expected} is deprecated: not for new queue pairs, and gone in ${valid} s`,
};

function problemOf(host: PlannedHost, address: HostAddress): string[] {
  if (address.condition === 'preferred') return [];
  return [`${host.name}: ${PROBLEMS[address.condition](address)} (colour ${address.colour})`];
}

/** As SLAAC will form them, in the order of the leaf's prefixes, behind IPv4 addresses. Without a MAC an address is that of its prefix. */
export function plannedPort(
  host: PlannedHost,
  mac: Uint8Array | undefined,
  uplinks: readonly Uplink[],
  versions: GidVersions,
): HostPort {
  const prefixes = host.prefixes.filter((planned) => !isIpv4(planned));
  const ipv4 = host.prefixes.length - prefixes.length;
  return {
    port: {
      host: host.name,
      leaf: host.leaf,
      addresses: prefixes.flatMap(({ prefix, colour }, position) => {
        const uplink = uplinks.find((one) => one.colour === colour);
        if (!uplink) return [];
        const address = mac === undefined ? prefix.address : eui64Address(prefix, mac);
        return [{ address, uplink: uplink.number, gidIndex: roceV2GidIndex(ipv4 + position, versions) }];
      }),
    },
    known: mac !== undefined,
    problems:
      mac === undefined
        ? [
            `${host.name}: MAC not known, prefixes stand for its addresses (${prefixes.map(({ prefix }) => formatPrefix(prefix)).join(', ')})`,
          ]
        : [],
  };
}
