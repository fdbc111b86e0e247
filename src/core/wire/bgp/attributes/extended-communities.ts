/** EXTENDED COMMUNITIES (RFC 4360; AS-specific forms RFC 5668, colour RFC 9012 section 4.3); errors RFC 7606 section 7.14. */
import { formatAddress } from '../../../net/address.js';
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import { colourValue, isColour } from '../colour.js';
import { formatLinkBandwidth, isLinkBandwidth } from '../link-bandwidth.js';
import { hex, read16, read32 } from '../octets.js';
import type { ExtendedCommunity } from '../path-attributes.js';
import type { AttributeCodec } from './attribute-codec.js';
import { badListLength } from './attribute-fault.js';

const OCTETS = 8;

/** Two-octet AS, IPv4 address, four-octet AS (RFC 7153 section 5.1). */
const TYPE = { twoOctetAs: 0x00, address: 0x01, fourOctetAs: 0x02 };
const SUBTYPE_NAMES: ReadonlyMap<number, string> = new Map([
  [0x02, 'rt'],
  [0x03, 'soo'],
]);

/** `color:CO:value` with the CO bits as two digits (RFC 9256 section 8.8.1), `rt:AS:value`, `soo:AS:value`, `bandwidth:AS:value`, else 16 hexadecimal digits. */
export function formatExtendedCommunity(community: ExtendedCommunity): string {
  const { type, subtype, value } = community;
  if (isColour(community)) {
    const co = (value[0]! >>> 6).toString(2).padStart(2, '0');
    return `color:${co}:${colourValue(community)}`;
  }
  if (isLinkBandwidth(community)) return formatLinkBandwidth(community);
  const name = SUBTYPE_NAMES.get(subtype);
  if (name !== undefined && type === TYPE.twoOctetAs) return `${name}:${read16(value, 0)}:${read32(value, 2)}`;
  if (name !== undefined && type === TYPE.address)
    return `${name}:${formatAddress(value.subarray(0, 4))}:${read16(value, 4)}`;
  if (name !== undefined && type === TYPE.fourOctetAs) return `${name}:${read32(value, 0)}:${read16(value, 4)}`;
  return hex(Uint8Array.of(type, subtype, ...value));
}

export const extendedCommunities: AttributeCodec = {
  type: ATTRIBUTE_TYPE.extendedCommunities,
  name: 'EXTENDED COMMUNITIES',
  flags: ATTRIBUTE_FLAG.optional | ATTRIBUTE_FLAG.transitive,
  flagsAction: 'treat-as-withdraw',
  decode(value, draft) {
    const fault = badListLength(value.length, OCTETS);
    if (fault) return fault;
    draft.extendedCommunities = Array.from({ length: value.length / OCTETS }, (_, index) => {
      const at = index * OCTETS;
      return { type: value[at]!, subtype: value[at + 1]!, value: value.slice(at + 2, at + OCTETS) };
    });
    return undefined;
  },
  encode({ extendedCommunities }) {
    if (!extendedCommunities?.length) return undefined;
    const bytes = new Uint8Array(extendedCommunities.length * OCTETS);
    extendedCommunities.forEach(({ type, subtype, value }, index) => {
      bytes.set([type, subtype, ...value], index * OCTETS);
    });
    return bytes;
  },
  format: ({ extendedCommunities }) =>
    extendedCommunities && { extendedCommunities: extendedCommunities.map(formatExtendedCommunity) },
};
