/**
 * BGP4MP (RFC 6396 section 4.4, add-path RFC 8050 section 3): the messages of a session and its changes of state, as they
 * happen. Bodies only; BGP4MP_ET has the same ones.
 */
import type { Address } from '../../net/address.js';
import { AS_TRANS, type AsNumber } from '../../net/as-number.js';
import { concat, octets16, octets32, read16, read32 } from '../bgp/octets.js';

/** Names of the states of RFC 4271 section 8.2.2, by their numbers here (section 4.4.1). */
export const MRT_STATES = ['idle', 'connect', 'active', 'open-sent', 'open-confirm', 'established'] as const;
export type MrtState = (typeof MRT_STATES)[number];

export interface MrtSession {
  /** 0 when it is not known. */
  readonly peerAs: AsNumber;
  readonly localAs: AsNumber;
  readonly interfaceIndex: number;
  readonly peerAddress: Address;
  /** Of the same length as the peer's. */
  readonly localAddress: Address;
}

export interface MrtMessage {
  readonly kind: 'message';
  readonly session: MrtSession;
  /** AS_PATH has 4-octet AS numbers. */
  readonly fourOctetAs: boolean;
  /** NLRI carries path identifiers. */
  readonly addPath: boolean;
  /** The router that wrote the record sent it. */
  readonly local: boolean;
  /** Whole, with its header. */
  readonly message: Uint8Array;
}

export interface MrtStateChange {
  readonly kind: 'state-change';
  readonly session: MrtSession;
  readonly from: MrtState;
  readonly to: MrtState;
}

const STATE_CHANGE = 0;
const STATE_CHANGE_AS4 = 5;

interface MessageForm {
  readonly fourOctetAs: boolean;
  readonly addPath: boolean;
  readonly local: boolean;
}

const MESSAGE_FORMS: Readonly<Record<number, MessageForm>> = {
  1: { fourOctetAs: false, addPath: false, local: false },
  4: { fourOctetAs: true, addPath: false, local: false },
  6: { fourOctetAs: false, addPath: false, local: true },
  7: { fourOctetAs: true, addPath: false, local: true },
  8: { fourOctetAs: false, addPath: true, local: false },
  9: { fourOctetAs: true, addPath: true, local: false },
  10: { fourOctetAs: false, addPath: true, local: true },
  11: { fourOctetAs: true, addPath: true, local: true },
};

/** Subtype and body. */
export interface Bgp4mpBody {
  readonly subtype: number;
  readonly body: Uint8Array;
}

export function encodeBgp4mp(content: MrtMessage | MrtStateChange): Bgp4mpBody {
  if (content.kind === 'state-change') {
    const states = [content.from, content.to].map((state) => octets16(MRT_STATES.indexOf(state) + 1));
    return { subtype: STATE_CHANGE_AS4, body: concat([encodeSession(content.session, true), ...states]) };
  }
  const { session, fourOctetAs, message } = content;
  return { subtype: subtypeOf(content), body: concat([encodeSession(session, fourOctetAs), message]) };
}

function subtypeOf({ fourOctetAs, addPath, local }: MessageForm): number {
  const found = Object.entries(MESSAGE_FORMS).find(
    ([, form]) => form.fourOctetAs === fourOctetAs && form.addPath === addPath && form.local === local,
  );
  return Number(found![0]);
}

function encodeSession(session: MrtSession, fourOctetAs: boolean): Uint8Array {
  const as = (asn: AsNumber) => (fourOctetAs ? octets32(asn) : octets16(asn > 0xffff ? AS_TRANS : asn));
  const { peerAs, localAs, interfaceIndex, peerAddress, localAddress } = session;
  return concat([
    as(peerAs),
    as(localAs),
    octets16(interfaceIndex & 0xffff),
    octets16(peerAddress.length === 16 ? 2 : 1),
    peerAddress,
    localAddress,
  ]);
}

/** `undefined` for a body that is cut short; a word for a subtype that is not read. */
export function decodeBgp4mp({ subtype, body }: Bgp4mpBody): MrtMessage | MrtStateChange | undefined | 'unread' {
  if (subtype === STATE_CHANGE || subtype === STATE_CHANGE_AS4) return decodeStateChange(subtype, body);
  const form = MESSAGE_FORMS[subtype];
  if (!form) return 'unread';
  const found = decodeSession(body, form.fourOctetAs);
  return found && { kind: 'message', session: found.session, ...form, message: body.subarray(found.end) };
}

function decodeStateChange(subtype: number, body: Uint8Array): MrtStateChange | undefined {
  const found = decodeSession(body, subtype === STATE_CHANGE_AS4);
  if (!found || found.end + 4 > body.length) return undefined;
  const from = stateOf(read16(body, found.end));
  const to = stateOf(read16(body, found.end + 2));
  return { kind: 'state-change', session: found.session, from, to };
}

/** FRR has states of its own above 6 (Clearing, Deleted), in which there is no session either. */
function stateOf(number: number): MrtState {
  return MRT_STATES[number - 1] ?? 'idle';
}

function decodeSession(body: Uint8Array, fourOctetAs: boolean): { session: MrtSession; end: number } | undefined {
  const as = fourOctetAs ? 4 : 2;
  const start = 2 * as + 4;
  if (body.length < start) return undefined;
  const afi = read16(body, start - 2);
  const octets = afi === 1 ? 4 : afi === 2 ? 16 : 0;
  const end = start + 2 * octets;
  if (octets === 0 || end > body.length) return undefined;
  const session = {
    peerAs: fourOctetAs ? read32(body, 0) : read16(body, 0),
    localAs: fourOctetAs ? read32(body, as) : read16(body, as),
    interfaceIndex: read16(body, 2 * as),
    peerAddress: body.slice(start, start + octets),
    localAddress: body.slice(start + octets, end),
  };
  return { session, end };
}
