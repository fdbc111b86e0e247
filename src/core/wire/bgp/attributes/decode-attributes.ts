/** Decodes the path attributes of an UPDATE and gives the RFC 7606 outcome of every error as data. */
import type { MessageError } from '../message.js';
import type { AttributeError, ErrorAction, PathAttributes } from '../path-attributes.js';
import type { NlriField, UpdateView } from '../update-view.js';

export interface DecodedAttributes {
  /** Absent when the routes must not be used (treat-as-withdraw or worse), or when there is none in the field. */
  readonly attributes: PathAttributes | undefined;
  readonly errors: readonly AttributeError[];
  /** The strongest of the errors' actions; it is about the whole UPDATE. */
  readonly action: ErrorAction | undefined;
}

/** The attributes of the routes in `field`: the next hop is NEXT_HOP's for `classic`, MP_REACH_NLRI's for `mp`. */
export function decodeAttributes(_view: UpdateView, _field: NlriField): DecodedAttributes {
  throw new Error('to be written');
}

/** The NOTIFICATION that a decode result with action `session-reset` asks for. */
export function resetError(_decoded: DecodedAttributes): MessageError {
  throw new Error('to be written');
}
