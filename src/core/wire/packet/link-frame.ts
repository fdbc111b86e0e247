/**
 * Link layers of captured packets: Ethernet with VLAN tags, Linux cooked (v1 and v2), BSD loopback and raw IP.
 * The result is a network-layer packet and what the link says of it.
 */

export const ETHER_TYPE = { ipv4: 0x0800, ipv6: 0x86dd } as const;

const VLAN_ETHER_TYPES: ReadonlySet<number> = new Set([0x8100, 0x88a8, 0x9100]);

export interface LinkFrame {
  /** Ethernet type of the payload, after any VLAN tags. */
  readonly etherType: number;
  readonly payload: Uint8Array;
  /** The sender's link-layer address, where the capture kept it. */
  readonly sourceMac?: Uint8Array;
  /** VLAN identifiers, outermost first. */
  readonly vlans: readonly number[];
  /** Interface index of the capturing host (Linux cooked v2). */
  readonly interfaceIndex?: number;
}

/** `undefined` for a link type that is not read, or a frame shorter than its header. */
export function decodeLinkFrame(linkType: number, data: Uint8Array): LinkFrame | undefined {
  switch (linkType) {
    case 1:
      return ethernet(data);
    case 113:
      return cookedV1(data);
    case 276:
      return cookedV2(data);
    case 0:
    case 108:
      return rawIp(data.subarray(4));
    case 12:
    case 14:
    case 101:
    case 228:
    case 229:
      return rawIp(data);
    default:
      return undefined;
  }
}

function ethernet(data: Uint8Array): LinkFrame | undefined {
  if (data.length < 14) return undefined;
  return untagged(data, 12, { sourceMac: data.subarray(6, 12) });
}

/** LINKTYPE_LINUX_SLL: packet type, ARPHRD type, address length, address (8), protocol. */
function cookedV1(data: Uint8Array): LinkFrame | undefined {
  if (data.length < 16) return undefined;
  return untagged(data, 14, uint16(data, 4) === 6 ? { sourceMac: data.subarray(6, 12) } : {});
}

/** LINKTYPE_LINUX_SLL2: protocol, reserved, interface index (4), ARPHRD type, packet type, address length, address (8). */
function cookedV2(data: Uint8Array): LinkFrame | undefined {
  if (data.length < 20) return undefined;
  const interfaceIndex = uint16(data, 4) * 0x10000 + uint16(data, 6);
  const mac = data[11] === 6 ? { sourceMac: data.subarray(12, 18) } : {};
  const frame = { etherType: uint16(data, 0), payload: data.subarray(20), vlans: [], interfaceIndex, ...mac };
  if (!VLAN_ETHER_TYPES.has(frame.etherType) || data.length < 24) return frame;
  return untagged(data, 22, { interfaceIndex, ...mac }, [uint16(data, 20) & 0xfff]);
}

/** Follows IEEE 802.1Q tags from the Ethernet type at `offset`. */
function untagged(
  data: Uint8Array,
  offset: number,
  link: Pick<LinkFrame, 'sourceMac' | 'interfaceIndex'>,
  outer: readonly number[] = [],
): LinkFrame {
  const vlans = [...outer];
  let at = offset;
  while (VLAN_ETHER_TYPES.has(uint16(data, at)) && at + 6 <= data.length) {
    vlans.push(uint16(data, at + 2) & 0xfff);
    at += 4;
  }
  return { etherType: uint16(data, at), payload: data.subarray(at + 2), vlans, ...link };
}

function rawIp(payload: Uint8Array): LinkFrame | undefined {
  const version = payload.length === 0 ? 0 : payload[0]! >> 4;
  if (version !== 4 && version !== 6) return undefined;
  return { etherType: version === 4 ? ETHER_TYPE.ipv4 : ETHER_TYPE.ipv6, payload, vlans: [] };
}

function uint16(data: Uint8Array, offset: number): number {
  return (data[offset]! << 8) | data[offset + 1]!;
}
