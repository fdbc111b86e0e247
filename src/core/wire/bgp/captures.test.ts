import { describe, expect, it } from 'vitest';
import { type CapturedMessage, capturedMessages, captureNames } from '../../../../test/harness/captured-messages.js';
import type { Family } from '../../net/family.js';
import { decodeAttributes } from './attributes/decode-attributes.js';
import { MESSAGE_TYPE, type OpenMessage, type UpdateContext } from './message.js';
import { NlriCursor } from './nlri-cursor.js';
import { decodeNotification, encodeNotification } from './notification.js';
import { decodeOpen, encodeOpen } from './open.js';
import { decodeRouteRefresh } from './route-refresh.js';
import { isEndOfRib, splitUpdate } from './update.js';
import { UpdateView } from './update-view.js';

const captures = captureNames().map((name) => ({ name, messages: capturedMessages(name) }));
const all = captures.flatMap(({ messages }) => messages);
const ofType = (type: number) => all.filter((message) => message.type === type);

function open(message: CapturedMessage): OpenMessage {
  const decoded = decodeOpen(message.body);
  if (decoded.kind === 'error') throw new Error(`${message.capture} frame ${message.frame}: ${decoded.reason}`);
  return decoded;
}

/** RFC 7911: path identifiers are in what `sender` sends when it offered to send and its peer to receive. */
function sendsPathIds(sender: OpenMessage | undefined, receiver: OpenMessage | undefined): readonly Family[] {
  const offers = (opened: OpenMessage | undefined, bit: number) =>
    (opened?.capabilities ?? [])
      .flatMap((capability) => (capability.kind === 'add-path' ? capability.families : []))
      .filter(({ mode }) => (mode & bit) !== 0)
      .map(({ afi }): Family => (afi === 1 ? 'ipv4-unicast' : 'ipv6-unicast'));
  return offers(sender, 2).filter((family) => offers(receiver, 1).includes(family));
}

function contextOf(message: CapturedMessage): UpdateContext {
  const opens = all.filter(({ type, capture }) => type === MESSAGE_TYPE.open && capture === message.capture);
  const [from, to] = message.stream.split('>');
  const sender = opens.find(({ stream }) => stream === message.stream);
  const receiver = opens.find(({ stream }) => stream === `${to}>${from}`);
  const addPath = sendsPathIds(sender && open(sender), receiver && open(receiver));
  return { fourOctetAs: true, addPath, externalPeer: true, aigp: true };
}

describe('every message in the captures', () => {
  it.each(captures)('$name frames into messages', ({ messages }) => {
    expect(messages.length).toBeGreaterThan(0);
  });

  it('OPEN decodes, and what we encode from it decodes to the same', () => {
    const messages = ofType(MESSAGE_TYPE.open);
    expect(messages.length).toBeGreaterThan(30);
    for (const message of messages) {
      const decoded = open(message);
      expect(decodeOpen(encodeOpen(decoded).subarray(19))).toEqual(decoded);
    }
  });

  it('NOTIFICATION decodes and encodes to the same octets', () => {
    const messages = ofType(MESSAGE_TYPE.notification);
    expect(messages.length).toBeGreaterThan(5);
    for (const message of messages) {
      const decoded = decodeNotification(message.body);
      if (decoded.kind === 'error') throw new Error(decoded.reason);
      expect(encodeNotification(decoded).subarray(19)).toEqual(message.body);
    }
  });

  it('ROUTE-REFRESH decodes', () => {
    const subtypes = ofType(MESSAGE_TYPE.routeRefresh).map(({ body }) => {
      const decoded = decodeRouteRefresh(body, true);
      return decoded?.kind === 'route-refresh' ? [decoded.afi, decoded.safi, decoded.subtype] : decoded;
    });
    expect(subtypes).toEqual([
      [2, 1, 0],
      [2, 1, 1],
      [2, 1, 2],
    ]);
  });

  it('UPDATE decodes without a fault and leaves no route unread', () => {
    const view = new UpdateView();
    const cursor = new NlriCursor();
    let routes = 0;
    let endsOfRib = 0;
    for (const message of ofType(MESSAGE_TYPE.update)) {
      expect(splitUpdate(message.body, contextOf(message), view)).toBeUndefined();
      if (isEndOfRib(view)) endsOfRib++;
      for (const field of ['classic', 'mp'] as const) {
        const decoded = decodeAttributes(view, field);
        // LOCAL_PREF from an external peer is the only thing in them to leave out.
        expect(decoded.errors.filter(({ attribute }) => attribute !== 5)).toEqual([]);
        expect(decoded.attributes !== undefined).toBe(view.hasRoutes(field));
      }
      for (const openField of ['openWithdrawn', 'openNlri', 'openReach', 'openUnreach'] as const) {
        cursor[openField](view);
        while (cursor.next()) routes++;
        expect(cursor.malformed).toBe(false);
      }
    }
    expect(endsOfRib).toBeGreaterThan(20);
    expect(routes).toBeGreaterThan(100);
  });
});
