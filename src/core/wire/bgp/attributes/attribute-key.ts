/**
 * The octets that determine what the attributes of an UPDATE decode to. Equal keys, equal decoded attributes: the RIB
 * interns by them and decodes each set once.
 */
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import { read16 } from '../octets.js';
import type { NlriField, UpdateView } from '../update-view.js';

/** Octets of scratch space that any message's key fits in. */
export const MAX_KEY_OCTETS = 65536;

/**
 * Writes the key for the routes of `field` into `scratch` and returns its length; 0 when the UPDATE has faults, which must
 * be decoded each time. The key covers the session's context too: the same octets mean different things to a 2-octet peer.
 */
export function attributeKey(view: UpdateView, field: NlriField, scratch: Uint8Array): number {
  if (view.faults.length > 0) return 0;
  const { body } = view;
  let length = 0;
  scratch[length++] = readingTag(view, field);
  if (field === 'mp') {
    scratch[length++] = view.reachAfi >>> 8;
    scratch[length++] = view.reachAfi;
    scratch[length++] = view.reachSafi;
    scratch[length++] = view.reachNextHopEnd - view.reachNextHopStart;
    for (let i = view.reachNextHopStart; i < view.reachNextHopEnd; i++) scratch[length++] = body[i]!;
  }
  for (let index = 0; index < view.attributeCount; index++) {
    const start = view.attributeOffsets[index]!;
    if (field === 'mp' && body[start + 1] === ATTRIBUTE_TYPE.nextHop) continue;
    const end = attributeEnd(body, start);
    for (let i = start; i < end; i++) scratch[length++] = body[i]!;
  }
  return length;
}

/** What the outcome depends on besides octets. */
function readingTag(view: UpdateView, field: NlriField): number {
  const { context } = view;
  return (
    (field === 'mp' ? 1 : 0) |
    (context.fourOctetAs ? 2 : 0) |
    (context.externalPeer ? 4 : 0) |
    (context.aigp ? 8 : 0) |
    (view.hasRoutes(field) ? 16 : 0) |
    (view.hasReachable ? 32 : 0) |
    (context.asSets ? 64 : 0)
  );
}

function attributeEnd(body: Uint8Array, start: number): number {
  return (body[start]! & ATTRIBUTE_FLAG.extendedLength) === 0
    ? start + 3 + body[start + 2]!
    : start + 4 + read16(body, start + 2);
}
