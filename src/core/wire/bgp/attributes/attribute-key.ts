/**
 * The octets that determine what the attributes of an UPDATE decode to. Equal keys, equal decoded attributes: the RIB
 * interns by them and decodes each set once.
 */
import type { NlriField, UpdateView } from '../update-view.js';

/** Octets of scratch space that any message's key fits in. */
export const MAX_KEY_OCTETS = 65536;

/** Writes the key for the routes of `field` into `scratch`; returns its length, 0 when the UPDATE has faults and must be decoded. */
export function attributeKey(_view: UpdateView, _field: NlriField, _scratch: Uint8Array): number {
  throw new Error('to be written');
}
