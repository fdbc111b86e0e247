/** What a station is told of one session, or of the Loc-RIB as one more (RFC 7854, RFC 9069), as BMP messages. */
import { AFI, type Family, SAFI_UNICAST } from '../../net/family.js';
import type { DownReason, Negotiated } from '../../session/types.js';
import { MAX_EXTENDED_MESSAGE_OCTETS, MAX_MESSAGE_OCTETS } from '../../wire/bgp/message.js';
import { encodeOpen, openAsField } from '../../wire/bgp/open.js';
import type { BmpPeer, PeerDown, PeerUp } from '../../wire/bmp/bmp-message.js';
import type { SpeakerConfig } from '../config.js';
import type { WatchedSession } from '../session-watcher.js';
import type { RouteForm } from './route-messages.js';

export interface MonitoredPeer {
  readonly peer: BmpPeer;
  readonly up: PeerUp;
  readonly families: readonly Family[];
  readonly form: RouteForm;
  /** The same for what goes out. */
  readonly outForm: RouteForm;
}

/** RFC 4271 section 8.1.2: AutomaticStop, which covers links, neighbours and limits that ended a session. */
const AUTOMATIC_STOP = 8;
const NO_OPEN = new Uint8Array(0);

export function monitoredSession(session: WatchedSession, negotiated: Negotiated): MonitoredPeer {
  const { fourOctetAs, remoteAs, remoteIdentifier, addPathReceive, addPathSend, families } = negotiated;
  const maximum = negotiated.extendedMessage ? MAX_EXTENDED_MESSAGE_OCTETS : MAX_MESSAGE_OCTETS;
  const connection = session.sessionConnection;
  const { openSent, openReceived } = connection?.transcript ?? {};
  return {
    peer: { kind: 'adj-rib-in', address: session.address, asn: remoteAs, identifier: remoteIdentifier, fourOctetAs },
    up: {
      localAddress: session.place.local,
      localPort: connection?.stream.localPort ?? 0,
      remotePort: connection?.stream.remotePort ?? 0,
      sentOpen: openSent ?? NO_OPEN,
      receivedOpen: openReceived ?? NO_OPEN,
    },
    families,
    form: { fourOctetAs, addPath: addPathReceive, maximum },
    outForm: { fourOctetAs, addPath: addPathSend, maximum },
  };
}

/** RFC 9069 section 5.1: OPENs that nobody sent say how its routes are to be read. */
export function monitoredLocRib({ asn, identifier, families }: SpeakerConfig): MonitoredPeer {
  const open = encodeOpen({
    version: 4,
    asn,
    asField: openAsField(asn),
    holdTime: 0,
    identifier,
    capabilities: [
      ...families.map((family) => ({ kind: 'multiprotocol' as const, afi: AFI[family], safi: SAFI_UNICAST })),
      { kind: 'four-octet-as', asn },
      { kind: 'extended-message' },
    ],
  });
  const form = { fourOctetAs: true, addPath: [], maximum: MAX_EXTENDED_MESSAGE_OCTETS };
  return {
    peer: { kind: 'loc-rib', asn, identifier, fourOctetAs: true },
    up: { localPort: 0, remotePort: 0, sentOpen: open, receivedOpen: open },
    families,
    form,
    outForm: form,
  };
}

export function peerDown(session: WatchedSession, reason: DownReason): PeerDown {
  const { notificationReceived, notificationSent } = session.sessionConnection?.transcript ?? {};
  if (notificationReceived) return { kind: 'remote-notification', notification: notificationReceived };
  if (notificationSent) return { kind: 'local-notification', notification: notificationSent };
  if (reason.kind === 'connection-lost') return { kind: 'remote-closed' };
  return { kind: 'local-event', event: AUTOMATIC_STOP };
}
