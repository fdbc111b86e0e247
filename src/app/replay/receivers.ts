/**
 * Runs the UPDATEs that each host received through a RIB of its own, the same RIB the daemon has, and keeps for every prefix
 * what was chosen at the end of the capture, or last before the prefix went away.
 */
import { formatAddress } from '../../core/net/address.js';
import { FAMILIES } from '../../core/net/family.js';
import { formatPrefix } from '../../core/net/prefix.js';
import { Rib } from '../../core/rib/rib.js';
import type { Explanation, PeerIndex, RibPeerInfo, Selection } from '../../core/rib/types.js';
import { HEADER_OCTETS } from '../../core/wire/bgp/message.js';
import { agreement } from './bgp-dialogue.js';
import { type Host, type HostPair, Hosts } from './hosts.js';
import type { BgpContent, ReplayEvent } from './replay-event.js';
import type { UpdateContents } from './update-contents.js';

export interface When {
  readonly capture: number;
  readonly frame: number;
  readonly time: bigint | undefined;
}

export interface PrefixOutcome {
  readonly selection: Selection;
  readonly explanation: Explanation;
  /** The message after which this was the choice; absent when no path was ever eligible. */
  readonly since?: When;
  /** The message that took the last path away; the choice is then the one before it. */
  readonly gone?: When;
}

export interface Receiver {
  readonly host: Host;
  readonly outcomes: readonly PrefixOutcome[];
  /** Sessions whose UPDATEs were taken in. */
  readonly sessions: number;
}

/** One receiver a host that was sent UPDATEs, in the order of the first. */
export function replayReceivers(events: readonly ReplayEvent[]): Receiver[] {
  const hosts = new Hosts(events);
  const receivers = new Map<Host, ReceiverRib>();
  const open = new Map<number, ReceiverRib[]>();
  for (const event of events) {
    const { content } = event;
    if (content.kind === 'closed' || (content.kind === 'bgp' && content.message.kind === 'notification')) {
      for (const receiver of open.get(content.connection.id) ?? []) receiver.endSession(content.connection.id, event);
      open.delete(content.connection.id);
    } else if (content.kind === 'bgp' && content.message.kind === 'update') {
      const pair = hosts.pair(content, event);
      const receiver = receivers.get(pair.receiver) ?? new ReceiverRib(pair.receiver);
      receivers.set(pair.receiver, receiver);
      receiver.receive(event, { content, update: content.message, pair });
      const feeding = open.get(content.connection.id) ?? [];
      if (!feeding.includes(receiver)) open.set(content.connection.id, [...feeding, receiver]);
    }
  }
  return [...receivers.values()].map((receiver) => receiver.result());
}

interface ReceivedUpdate {
  readonly content: BgpContent;
  readonly update: UpdateContents;
  readonly pair: HostPair;
}

class ReceiverRib {
  private readonly rib: Rib;
  private readonly sessions = new Map<number, PeerIndex>();
  private readonly interfaces: string[] = [];
  private readonly outcomes = new Map<string, PrefixOutcome>();
  private sessionCount = 0;
  private now: When = { capture: 0, frame: 0, time: undefined };

  constructor(readonly host: Host) {
    this.rib = new Rib({ localAs: host.asn });
    this.rib.addSink({ prefixesChanged: (ids, count) => this.record(ids.subarray(0, count)) });
  }

  receive(event: ReplayEvent, received: ReceivedUpdate): void {
    const { content } = received;
    if (content.own) return this.originate(event, received.update);
    let peer = this.sessions.get(content.connection.id);
    if (peer === undefined) {
      peer = this.rib.addPeer(this.peerInfo(event, received));
      this.sessions.set(content.connection.id, peer);
      this.sessionCount += 1;
    }
    this.rib.receiveUpdate(peer, content.bytes.subarray(HEADER_OCTETS));
    this.decide(event);
  }

  private originate(event: ReplayEvent, { announced }: UpdateContents): void {
    for (const { routes, attributes } of announced) {
      if (attributes) for (const { prefix } of routes) this.rib.originate(prefix, attributes);
    }
    this.decide(event);
  }

  endSession(connection: number, event: ReplayEvent): void {
    const peer = this.sessions.get(connection);
    if (peer === undefined) return;
    this.sessions.delete(connection);
    this.rib.removePeers([peer]);
    this.decide(event);
  }

  result(): Receiver {
    // Sinks hear of selections only: paths that lost or are hidden may have come since.
    for (const id of this.rib.prefixIds()) {
      const explanation = this.rib.explain(id);
      const key = formatPrefix(explanation.prefix);
      const { since } = this.outcomes.get(key) ?? {};
      this.outcomes.set(key, { selection: this.rib.selection(id), explanation, ...(since && { since }) });
    }
    return { host: this.host, outcomes: [...this.outcomes.values()], sessions: this.sessionCount };
  }

  private decide({ capture, frame, time }: ReplayEvent): void {
    this.now = { capture, frame, time };
    while (this.rib.decide(() => false));
  }

  private record(ids: Uint32Array): void {
    for (const id of ids) {
      const selection = this.rib.selection(id);
      const key = formatPrefix(selection.prefix);
      const explanation = this.rib.explain(id);
      const before = this.outcomes.get(key);
      const gone = explanation.paths.length === 0;
      if (!gone) this.outcomes.set(key, { selection, explanation, since: this.now });
      else if (before && !before.gone) this.outcomes.set(key, { ...before, gone: this.now });
    }
  }

  private peerInfo(event: ReplayEvent, { content, update, pair }: ReceivedUpdate): RibPeerInfo {
    const agreed = agreement(content.opens);
    const asn = agreed?.remoteAs ?? pair.sender.asn;
    const external = agreed === undefined || agreed.remoteAs !== agreed.localOpen.asn;
    const local = formatAddress(event.destination);
    if (!this.interfaces.includes(local)) this.interfaces.push(local);
    return {
      name: pair.sender.name,
      address: event.source,
      localAddress: event.destination,
      interfaceIndex: this.interfaces.indexOf(local) + 1,
      interfaceName: local,
      asn,
      identifier: pair.sender.identifier,
      external,
      families: agreed?.families ?? FAMILIES,
      context: { ...update.context, externalPeer: external, aigp: true },
    };
  }
}
