/**
 * The UDP sockets of a host: one for each address and source port of its queue pairs, to send from; one on port 4791 of each
 * address, where everything arrives.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { ROCE_PORT } from '../../core/wire/rocev2/entropy-port.js';
import { addressItself } from '../lab/address-itself.js';

/** Octets; the kernel keeps as much of it as net.core allows. */
const BUFFER_OCTETS = 1 << 22;

export interface Flow {
  readonly local: string;
  readonly remote: string;
  readonly sourcePort: number;
}

export class AgentSockets {
  lastError: string | undefined;
  private readonly senders = new Map<string, Socket>();
  private readonly listeners: Socket[] = [];

  private constructor(private readonly receive: (datagram: Uint8Array) => void) {}

  /** Throws when an address cannot be bound. */
  static async open(flows: readonly Flow[], receive: (datagram: Uint8Array) => void): Promise<AgentSockets> {
    const sockets = new AgentSockets(receive);
    for (const local of new Set(flows.map((flow) => flow.local))) await sockets.listen(local);
    for (const flow of flows) {
      const key = keyOf(flow);
      if (!sockets.senders.has(key)) sockets.senders.set(key, await sockets.bind(flow.local, flow.sourcePort));
    }
    return sockets;
  }

  private async listen(address: string): Promise<void> {
    const socket = await this.bind(address, ROCE_PORT);
    socket.on('message', this.receive);
    this.listeners.push(socket);
  }

  private async bind(address: string, port: number): Promise<Socket> {
    const socket = createSocket({
      type: address.includes(':') ? 'udp6' : 'udp4',
      recvBufferSize: BUFFER_OCTETS,
      sendBufferSize: BUFFER_OCTETS,
      lookup: addressItself,
    });
    const listening = once(socket, 'listening');
    socket.bind(port, address);
    await listening.catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EADDRINUSE' ? new Error(takenText(address, port)) : error;
    });
    // A datagram that is not sent (no route, no buffer) is a loss, which the transport mends or names.
    socket.on('error', (error) => {
      this.lastError = error.message;
    });
    return socket;
  }

  close(): void {
    for (const socket of [...this.listeners, ...this.senders.values()]) socket.close();
  }

  send(flow: Flow, datagram: Uint8Array): void {
    this.senders.get(keyOf(flow))?.send(datagram, ROCE_PORT, flow.remote);
  }
}

function takenText(address: string, port: number): string {
  return `UDP port ${port} of ${address} is taken: other RoCEv2 traffic runs there`;
}

function keyOf({ local, sourcePort }: Flow): string {
  return `${local} ${sourcePort}`;
}
