/**
 * UPDATE, first step (RFC 4271 section 4.3): one scan that finds the fields and checks what must hold before anything in
 * them can be trusted. It reads attribute headers only; values are decoded once per distinct set (attributes/).
 */
import { type Family, familyOf } from '../../net/family.js';
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from './attribute-header.js';
import type { MessageError, UpdateContext } from './message.js';
import { ERROR_CODE, messageError } from './message-error.js';
import { read16 } from './octets.js';
import { UPDATE_SUBCODE, type UpdateView } from './update-view.js';

/**
 * Fills `view` from the body of an UPDATE; `context` says how the session reads it. An error ends the session; lesser faults
 * are left in `view.faults`.
 */
export function splitUpdate(body: Uint8Array, context: UpdateContext, view: UpdateView): MessageError | undefined {
  view.reset(body, context);
  // RFC 7606 section 4: the two length fields alone locate the classic NLRI, so it is found whatever the attributes hold.
  if (body.length < 4) return malformedList('shorter than its two length fields');
  const attributesLengthAt = 2 + read16(body, 0);
  if (attributesLengthAt + 2 > body.length) return malformedList('withdrawn routes overrun the message');
  const attributesStart = attributesLengthAt + 2;
  const attributesEnd = attributesStart + read16(body, attributesLengthAt);
  if (attributesEnd > body.length) return malformedList('path attributes overrun the message');
  view.withdrawnStart = 2;
  view.withdrawnEnd = attributesLengthAt;
  view.nlriStart = attributesEnd;
  view.nlriEnd = body.length;
  return scanAttributes(view, attributesStart, attributesEnd);
}

function scanAttributes(view: UpdateView, start: number, end: number): MessageError | undefined {
  const { body } = view;
  let position = start;
  while (position < end) {
    const extended = (body[position]! & ATTRIBUTE_FLAG.extendedLength) !== 0;
    const valueStart = position + (extended ? 4 : 3);
    if (valueStart > end) return overrun(view, 0);
    const type = body[position + 1]!;
    const valueEnd = valueStart + (extended ? read16(body, position + 2) : body[position + 2]!);
    if (valueEnd > end) return overrun(view, type);
    const error = noteAttribute(view, position, valueStart, valueEnd);
    if (error) return error;
    position = valueEnd;
  }
  return undefined;
}

function noteAttribute(view: UpdateView, at: number, start: number, end: number): MessageError | undefined {
  const type = view.body[at + 1]!;
  const multiprotocol = type === ATTRIBUTE_TYPE.mpReach || type === ATTRIBUTE_TYPE.mpUnreach;
  if (view.meetAgain(type)) {
    // RFC 7606 section 3 (g): the first counts, except for the two attributes that carry routes.
    if (multiprotocol) return malformedList(`attribute ${type} appears twice`);
    view.addFault('attribute-discard', type, 'appears again; the first one counts');
    return undefined;
  }
  if (!multiprotocol) {
    view.attributeOffsets[view.attributeCount++] = at;
    return undefined;
  }
  if ((view.body[at]! & ATTRIBUTE_FLAG.kind) !== ATTRIBUTE_FLAG.optional) {
    view.addFault('treat-as-withdraw', type, 'flags are not optional non-transitive', UPDATE_SUBCODE.attributeFlags);
  }
  const complete = type === ATTRIBUTE_TYPE.mpReach ? noteReach(view, start, end) : noteUnreach(view, start, end);
  if (complete) return undefined;
  // RFC 7606 section 5.3 and RFC 4760 section 7: without its parts there is no telling which routes it was about.
  const reason = `attribute ${type} is too short for its contents`;
  return messageError(ERROR_CODE.update, UPDATE_SUBCODE.optionalAttribute, reason, view.body.slice(at, end));
}

/** RFC 4760 section 3: AFI, SAFI, next hop with its length, a reserved octet to be ignored, NLRI. */
function noteReach(view: UpdateView, start: number, end: number): boolean {
  if (end - start < 5) return false;
  const nextHopEnd = start + 4 + view.body[start + 3]!;
  if (nextHopEnd + 1 > end) return false;
  view.reachAfi = read16(view.body, start);
  view.reachSafi = view.body[start + 2]!;
  view.reachNextHopStart = start + 4;
  view.reachNextHopEnd = nextHopEnd;
  view.reachNlriStart = nextHopEnd + 1;
  view.reachNlriEnd = end;
  return true;
}

/** RFC 4760 section 4: AFI, SAFI, withdrawn routes. */
function noteUnreach(view: UpdateView, start: number, end: number): boolean {
  if (end - start < 3) return false;
  view.unreachAfi = read16(view.body, start);
  view.unreachSafi = view.body[start + 2]!;
  view.unreachNlriStart = start + 3;
  view.unreachNlriEnd = end;
  return true;
}

/** RFC 7606 section 4: routes that were found already are withdrawn; a message in which none was found cannot be answered so. */
function overrun(view: UpdateView, type: number): MessageError | undefined {
  const reason =
    type === 0 ? 'an attribute header overruns the path attributes' : `attribute ${type} overruns the path attributes`;
  if (!view.hasReachable || type === ATTRIBUTE_TYPE.mpReach || type === ATTRIBUTE_TYPE.mpUnreach)
    return malformedList(reason);
  view.addFault('treat-as-withdraw', type, reason);
  return undefined;
}

/** RFC 4724 section 2: the family whose initial routes are complete, when this UPDATE is an End-of-RIB marker. */
export function isEndOfRib(view: UpdateView): Family | undefined {
  if (view.body.length === 4) return 'ipv4-unicast';
  const empty =
    view.attributeCount === 0 &&
    view.faults.length === 0 &&
    view.reachAfi === 0 &&
    view.withdrawnEnd === view.withdrawnStart &&
    view.nlriEnd === view.nlriStart &&
    view.unreachNlriEnd === view.unreachNlriStart;
  return empty ? familyOf(view.unreachAfi, view.unreachSafi) : undefined;
}

/** RFC 7606 section 5.3: a field of prefixes that cannot be parsed ends the session; `field` names it for the log. */
export function invalidNetworkField(field: string): MessageError {
  return messageError(ERROR_CODE.update, UPDATE_SUBCODE.invalidNetwork, `UPDATE: ${field} hold an impossible prefix`);
}

function malformedList(reason: string): MessageError {
  return messageError(ERROR_CODE.update, UPDATE_SUBCODE.malformedList, `UPDATE: ${reason}`);
}
