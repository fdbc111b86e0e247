/**
 * UPDATE, first step (RFC 4271 section 4.3): one scan that finds the fields and checks what must hold before anything in
 * them can be trusted. It reads attribute headers only; values are decoded once per distinct set (attributes/).
 */
import { type Family, familyOf } from '../../net/family.js';
import type { MessageError, UpdateContext } from './message.js';
import type { UpdateView } from './update-view.js';

/** Fills `view` from the body of an UPDATE. An error ends the session; lesser faults are left in `view.faults`. */
export function splitUpdate(_body: Uint8Array, _context: UpdateContext, _view: UpdateView): MessageError | undefined {
  throw new Error('to be written');
}

/** RFC 4724 section 2: the family whose initial routes are complete, when this UPDATE is an End-of-RIB marker. */
export function isEndOfRib(view: UpdateView): Family | undefined {
  if (view.body.length === 4) return 'ipv4-unicast';
  return familyOf(view.unreachAfi, view.unreachSafi);
}

/** RFC 7606 section 5.3: a field of prefixes that cannot be parsed ends the session. */
export function invalidNetworkField(_reason: string): MessageError {
  throw new Error('to be written');
}
