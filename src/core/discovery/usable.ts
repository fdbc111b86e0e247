/**
 * When an interface can be used: judged from its state, with the missing condition in the words that users read; and the kernel
 * switches that must stand right on it.
 */
import { type Address, compareBytes, equalBytes, formatAddress, isLinkLocal, parseAddress } from '../net/address.js';
import { eui64Address } from '../net/eui64.js';
import type { LinkAddress, LinkState, LinkSwitch } from '../ports/links.js';

export type Usability =
  | { readonly usable: true; readonly linkLocal: Address }
  | { readonly usable: false; readonly reason: string };

/** What an interface is declared as. */
export type InterfaceKind = 'fabric' | 'host';

export interface WantedSwitch {
  readonly name: LinkSwitch;
  readonly value: number;
  /** Only makes the link usable sooner: set where that is allowed, no reason to complain where it is not. */
  readonly optional?: true;
  /** Other values that do no harm either. */
  readonly alsoFine?: readonly number[];
  /** What goes wrong otherwise. */
  readonly why: string;
}

/** RFC 4862 section 5.4: nothing may be sent from, or bound to, an address whose uniqueness is not established. */
export function usability(link: LinkState): Usability {
  if (!link.adminUp) return unusable('administratively down');
  if (!link.carrier) return unusable('no carrier');
  const own = link.addresses.filter(({ address }) => isLinkLocal(address));
  const ready = preferred(
    link,
    own.filter(({ tentative, duplicate }) => !tentative && !duplicate),
  );
  return ready ? { usable: true, linkLocal: ready } : unusable(addressProblem(own));
}

function unusable(reason: string): Usability {
  return { usable: false, reason };
}

function addressProblem(linkLocals: readonly LinkAddress[]): string {
  const [first] = linkLocals;
  if (!first) return 'no link-local address';
  const address = formatAddress(first.address);
  return first.duplicate
    ? `duplicate address: another node on the link uses ${address}`
    : `link-local address ${address} is tentative (duplicate address detection)`;
}

const LINK_LOCAL_PREFIX = { address: parseAddress('fe80::')!, length: 64 };

/** The one made from the MAC, else the lowest: the choice does not change when other addresses come and go. */
function preferred(link: LinkState, candidates: readonly LinkAddress[]): Address | undefined {
  const addresses = candidates.map(({ address }) => address).sort(compareBytes);
  if (link.mac.length !== 6) return addresses[0];
  const fromMac = eui64Address(LINK_LOCAL_PREFIX, link.mac);
  return addresses.find((address) => equalBytes(address, fromMac)) ?? addresses[0];
}

/** In the order they are to be set: what shapes the link-local address comes before IPv6 is switched on. */
const COMMON_SWITCHES: readonly WantedSwitch[] = [
  {
    name: 'router_solicitation_delay',
    value: 0,
    optional: true,
    why: 'the kernel waits up to this many seconds before it starts duplicate address detection',
  },
  { name: 'addr_gen_mode', value: 0, alsoFine: [2, 3], why: 'the kernel would make no link-local address' },
  { name: 'accept_ra', value: 0, why: 'the kernel would take default routes from its neighbours' },
  { name: 'autoconf', value: 0, why: 'the kernel would take addresses from its neighbours' },
  { name: 'forwarding', value: 1, why: 'the kernel would not act as a router here' },
  {
    name: 'disable_ipv6',
    value: 0,
    why: 'the link would have no link-local address, and the kernel would refuse routes',
  },
];

/** RFC 4862 section 5.4: detection waits one RetransTimer for an objection; two routers on a cable need no second for that. */
const FABRIC_SWITCHES: readonly WantedSwitch[] = [
  { name: 'retrans_time_ms', value: 200, optional: true, why: 'duplicate address detection takes that long' },
  ...COMMON_SWITCHES,
];

const HOST_SWITCHES: readonly WantedSwitch[] = [
  ...COMMON_SWITCHES,
  { name: 'keep_addr_on_down', value: 1, why: 'the gateway addresses would be gone after the link was down' },
];

export function wantedSwitches(kind: InterfaceKind): readonly WantedSwitch[] {
  return kind === 'host' ? HOST_SWITCHES : FABRIC_SWITCHES;
}
