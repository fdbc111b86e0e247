/** AGGREGATOR (RFC 4271 section 5.1.7) with a 2- or 4-octet AS number (RFC 6793); errors RFC 7606 section 7.7 and RFC 7607. */
import { formatAddress } from '../../../net/address.js';
import { AS_TRANS } from '../../../net/as-number.js';
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import { concat, octets16, octets32, read16, read32 } from '../octets.js';
import type { Aggregator } from '../path-attributes.js';
import { UPDATE_SUBCODE } from '../update-view.js';
import type { AttributeCodec } from './attribute-codec.js';
import { discard } from './attribute-fault.js';

/** `undefined` when the length is wrong or the AS number is 0. */
export function decodeAggregator(value: Uint8Array, asOctets: 2 | 4): Aggregator | undefined {
  if (value.length !== asOctets + 4) return undefined;
  const asn = asOctets === 4 ? read32(value, 0) : read16(value, 0);
  return asn === 0 ? undefined : { asn, address: value.slice(asOctets) };
}

export function encodeAggregator({ asn, address }: Aggregator, asOctets: 2 | 4): Uint8Array {
  const number = asOctets === 4 ? octets32(asn) : octets16(asn > 0xffff ? AS_TRANS : asn);
  return concat([number, address]);
}

export const aggregator: AttributeCodec = {
  type: ATTRIBUTE_TYPE.aggregator,
  name: 'AGGREGATOR',
  flags: ATTRIBUTE_FLAG.optional | ATTRIBUTE_FLAG.transitive,
  flagsAction: 'treat-as-withdraw',
  decode(value, draft, context) {
    const decoded = decodeAggregator(value, context.fourOctetAs ? 4 : 2);
    if (!decoded) return discard(UPDATE_SUBCODE.optionalAttribute, `length ${value.length}, or AS 0`);
    draft.aggregator = decoded;
    return undefined;
  },
  encode: ({ aggregator }, options) => aggregator && encodeAggregator(aggregator, options.fourOctetAs ? 4 : 2),
  format: ({ aggregator }) => aggregator && { aggregator: `${aggregator.asn} ${formatAddress(aggregator.address)}` },
};
