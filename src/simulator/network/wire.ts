/** Puts packets on links: a packet that starts to be sent is one event, its arrival at the far end. */
import { EventKind } from '../engine/event-kind.js';
import type { EventQueue } from '../engine/event-queue.js';
import { KIND_MASK, PacketKind, type Packets, ROW, Word } from './packets.js';
import type { Ports } from './ports.js';

export class Wire {
  /** Data packets that links have lost. */
  lost = 0;
  /** Sees every packet that begins to be sent; left out where nobody looks. */
  watched: ((port: number, packet: number) => void) | undefined;
  readonly events: EventQueue;
  readonly ports: Ports;
  readonly packets: Packets;
  private readonly random: () => number;

  constructor(events: EventQueue, ports: Ports, packets: Packets, random: () => number) {
    this.events = events;
    this.ports = ports;
    this.packets = packets;
    this.random = random;
  }

  /** Starts to send a packet at a port that is free. */
  put(port: number, packet: number): void {
    const { ports, events } = this;
    if (this.watched !== undefined) this.watched(port, packet);
    const bytes = this.packets.words[(packet << ROW) + Word.bytes]!;
    const left = events.now + Math.round(bytes * ports.psPerOctet[port]!);
    ports.freeAt[port] = left;
    ports.sentOctets[port] = ports.sentOctets[port]! + bytes;
    if (ports.loss[port]! > 0 && this.isLost(port, packet)) {
      this.lose(packet);
      return;
    }
    events.schedule(left + ports.delay[port]!, EventKind.arrival, packet, ports.peer[port]!);
  }

  /** A link has lost a packet. */
  lose(packet: number): void {
    this.lost += this.packets.lose(packet);
  }

  /** Asks for an event when the port is free again. */
  wake(port: number): void {
    const { ports } = this;
    if (ports.waking[port] === 1) return;
    ports.waking[port] = 1;
    this.events.schedule(ports.freeAt[port]!, EventKind.portFree, port, 0);
  }

  private isLost(port: number, packet: number): boolean {
    const kind = this.packets.words[packet << ROW]! & KIND_MASK;
    return kind !== PacketKind.pause && this.random() < this.ports.loss[port]!;
  }
}
