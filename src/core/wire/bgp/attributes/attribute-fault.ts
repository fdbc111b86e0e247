/** The faults that most attributes share, with their RFC 7606 outcome. */
import { UPDATE_SUBCODE } from '../update-view.js';
import type { AttributeFault } from './attribute-codec.js';

export function withdraw(subcode: number, reason: string): AttributeFault {
  return { action: 'treat-as-withdraw', subcode, reason };
}

export function discard(subcode: number, reason: string): AttributeFault {
  return { action: 'attribute-discard', subcode, reason };
}

export function badLength(length: number): AttributeFault {
  return withdraw(UPDATE_SUBCODE.attributeLength, `length ${length}`);
}

/** A list of items of `size` octets: none at all, or a broken last one, is wrong (RFC 7606 section 7). */
export function badListLength(length: number, size: number): AttributeFault | undefined {
  if (length > 0 && length % size === 0) return undefined;
  return withdraw(UPDATE_SUBCODE.optionalAttribute, `length ${length} is not a multiple of ${size} above zero`);
}
