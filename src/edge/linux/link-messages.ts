/** Links and addresses as rtnetlink messages (struct ifinfomsg, struct ifaddrmsg). */

import { ROUTE_PROTOCOL } from '../../core/fib/ownership.js';
import type { Address } from '../../core/net/address.js';
import type { LinkAddress, LinkState } from '../../core/ports/links.js';
import { LITTLE_ENDIAN, PayloadWriter, parseAttributes, textOf, u32Of, viewOf } from './rtnetlink/attributes.js';
import { FLAG, MESSAGE, type NetlinkMessage, type NetlinkRequest } from './rtnetlink/message.js';

const AF_UNSPEC = 0;
const AF_INET = 2;
const AF_INET6 = 10;

export const LINK_HEADER = 16;
const IFLA = { address: 1, name: 3, mtu: 4 } as const;
const IFF_UP = 0x1;
const IFF_LOWER_UP = 0x10000;

export const ADDRESS_HEADER = 8;
const IFA = { address: 1, local: 2, flags: 8, protocol: 11 } as const;
const IFA_F_NODAD = 0x02;
const IFA_F_DADFAILED = 0x08;
const IFA_F_TENTATIVE = 0x40;

export type LinkProperties = Omit<LinkState, 'addresses'>;

/** RTM_NEWLINK, RTM_DELLINK; `undefined` for messages that are about one protocol of the link, such as its bridge port. */
export function parseLink({ payload }: NetlinkMessage): LinkProperties | undefined {
  if (payload.length < LINK_HEADER || payload[0] !== AF_UNSPEC) return undefined;
  const view = viewOf(payload);
  const flags = view.getUint32(8, LITTLE_ENDIAN);
  const attributes = parseAttributes(payload, LINK_HEADER);
  return {
    index: view.getInt32(4, LITTLE_ENDIAN),
    name: textOf(attributes.get(IFLA.name)) ?? '',
    adminUp: (flags & IFF_UP) !== 0,
    carrier: (flags & IFF_LOWER_UP) !== 0,
    mac: macOf(attributes.get(IFLA.address)),
    mtu: u32Of(attributes.get(IFLA.mtu)) ?? 0,
  };
}

/** The loopback has six zeros, tunnels an IP address. */
function macOf(value: Uint8Array | undefined): Uint8Array {
  return value?.length === 6 && value.some((octet) => octet !== 0) ? value : new Uint8Array();
}

/** RTM_NEWADDR, RTM_DELADDR; `undefined` for families other than IPv4 and IPv6. */
export function parseAddressMessage({ payload }: NetlinkMessage): { index: number; address: LinkAddress } | undefined {
  if (payload.length < ADDRESS_HEADER || (payload[0] !== AF_INET && payload[0] !== AF_INET6)) return undefined;
  const attributes = parseAttributes(payload, ADDRESS_HEADER);
  // On a point-to-point link IFA_ADDRESS is the peer's.
  const address = attributes.get(IFA.local) ?? attributes.get(IFA.address);
  if (!address) return undefined;
  const flags = u32Of(attributes.get(IFA.flags)) ?? payload[2]!;
  return {
    index: viewOf(payload).getUint32(4, LITTLE_ENDIAN),
    address: {
      address,
      prefixLength: payload[1]!,
      tentative: (flags & IFA_F_TENTATIVE) !== 0,
      duplicate: (flags & IFA_F_DADFAILED) !== 0,
      ours: attributes.get(IFA.protocol)?.[0] === ROUTE_PROTOCOL,
    },
  };
}

/**
 * Without duplicate address detection: a gateway's address is what the configuration says it is, and hosts wait for it.
 * The protocol number is ignored by kernels before 5.18.
 */
export function addAddressRequest(index: number, address: Address, prefixLength: number): NetlinkRequest {
  const writer = addressPayload(index, address, prefixLength).u8(IFA.protocol, ROUTE_PROTOCOL);
  const payload = address.length === 16 ? writer.u32(IFA.flags, IFA_F_NODAD).finish() : writer.finish();
  return { type: MESSAGE.newAddress, flags: FLAG.create | FLAG.exclusive, payload };
}

export function deleteAddressRequest(index: number, address: Address, prefixLength: number): NetlinkRequest {
  const payload = addressPayload(index, address, prefixLength).finish();
  return { type: MESSAGE.deleteAddress, flags: 0, payload };
}

function addressPayload(index: number, address: Address, prefixLength: number): PayloadWriter {
  const header = new Uint8Array(ADDRESS_HEADER);
  header[0] = address.length === 4 ? AF_INET : AF_INET6;
  header[1] = prefixLength;
  viewOf(header).setUint32(4, index, LITTLE_ENDIAN);
  return new PayloadWriter(header).data(IFA.local, address).data(IFA.address, address);
}
