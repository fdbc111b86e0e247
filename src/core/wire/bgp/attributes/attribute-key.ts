/**
 * The octets that determine what the attributes of an UPDATE decode to. Equal keys, equal decoded attributes: the RIB
 * interns by them and decodes each set once.
 */
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import type { UpdateContext } from '../message.js';
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

/**
 * Makes `view` one that decodes to what the UPDATE of `key` decoded to, for the routes of the field that is returned. The octets of its
 * routes are not there: only whether there were any.
 */
export function readAttributeKey(key: Uint8Array, view: UpdateView): NlriField {
  const tag = key[0]!;
  const field = tag & TAG.mp ? 'mp' : 'classic';
  view.reset(key, contextOf(tag));
  let position = 1;
  if (field === 'mp') {
    view.reachAfi = read16(key, position);
    view.reachSafi = key[position + 2]!;
    view.reachNextHopStart = position + 4;
    view.reachNextHopEnd = view.reachNextHopStart + key[position + 3]!;
    position = view.reachNextHopEnd;
  }
  while (position < key.length) {
    view.attributeOffsets[view.attributeCount++] = position;
    position = attributeEnd(key, position);
  }
  const hasOther = (tag & (TAG.routes | TAG.reachable)) === TAG.reachable;
  if (hasOther ? field === 'classic' : field === 'mp' && (tag & TAG.routes) !== 0) view.reachNlriEnd = 1;
  else if ((tag & TAG.reachable) !== 0) view.nlriEnd = 1;
  return field;
}

/** What the outcome depends on besides octets. */
const TAG = { mp: 1, fourOctetAs: 2, externalPeer: 4, aigp: 8, routes: 16, reachable: 32, asSets: 64 };

function contextOf(tag: number): UpdateContext {
  return {
    fourOctetAs: (tag & TAG.fourOctetAs) !== 0,
    addPath: [],
    externalPeer: (tag & TAG.externalPeer) !== 0,
    aigp: (tag & TAG.aigp) !== 0,
    asSets: (tag & TAG.asSets) !== 0,
  };
}

function readingTag(view: UpdateView, field: NlriField): number {
  const { context } = view;
  return (
    (field === 'mp' ? TAG.mp : 0) |
    (context.fourOctetAs ? TAG.fourOctetAs : 0) |
    (context.externalPeer ? TAG.externalPeer : 0) |
    (context.aigp ? TAG.aigp : 0) |
    (view.hasRoutes(field) ? TAG.routes : 0) |
    (view.hasReachable ? TAG.reachable : 0) |
    (context.asSets ? TAG.asSets : 0)
  );
}

function attributeEnd(body: Uint8Array, start: number): number {
  return (body[start]! & ATTRIBUTE_FLAG.extendedLength) === 0
    ? start + 3 + body[start + 2]!
    : start + 4 + read16(body, start + 2);
}
