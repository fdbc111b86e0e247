/**
 * Attributes without a codec here (RFC 4271 section 5): optional transitive ones are passed on as they are, marked partial;
 * other optional ones are dropped. They are never looked into, so nothing in them can be wrong.
 */
import { ATTRIBUTE_FLAG, encodeAttribute } from '../attribute-header.js';
import { hex } from '../octets.js';
import type { RawAttribute } from '../path-attributes.js';
import { UPDATE_SUBCODE } from '../update-view.js';
import type { AttributeFault, AttributesDraft, JsonValue } from './attribute-codec.js';

/** `attribute.value` may still be the message's octets. */
export function decodeUnknown(attribute: RawAttribute, draft: AttributesDraft): AttributeFault | undefined {
  if ((attribute.flags & ATTRIBUTE_FLAG.optional) === 0) {
    // RFC 4271 section 6.3: what every speaker must know cannot be skipped.
    return {
      action: 'session-reset',
      subcode: UPDATE_SUBCODE.unrecognizedWellKnown,
      reason: 'unknown well-known attribute',
    };
  }
  if ((attribute.flags & ATTRIBUTE_FLAG.transitive) === 0) return undefined;
  const flags = attribute.flags & (ATTRIBUTE_FLAG.kind | ATTRIBUTE_FLAG.partial);
  draft.unknown = [...(draft.unknown ?? []), { flags, type: attribute.type, value: attribute.value.slice() }];
  return undefined;
}

/** The whole attribute. */
export function encodeUnknown(attribute: RawAttribute): Uint8Array {
  const flags = (attribute.flags & ATTRIBUTE_FLAG.kind) | ATTRIBUTE_FLAG.partial;
  return encodeAttribute(flags, attribute.type, attribute.value);
}

export function formatUnknown(attribute: RawAttribute): JsonValue {
  return { type: attribute.type, flags: `0x${hex(Uint8Array.of(attribute.flags))}`, value: hex(attribute.value) };
}
