/**
 * OPEN (RFC 4271 section 4.2) with capabilities (RFC 5492) and extended optional parameters (RFC 9072). Only what is wrong
 * in itself is an error here (RFC 4271 section 6.2); what does not suit the configuration is the session's to judge.
 */
import bufferpack from 'bufferpack';
import { AS_TRANS, type AsNumber } from '../../net/as-number.js';
import { decodeCapability, encodeCapability } from './capabilities/capability-table.js';
import { type Capability, MESSAGE_TYPE, type MessageError, type OpenMessage } from './message.js';
import { ERROR_CODE, messageError } from './message-error.js';
import { encodeMessage } from './message-header.js';
import { concat, octets16, read16 } from './octets.js';

const VERSION = 4;
/** Version, AS, hold time, identifier, length of the optional parameters. */
const FIXED_FORMAT = '>BHHIB';
const FIXED_OCTETS = 10;
const PARAMETER_CAPABILITIES = 2;
/** RFC 9072: as the length and as the first parameter's type it announces 2-octet lengths. */
const EXTENDED = 255;

const SUBCODE = {
  unspecific: 0,
  unsupportedVersion: 1,
  badPeerAs: 2,
  badIdentifier: 3,
  unsupportedParameter: 4,
  unacceptableHoldTime: 6,
};

export function decodeOpen(body: Uint8Array): OpenMessage | MessageError {
  const fixed = bufferpack.unpack(FIXED_FORMAT, body, 0);
  if (!fixed) return openError(SUBCODE.unspecific, `shorter than its ${FIXED_OCTETS} fixed octets`);
  const [version, asField, holdTime, identifier] = fixed as [number, number, number, number];
  if (version !== VERSION) {
    // The data is the version that we speak.
    return openError(SUBCODE.unsupportedVersion, `version ${version}`, octets16(VERSION));
  }
  // RFC 6286 section 2.1.
  if (identifier === 0) return openError(SUBCODE.badIdentifier, 'BGP identifier 0.0.0.0');
  if (holdTime === 1 || holdTime === 2) return openError(SUBCODE.unacceptableHoldTime, `hold time of ${holdTime} s`);
  const capabilities = decodeParameters(body);
  if ('kind' in capabilities) return capabilities;
  const asn = capabilities.find((capability) => capability.kind === 'four-octet-as')?.asn ?? asField;
  // RFC 7607 section 2.
  if (asn === 0 || asField === 0) return openError(SUBCODE.badPeerAs, 'AS 0', octets16(asField));
  return { kind: 'open', version, asn, asField, holdTime, identifier, capabilities };
}

function decodeParameters(body: Uint8Array): readonly Capability[] | MessageError {
  // RFC 9072 section 2: the length octet before the type 255 says nothing, as long as it is not zero.
  const extended = body[FIXED_OCTETS - 1] !== 0 && body[FIXED_OCTETS] === EXTENDED && body.length >= FIXED_OCTETS + 3;
  const start = extended ? FIXED_OCTETS + 3 : FIXED_OCTETS;
  const length = extended ? read16(body, FIXED_OCTETS + 1) : body[FIXED_OCTETS - 1]!;
  if (start + length !== body.length)
    return openError(SUBCODE.unspecific, 'optional parameters do not fill the message');
  const lengthOctets = extended ? 2 : 1;
  const capabilities: Capability[] = [];
  let position = start;
  while (position < body.length) {
    const valueStart = position + 1 + lengthOctets;
    if (valueStart > body.length) return openError(SUBCODE.unspecific, 'an optional parameter is cut off');
    const end = valueStart + (extended ? read16(body, position + 1) : body[position + 1]!);
    if (end > body.length) return openError(SUBCODE.unspecific, 'an optional parameter overruns the message');
    const type = body[position]!;
    if (type !== PARAMETER_CAPABILITIES) return openError(SUBCODE.unsupportedParameter, `optional parameter ${type}`);
    if (!decodeCapabilities(body.subarray(valueStart, end), capabilities)) {
      return openError(SUBCODE.unspecific, 'a capability overruns its parameter');
    }
    position = end;
  }
  return capabilities;
}

/** Appends to `into`; false when the last one is cut off. */
function decodeCapabilities(parameter: Uint8Array, into: Capability[]): boolean {
  let position = 0;
  while (position < parameter.length) {
    const end = position + 2 + (parameter[position + 1] ?? 0);
    if (position + 2 > parameter.length || end > parameter.length) return false;
    into.push(decodeCapability(parameter[position]!, parameter.subarray(position + 2, end)));
    position = end;
  }
  return true;
}

/** The whole message. One parameter holds all capabilities (RFC 5492 section 4), in RFC 9072's form only when it must. */
export function encodeOpen(open: Omit<OpenMessage, 'kind'>): Uint8Array {
  const capabilities = concat(open.capabilities.map(encodeCapability));
  const parameters = encodeParameters(capabilities);
  const fixed = new Uint8Array(FIXED_OCTETS);
  const length = Math.min(parameters.length, EXTENDED);
  bufferpack.packTo(FIXED_FORMAT, fixed, 0, [open.version, open.asField, open.holdTime, open.identifier, length]);
  return encodeMessage(MESSAGE_TYPE.open, concat([fixed, parameters]));
}

function encodeParameters(capabilities: Uint8Array): Uint8Array {
  if (capabilities.length === 0) return capabilities;
  const classic = 2 + capabilities.length < EXTENDED;
  if (classic) return concat([Uint8Array.of(PARAMETER_CAPABILITIES, capabilities.length), capabilities]);
  const parameter = concat([Uint8Array.of(PARAMETER_CAPABILITIES), octets16(capabilities.length), capabilities]);
  return concat([Uint8Array.of(EXTENDED), octets16(parameter.length), parameter]);
}

/** RFC 6793 section 4.2.2: what the 2-octet field of an OPEN says. */
export function openAsField(asn: AsNumber): number {
  return asn > 0xffff ? AS_TRANS : asn;
}

function openError(subcode: number, reason: string, data?: Uint8Array): MessageError {
  return messageError(ERROR_CODE.open, subcode, `OPEN: ${reason}`, data);
}
