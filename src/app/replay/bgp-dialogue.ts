/**
 * The BGP session inside one captured connection: keeps both OPENs, which say how the UPDATEs are to be read, and decodes
 * every message. Where an OPEN was not captured the reading that fits the bytes is taken.
 */
import { FAMILIES } from '../../core/net/family.js';
import { negotiate } from '../../core/session/negotiate.js';
import type { Negotiated } from '../../core/session/types.js';
import {
  type ControlMessage,
  HEADER_OCTETS,
  MESSAGE_TYPE,
  type MessageError,
  type OpenMessage,
  type UpdateContext,
} from '../../core/wire/bgp/message.js';
import { MARKER_OCTETS } from '../../core/wire/bgp/message-header.js';
import { decodeNotification } from '../../core/wire/bgp/notification.js';
import { decodeOpen } from '../../core/wire/bgp/open.js';
import { decodeRouteRefresh } from '../../core/wire/bgp/route-refresh.js';
import { type UpdateContents, updateContents } from './update-contents.js';

export type DecodedMessage = ControlMessage | UpdateContents | MessageError;

export interface SessionOpens {
  readonly sender: OpenMessage | undefined;
  readonly receiver: OpenMessage | undefined;
}

export class BgpDialogue {
  private firstOpen: OpenMessage | undefined;
  private secondOpen: OpenMessage | undefined;

  /** The OPENs seen so far, from the point of view of one sender. */
  opens(fromFirst: boolean): SessionOpens {
    return fromFirst
      ? { sender: this.firstOpen, receiver: this.secondOpen }
      : { sender: this.secondOpen, receiver: this.firstOpen };
  }

  /** Decodes a whole message, header included. */
  decode(bytes: Uint8Array, fromFirst: boolean): DecodedMessage {
    const body = bytes.subarray(HEADER_OCTETS);
    switch (bytes[MARKER_OCTETS + 2]) {
      case MESSAGE_TYPE.open:
        return this.decodeOpen(body, fromFirst);
      case MESSAGE_TYPE.update:
        return decodeUpdate(body, this.opens(fromFirst));
      case MESSAGE_TYPE.notification:
        return decodeNotification(body);
      case MESSAGE_TYPE.routeRefresh:
        return decodeRouteRefresh(body, true) ?? unreadable('a ROUTE-REFRESH of an unknown kind');
      default:
        return { kind: 'keepalive' };
    }
  }

  private decodeOpen(body: Uint8Array, fromFirst: boolean): OpenMessage | MessageError {
    const open = decodeOpen(body);
    if (open.kind !== 'open') return open;
    if (fromFirst) this.firstOpen = open;
    else this.secondOpen = open;
    return open;
  }
}

function unreadable(reason: string): MessageError {
  return { kind: 'error', code: 7, subcode: 0, data: new Uint8Array(0), reason };
}

export function decodeUpdate(body: Uint8Array, opens: SessionOpens): UpdateContents | MessageError {
  let first: UpdateContents | MessageError | undefined;
  for (const context of readings(opens)) {
    const result = updateContents(body, context);
    if (result.kind === 'update' && result.errors.length === 0) return result;
    first ??= result;
  }
  return first!;
}

/**
 * The ways to read an UPDATE, best first. Both OPENs settle AS numbers and path identifiers; without them 4-octet AS numbers
 * and no path identifiers are likely. Everything the sender wrote is to be shown, so LOCAL_PREF from another AS and AS_SETs
 * are kept.
 */
function readings(opens: SessionOpens): UpdateContext[] {
  const agreed = agreement(opens);
  const encodings = agreed
    ? [{ fourOctetAs: agreed.fourOctetAs, addPath: agreed.addPathReceive }]
    : [true, false].flatMap((fourOctetAs) => [[], FAMILIES].map((addPath) => ({ fourOctetAs, addPath })));
  return encodings.flatMap((encoding) =>
    [true, false].map((externalPeer) => ({ ...encoding, externalPeer, aigp: true, asSets: true })),
  );
}

/** What the receiver agreed on with the sender; `undefined` when an OPEN is missing or they cannot agree. */
export function agreement({ sender, receiver }: SessionOpens): Negotiated | undefined {
  if (!sender || !receiver) return undefined;
  const result = negotiate(receiver, sender, { acceptRemoteAs: [{ kind: 'range', first: 1, last: 0xffffffff }] });
  return 'kind' in result ? undefined : result;
}
