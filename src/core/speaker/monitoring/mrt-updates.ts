/**
 * Records what neighbours send and how their sessions change, as they do, in MRT (RFC 6396 section 4.4, BGP4MP_ET). KEEPALIVEs
 * are left out: they say nothing and would be most of the file.
 */
import type { AsNumber } from '../../net/as-number.js';
import { type Family, familyOf } from '../../net/family.js';
import type { RecordSink } from '../../ports/collectors.js';
import type { SessionState } from '../../session/types.js';
import { MESSAGE_TYPE } from '../../wire/bgp/message.js';
import { encodeMessage } from '../../wire/bgp/message-header.js';
import { decodeOpen } from '../../wire/bgp/open.js';
import { splitUpdate } from '../../wire/bgp/update.js';
import { UpdateView } from '../../wire/bgp/update-view.js';
import { encodeBgp4mp, type MrtMessage, type MrtSession, type MrtStateChange } from '../../wire/mrt/bgp4mp.js';
import { encodeMrtRecord, MRT_TYPE } from '../../wire/mrt/mrt-record.js';
import type { SessionWatcher, WatchedSession } from '../session-watcher.js';

export class MrtUpdates implements SessionWatcher {
  /** From the last OPEN. */
  private readonly peerAs = new WeakMap<WatchedSession, AsNumber>();
  private readonly view = new UpdateView();

  constructor(
    /** Of the router; a session may go by another. */
    private readonly localAs: AsNumber,
    private readonly sink: RecordSink,
    /** Microseconds since 1970. */
    private readonly now: () => number,
  ) {}

  received(neighbour: WatchedSession, type: number, body: Uint8Array): void {
    if (type === MESSAGE_TYPE.keepalive) return;
    if (type === MESSAGE_TYPE.open) {
      const open = decodeOpen(body);
      if (open.kind === 'open') this.peerAs.set(neighbour, open.asn);
    }
    const message = encodeMessage(type, body);
    const addPath = type === MESSAGE_TYPE.update && this.hasPathIds(neighbour, body);
    const fourOctetAs = neighbour.summary().negotiated?.fourOctetAs ?? true;
    this.write({ kind: 'message', session: this.session(neighbour), fourOctetAs, addPath, local: false, message });
  }

  stateChanged(neighbour: WatchedSession, from: SessionState, to: SessionState): void {
    this.write({ kind: 'state-change', session: this.session(neighbour), from, to });
  }

  /** RFC 8050 section 3 has one form for a whole message; a family of a session may do without path identifiers. */
  private hasPathIds(neighbour: WatchedSession, body: Uint8Array): boolean {
    const families = neighbour.summary().negotiated?.addPathReceive ?? [];
    if (families.length === 0) return false;
    return families.includes(this.familyOf(body) ?? 'ipv4-unicast');
  }

  private familyOf(body: Uint8Array): Family | undefined {
    const { view } = this;
    if (splitUpdate(body, view.context, view)) return undefined;
    return familyOf(view.reachAfi || view.unreachAfi, view.reachSafi || view.unreachSafi);
  }

  private session(neighbour: WatchedSession): MrtSession {
    const { interfaceIndex, local, config } = neighbour.place;
    return {
      peerAs: this.peerAs.get(neighbour) ?? 0,
      localAs: config.options?.localAs?.asn ?? this.localAs,
      interfaceIndex,
      peerAddress: neighbour.address,
      localAddress: local,
    };
  }

  private write(content: MrtMessage | MrtStateChange): void {
    this.sink.append(encodeMrtRecord({ time: this.now(), type: MRT_TYPE.bgp4mpEt, ...encodeBgp4mp(content) }));
  }
}
