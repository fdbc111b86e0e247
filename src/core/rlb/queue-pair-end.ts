/**
 * One end of a reliable RoCEv2 queue pair: datagrams in, datagrams out, over a memory that both halves share. Pure but for that
 * memory; time comes in as milliseconds, and whoever has the sockets decides when to call.
 */
import type { Address } from '../net/address.js';
import { InvariantCrc } from '../wire/rocev2/invariant-crc.js';
import { OPCODE } from '../wire/rocev2/opcode.js';
import { decodeRoce, encodeRoce, ROCE_DEFAULTS, type RocePacket } from '../wire/rocev2/roce-packet.js';
import { EarlyPackets } from './early-packets.js';
import { Requester, type RequesterSettings } from './requester.js';
import { type Answer, type MemoryRegion, Responder } from './responder.js';

export interface QueuePairPath {
  readonly local: Address;
  readonly remote: Address;
  /** Of the datagrams in both directions. */
  readonly sourcePort: number;
  readonly remoteQp: number;
}

export interface QueuePairEndSettings extends RequesterSettings {
  readonly region: MemoryRegion;
  /** Packets that may come before others and are kept for them; absent: go-back-N. */
  readonly reorder?: number;
}

export interface DamageCounters {
  icrcErrors: number;
  malformed: number;
}

export class QueuePairEnd {
  readonly requester: Requester;
  readonly responder: Responder;
  readonly damage: DamageCounters = { icrcErrors: 0, malformed: 0 };
  /** What the last datagram that was no packet had wrong. */
  problem: string | undefined;
  private readonly outgoing: InvariantCrc;
  private readonly incoming: InvariantCrc;
  private readonly early: EarlyPackets;

  /** `memory` is the region, octet for octet. */
  constructor(
    private readonly path: QueuePairPath,
    settings: QueuePairEndSettings,
    private readonly memory: Uint8Array,
  ) {
    const { local, remote, sourcePort } = path;
    this.outgoing = new InvariantCrc({ source: local, destination: remote, sourcePort });
    this.incoming = new InvariantCrc({ source: remote, destination: local, sourcePort });
    this.requester = new Requester(settings);
    this.responder = new Responder(settings);
    this.early = new EarlyPackets(settings.reorder ?? 0);
  }

  /** The datagram to send now, if there is one. */
  transmit(now: number): Uint8Array | undefined {
    const request = this.requester.next(now);
    if (!request) return undefined;
    const { from, length, ...headers } = request;
    return this.encode({ ...headers, payload: this.memory.subarray(from, from + length) });
  }

  /** Takes a datagram in; gives the one to answer with, if any. */
  receive(datagram: Uint8Array, now: number): Uint8Array | undefined {
    const decoded = decodeRoce(datagram);
    if (decoded.kind === 'malformed') {
      this.damage.malformed++;
      this.problem = `${decoded.field} at octet ${decoded.offset}: ${decoded.reason}`;
      return undefined;
    }
    if (decoded.icrc !== this.incoming.of(datagram)) {
      this.damage.icrcErrors++;
      return undefined;
    }
    const { packet } = decoded;
    if (packet.opcode === OPCODE.acknowledge && packet.aeth) this.requester.acknowledged(packet.psn, packet.aeth, now);
    else return this.respond(packet);
    return undefined;
  }

  private respond(packet: RocePacket): Uint8Array | undefined {
    const { responder, early } = this;
    if (early.keeps(packet, responder.expectedPsn)) {
      responder.counters.outOfOrder++;
      return undefined;
    }
    let last: Answer | undefined;
    // With it there may be all before some that are kept. The last answer says all that the others say.
    for (let next: RocePacket | undefined = packet; next; next = early.take(responder.expectedPsn)) {
      const { place, answer } = responder.receive(next);
      if (place !== undefined) this.memory.set(next.payload, place);
      last = answer ?? last;
    }
    return last && this.encodeAnswer(last);
  }

  private encodeAnswer({ psn, syndrome, messageSequence }: Answer): Uint8Array {
    return this.encode({ opcode: OPCODE.acknowledge, psn, aeth: { syndrome, messageSequence } });
  }

  private encode(fields: Pick<RocePacket, 'opcode' | 'psn'> & Partial<RocePacket>): Uint8Array {
    return encodeRoce({ ...ROCE_DEFAULTS, destinationQp: this.path.remoteQp, ...fields }, this.outgoing);
  }
}
