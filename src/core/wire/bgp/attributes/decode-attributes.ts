/**
 * Decodes the path attributes of an UPDATE and gives the RFC 7606 outcome of every error as data. Runs once per distinct set
 * of attributes (see attribute-key.ts), on a view that `splitUpdate` has filled.
 */

import { AS_TRANS } from '../../../net/as-number.js';
import { counted } from '../../../net/counted.js';
import { familyOf } from '../../../net/family.js';
import { ATTRIBUTE_FLAG, ATTRIBUTE_TYPE } from '../attribute-header.js';
import type { MessageError } from '../message.js';
import { ERROR_CODE, messageError } from '../message-error.js';
import { decodeNextHop } from '../next-hop.js';
import { read16 } from '../octets.js';
import { type AttributeError, type ErrorAction, type PathAttributes, strongestAction } from '../path-attributes.js';
import { type NlriField, UPDATE_SUBCODE, type UpdateView } from '../update-view.js';
import { mergeAs4Path } from './as4-path.js';
import type { AttributeFault, AttributesDraft } from './attribute-codec.js';
import { withdraw } from './attribute-fault.js';
import { attributeCodec } from './attribute-table.js';
import { decodeUnknown } from './unknown.js';

export interface DecodedAttributes {
  /** Absent when the field's routes must not be used (treat-as-withdraw or worse), and when it holds none. */
  readonly attributes: PathAttributes | undefined;
  readonly errors: readonly AttributeError[];
  /** The strongest of the errors' actions; it is about the whole UPDATE. */
  readonly action: ErrorAction | undefined;
}

/**
 * The attributes of the routes in `field`: the next hop is NEXT_HOP's for `classic`, MP_REACH_NLRI's for `mp`. An UPDATE
 * without routes is decoded too: its errors count (RFC 7606 section 5.2).
 */
export function decodeAttributes(view: UpdateView, field: NlriField): DecodedAttributes {
  const draft: AttributesDraft = {};
  const errors: AttributeError[] = [...view.faults];
  for (let index = 0; index < view.attributeCount; index++) {
    const error = decodeAttribute(view, view.attributeOffsets[index]!, { field, draft });
    if (error) errors.push(error);
  }
  if (field === 'mp') errors.push(...decodeReachNextHop(view, draft));
  mergeFourOctetAs(draft);
  const { origin, asPath, as4Path: _path, as4Aggregator: _aggregator, ...rest } = draft;
  errors.push(...missingAttributes(view, field, { draft, errors }));
  const judged = view.hasReachable ? errors : errors.map(withoutRoutesToWithdraw);
  const action = strongestAction(judged);
  const usable = view.hasRoutes(field) && (action === undefined || action === 'attribute-discard');
  if (!usable || origin === undefined || asPath === undefined) return { attributes: undefined, errors: judged, action };
  return { attributes: { origin, asPath, ...rest }, errors: judged, action };
}

/** The NOTIFICATION that a result with action `session-reset` asks for. */
export function resetError(decoded: DecodedAttributes): MessageError {
  const error = decoded.errors.find(({ action }) => action === 'session-reset');
  const subcode = error?.subcode ?? UPDATE_SUBCODE.malformedList;
  return messageError(ERROR_CODE.update, subcode, `UPDATE: ${error?.reason ?? 'malformed'}`, error?.data);
}

interface Target {
  readonly field: NlriField;
  readonly draft: AttributesDraft;
}

/** The first fault ends an attribute: nothing more is checked in one that is known bad. */
function decodeAttribute(view: UpdateView, start: number, { field, draft }: Target): AttributeError | undefined {
  const { body, context } = view;
  const flags = body[start]!;
  const type = body[start + 1]!;
  const extended = (flags & ATTRIBUTE_FLAG.extendedLength) !== 0;
  const valueStart = start + (extended ? 4 : 3);
  const end = valueStart + (extended ? read16(body, start + 2) : body[start + 2]!);
  // RFC 4760 section 3: NEXT_HOP says nothing about the routes in MP_REACH_NLRI, so it cannot be wrong there.
  if (type === ATTRIBUTE_TYPE.nextHop && !(field === 'classic' && view.hasRoutes('classic'))) return undefined;
  const value = body.subarray(valueStart, end);
  const codec = attributeCodec(type);
  let fault: AttributeFault | undefined;
  if (!codec) {
    fault = decodeUnknown({ flags, type, value }, draft);
  } else {
    const unwanted = codec.unwanted?.(context);
    if (unwanted !== undefined) {
      const subcode = UPDATE_SUBCODE.optionalAttribute;
      fault = { action: 'attribute-discard', ignored: true, subcode, reason: unwanted };
    } else if ((flags & ATTRIBUTE_FLAG.kind) !== codec.flags) {
      fault = { action: codec.flagsAction, subcode: UPDATE_SUBCODE.attributeFlags, reason: 'wrong flags' };
    } else {
      fault = codec.decode(value, draft, context);
    }
  }
  if (!fault) return undefined;
  const name = codec?.name ?? `attribute ${type}`;
  return { ...fault, attribute: type, reason: `${name}: ${fault.reason}`, data: body.slice(start, end) };
}

/** RFC 7606 section 7.11: a next hop of an impossible length puts in doubt where the NLRI starts. */
function decodeReachNextHop(view: UpdateView, draft: AttributesDraft): readonly AttributeError[] {
  const family = familyOf(view.reachAfi, view.reachSafi);
  if (family === undefined || !view.hasRoutes('mp')) return [];
  const octets = view.body.subarray(view.reachNextHopStart, view.reachNextHopEnd);
  const nextHop = decodeNextHop(octets, family);
  if (nextHop?.global || nextHop?.linkLocal) {
    draft.nextHop = nextHop;
    return [];
  }
  const fault: AttributeFault = nextHop
    ? withdraw(UPDATE_SUBCODE.invalidNextHop, 'the next hop is the unspecified address')
    : {
        action: 'session-reset',
        subcode: UPDATE_SUBCODE.optionalAttribute,
        reason: `a next hop of ${counted(octets.length, 'octet')}`,
      };
  return [{ ...fault, attribute: ATTRIBUTE_TYPE.mpReach, reason: `MP_REACH_NLRI: ${fault.reason}` }];
}

/** RFC 6793 section 4.2.3. */
function mergeFourOctetAs(draft: AttributesDraft): void {
  // An AGGREGATOR with a number of its own was set by a 2-octet speaker after the AS4 attributes: both are out of date.
  const outOfDate = draft.as4Aggregator && draft.aggregator && draft.aggregator.asn !== AS_TRANS;
  if (outOfDate) return;
  if (draft.as4Aggregator && draft.aggregator) draft.aggregator = draft.as4Aggregator;
  if (draft.as4Path && draft.asPath) draft.asPath = mergeAs4Path(draft.asPath, draft.as4Path);
}

/** RFC 7606 section 3 (d): treat-as-withdraw. An attribute that was there and bad is not missing. */
function missingAttributes(
  view: UpdateView,
  field: NlriField,
  found: { draft: AttributesDraft; errors: readonly AttributeError[] },
): readonly AttributeError[] {
  if (!view.hasRoutes(field)) return [];
  const { draft, errors } = found;
  const required = [
    { type: ATTRIBUTE_TYPE.origin, name: 'ORIGIN', present: draft.origin !== undefined },
    { type: ATTRIBUTE_TYPE.asPath, name: 'AS_PATH', present: draft.asPath !== undefined },
    { type: ATTRIBUTE_TYPE.nextHop, name: 'NEXT_HOP', present: field === 'mp' || draft.nextHop !== undefined },
    {
      type: ATTRIBUTE_TYPE.localPref,
      name: 'LOCAL_PREF',
      present: view.context.externalPeer || draft.localPref !== undefined,
    },
  ];
  return required
    .filter(({ type, present }) => !present && !errors.some(({ attribute }) => attribute === type))
    .map(({ type, name }) => ({
      ...withdraw(UPDATE_SUBCODE.missingWellKnown, `${name} is missing`),
      attribute: type,
      data: Uint8Array.of(type),
    }));
}

/** RFC 7606 section 5.2: with no reachable NLRI there is nothing to withdraw, and only a reset is left. */
function withoutRoutesToWithdraw(error: AttributeError): AttributeError {
  return error.action === 'attribute-discard' ? error : { ...error, action: 'session-reset' };
}
