/** NOTIFICATION (RFC 4271 section 4.5), what it says in words, and the text that goes with a shutdown (RFC 9003). */
import { capabilityName } from './capabilities/capability-names.js';
import { MESSAGE_TYPE, type MessageError, type NotificationMessage } from './message.js';
import { ERROR_CODE, messageError } from './message-error.js';
import { encodeMessage } from './message-header.js';
import { notificationName } from './notification-names.js';
import { hex, octets16, read16, read32 } from './octets.js';
import { printableText, utf8Within } from './text.js';

/** What a NOTIFICATION says; a decoder's MessageError is one too. */
export type NotificationContent = Pick<NotificationMessage, 'code' | 'subcode' | 'data'>;

const MAX_TEXT_OCTETS = 255;
const HARD_RESET = 9;

/** The whole message. */
export function encodeNotification({ code, subcode, data }: NotificationContent): Uint8Array {
  const body = new Uint8Array(2 + data.length);
  body.set([code, subcode]);
  body.set(data, 2);
  return encodeMessage(MESSAGE_TYPE.notification, body);
}

export function decodeNotification(body: Uint8Array): NotificationMessage | MessageError {
  if (body.length < 2) {
    const reason = 'NOTIFICATION: shorter than its code and subcode';
    return messageError(ERROR_CODE.header, 2, reason, octets16(body.length));
  }
  return { kind: 'notification', code: body[0]!, subcode: body[1]!, data: body.slice(2) };
}

/** One line for people, safe to print on a terminal: `Cease/Administrative Shutdown (6/2): "text"`. */
export function describeNotification(notification: NotificationContent): string {
  const { code, subcode, data } = notification;
  // RFC 8538 section 3.1: the reason for the reset is inside. A reset inside it again is not looked into.
  if (code === ERROR_CODE.cease && subcode === HARD_RESET && data.length >= 2) {
    const inner = { code: data[0]!, subcode: data[1]!, data: data.subarray(2) };
    return `${notificationName(code, subcode)}: ${describePlain(inner)}`;
  }
  return describePlain(notification);
}

function describePlain(notification: NotificationContent): string {
  const name = notificationName(notification.code, notification.subcode);
  const detail = notification.data.length === 0 ? '' : describeData(notification);
  return detail === '' ? name : `${name}: ${detail}`;
}

function describeData({ code, subcode, data }: NotificationContent): string {
  const describe = DATA_MEANING[`${code}/${subcode}`];
  return describe?.(data) ?? `data ${hex(data)}`;
}

/** By code and subcode; `undefined` when the data does not have the expected shape. */
const DATA_MEANING: Readonly<Record<string, (data: Uint8Array) => string | undefined>> = {
  '1/2': (data) => (data.length === 2 ? `length ${read16(data, 0)}` : undefined),
  '1/3': (data) => (data.length === 1 ? `type ${data[0]}` : undefined),
  '2/1': (data) => (data.length === 2 ? `version ${read16(data, 0)} is spoken` : undefined),
  '2/2': (data) =>
    data.length === 2 ? `AS ${read16(data, 0)}` : data.length === 4 ? `AS ${read32(data, 0)}` : undefined,
  '2/7': describeCapabilities,
  '3/3': (data) => (data.length === 1 ? `attribute ${data[0]}` : undefined),
  '6/1': describePrefixLimit,
  '6/2': describeText,
  '6/4': describeText,
};

/** RFC 5492 section 5: the capabilities that were missed. */
function describeCapabilities(data: Uint8Array): string | undefined {
  const names: string[] = [];
  let position = 0;
  while (position + 2 <= data.length) {
    names.push(capabilityName(data[position]!));
    position += 2 + data[position + 1]!;
  }
  return position === data.length ? names.join(', ') : undefined;
}

/** RFC 4486 section 4: AFI, SAFI and the upper bound. */
function describePrefixLimit(data: Uint8Array): string | undefined {
  if (data.length !== 7) return undefined;
  return `limit ${read32(data, 3)} for AFI ${read16(data, 0)} SAFI ${data[2]}`;
}

/** RFC 9003 section 2: a length octet and UTF-8. */
function describeText(data: Uint8Array): string | undefined {
  const length = data[0]!;
  if (length !== data.length - 1) return undefined;
  return length === 0 ? '' : `"${printableText(data.subarray(1))}"`;
}

/** RFC 9003: the data of Cease 6/2 and 6/4 for a text, cut to 255 octets between characters. */
export function shutdownData(text: string): Uint8Array {
  const octets = utf8Within(text, MAX_TEXT_OCTETS);
  return Uint8Array.of(octets.length, ...octets);
}
