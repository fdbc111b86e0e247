/** The interfaces that a configuration names: state, switches, MTU, addresses, and who is heard on them. */
import { usability, wantedSwitches } from '../../core/discovery/usable.js';
import { formatAddress, isLinkLocal } from '../../core/net/address.js';
import { counted, listed } from '../../core/net/counted.js';
import { contains, masked } from '../../core/net/prefix.js';
import type { LinkState, LinkSwitch } from '../../core/ports/links.js';
import type { NeighbourConfig } from '../../core/speaker/config.js';
import type { LinkNeighbour } from '../../edge/linux/diagnosis/routing-tables.js';
import { type Finding, ok, problem, warning } from './finding.js';
import { switchAction } from './switch-action.js';

export interface NamedLink {
  readonly name: string;
  readonly kind: 'fabric' | 'host';
  /** Absent when there is no such interface. */
  readonly state?: LinkState;
}

export function checkState({ name, kind, state }: NamedLink): Finding {
  if (!state)
    return problem('link.state', {
      subject: name,
      found: 'there is no such interface',
      meaning: 'the daemon starts, and waits for it',
      action: 'ip link lists what there is; correct the name in the configuration, or make the interface',
    });
  const found = usability(state);
  if (found.usable) return ok('link.state', 'up, with carrier and a link-local address', name);
  // A host that is not plugged in keeps nobody else from anything.
  const isHostAway = kind === 'host' && state.adminUp && !state.carrier;
  return (isHostAway ? warning : problem)('link.state', {
    subject: name,
    found: found.reason,
    meaning: 'nobody is looked for on it until that is mended',
    action: stateAdvice(name, state),
  });
}

function stateAdvice(name: string, { adminUp, carrier }: LinkState): string {
  if (!adminUp) return `ip link set ${name} up`;
  if (!carrier) return 'see to the cable, the optics and the other side';
  return `look at ip -6 addr show dev ${name}, and at net.ipv6.conf.${name}.addr_gen_mode and disable_ipv6`;
}

export interface SwitchState {
  readonly name: LinkSwitch;
  readonly before: number;
  readonly value: number;
  readonly why: string;
}

/** Those that are not as the daemon wants them, that only speed things up left out unless it may set them. */
export function wrongSwitches(
  { name, kind }: NamedLink,
  manage: boolean,
  read: (link: string, name: LinkSwitch) => number | undefined,
): readonly SwitchState[] {
  return wantedSwitches(kind).flatMap(({ name: wanted, value, optional, alsoFine, why }) => {
    const before = read(name, wanted);
    if (before === undefined || before === value || alsoFine?.includes(before)) return [];
    return optional && !manage ? [] : [{ name: wanted, before, value, why }];
  });
}

export function checkSwitches({ name }: NamedLink, wrong: readonly SwitchState[], manage: boolean): Finding[] {
  if (wrong.length === 0) return [ok('link.switches', 'kernel switches are as needed', name)];
  if (manage) return [ok('link.switches', `${wrong.map((one) => one.name).join(', ')} will be set`, name)];
  return wrong.map(({ name: one, before, value, why }) =>
    problem('link.switches', {
      subject: name,
      found: `${switchName(name, one)} is ${before}, must be ${value}`,
      meaning: why,
      action: switchAction(switchName(name, one), value),
    }),
  );
}

export function switchName(link: string, name: LinkSwitch): string {
  return `net.ipv6.${name === 'retrans_time_ms' ? 'neigh' : 'conf'}.${link}.${name}`;
}

/** RFC 8200 section 5. */
const LEAST_MTU = 1280;

/** One finding a link; what hosts may send has to fit through the fabric. */
export function checkMtu(links: readonly NamedLink[]): Finding[] {
  const known = links.flatMap(({ name, kind, state }) => (state ? [{ name, kind, mtu: state.mtu }] : []));
  const fabric = known.filter(({ kind }) => kind === 'fabric').map(({ mtu }) => mtu);
  const largest = Math.max(0, ...fabric);
  const smallest = Math.min(...fabric);
  return known.map(({ name, kind, mtu }) => {
    if (mtu < LEAST_MTU)
      return problem('link.mtu', {
        subject: name,
        found: `MTU ${mtu}`,
        meaning: 'the kernel does no IPv6 on a link with less than 1280',
        action: `ip link set ${name} mtu ${Math.max(largest, 1500)}`,
      });
    if (kind === 'fabric' && mtu < largest)
      return warning('link.mtu', {
        subject: name,
        found: `MTU ${mtu}, others of the fabric have ${largest}`,
        meaning: 'packets that fit elsewhere are refused here when a fallback takes this way',
        action: `ip link set ${name} mtu ${largest}, and the same on the other side`,
      });
    if (kind === 'host' && mtu > smallest)
      return warning('link.mtu', {
        subject: name,
        found: `MTU ${mtu}, the fabric has ${smallest}`,
        meaning: 'hosts send packets that do not fit through the fabric',
        action: `ip link set ${name} mtu ${smallest}, or raise that of the fabric links`,
      });
    return ok('link.mtu', `MTU ${mtu}`, name);
  });
}

export function checkAddresses({ name, state }: NamedLink): Finding[] {
  if (!state) return [];
  const duplicate = state.addresses.find((one) => one.duplicate);
  if (duplicate)
    return [
      problem('link.addresses', {
        subject: name,
        found: `${formatAddress(duplicate.address)} is a duplicate: another node on the link has it`,
        meaning: 'the kernel does not use it, and neighbours reach the other node',
        action: 'give one of the two another address, or another MAC address',
      }),
    ];
  const addresses = state.addresses.map(
    ({ address, prefixLength, tentative }) =>
      `${formatAddress(address)}/${prefixLength}${tentative ? ' (tentative)' : ''}`,
  );
  return [ok('link.addresses', addresses.join(', ') || 'no address', name)];
}

export function checkNeighbours({ name, kind, state }: NamedLink, heard: readonly LinkNeighbour[]): Finding[] {
  if (!state || kind === 'host') return [];
  const here = heard.filter(({ interfaceIndex, address }) => interfaceIndex === state.index && isLinkLocal(address));
  const routers = here.filter(({ router }) => router).map(({ address }) => formatAddress(address));
  if (routers.length > 0) return [ok('link.neighbours', `heard: ${listed(routers)}, a router`, name)];
  return [
    warning('link.neighbours', {
      subject: name,
      found: here.length === 0 ? 'nobody is known on it' : `${counted(here.length, 'node')} known on it, none a router`,
      meaning:
        'a neighbour that sends router advertisements is heard once the daemon listens; one that sends none never is',
      action: 'if it stays so with the daemon running: see that the other side sends router advertisements',
    }),
  ];
}

/** A neighbour given by its address is reached over a subnet of ours, unless it is some hops away. */
export function checkSubnet(neighbour: NeighbourConfig, links: readonly LinkState[]): Finding[] {
  const { name, address, multihop, interfaceName } = neighbour;
  if (multihop !== undefined || isLinkLocal(address)) return [];
  const holder = links.find(
    (link) =>
      (interfaceName === undefined || link.name === interfaceName) &&
      link.addresses.some(
        (ours) =>
          ours.address.length === address.length &&
          contains({ address: masked(ours.address, ours.prefixLength), length: ours.prefixLength }, address),
      ),
  );
  if (holder) return [ok('link.neighbours', `on a subnet of ${holder.name}`, name)];
  return [
    problem('link.neighbours', {
      subject: name,
      found: `on no subnet of ${interfaceName ?? 'this machine'}`,
      meaning: 'there is no session until an interface has an address in its subnet',
      action: 'add that address, or set multihop for a neighbour some hops away',
    }),
  ];
}
