/** Who a message of an export group is for: everybody but one peer, or only it. A number, as there is one for every route of a batch. */
import type { PeerIndex } from './types.js';

export type Audience = number;

const ONLY = 1;

export function everybodyBut(peer: PeerIndex): Audience {
  return peer << 1;
}

export function onlyTo(peer: PeerIndex): Audience {
  return (peer << 1) | ONLY;
}

export function isInAudience(peer: PeerIndex, audience: Audience): boolean {
  return (audience >>> 1 === peer) === ((audience & ONLY) !== 0);
}
