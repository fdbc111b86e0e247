/** BFD control packets over UDP: one receiver an interface, shared by its neighbours, and one sender a session. */
import type { Socket } from 'node:dgram';
import { formatAddress } from '../../core/net/address.js';
import type { BfdNetwork, BfdSocket, BfdTarget } from '../../core/ports/bfd.js';
import { BFD_PORT, type BfdInterface, openReceiver, openSender } from './bfd-socket.js';

type Receive = (packet: Uint8Array) => void;

interface Receiver {
  readonly socket: Socket;
  /** By the neighbour's address. */
  readonly neighbours: Map<string, Receive>;
}

export class LinuxBfdNetwork implements BfdNetwork {
  /** By interface index. */
  private readonly receivers = new Map<number, Receiver>();

  open(target: BfdTarget, receive: Receive): BfdSocket {
    const neighbour = formatAddress(target.remote);
    const sender = openSender(target, target.local);
    try {
      this.receiver(target).neighbours.set(neighbour, receive);
    } catch (error) {
      sender.close();
      throw error;
    }
    return {
      // Bound to its interface, the socket needs no zone in the address.
      send: (packet) => sender.send(packet, BFD_PORT, neighbour, () => undefined),
      close: () => {
        sender.close();
        this.release(target.interfaceIndex, neighbour);
      },
    };
  }

  private receiver(link: BfdInterface): Receiver {
    const known = this.receivers.get(link.interfaceIndex);
    if (known) return known;
    const receiver: Receiver = { socket: openReceiver(link), neighbours: new Map() };
    receiver.socket.on('message', (packet, { address }) => {
      receiver.neighbours.get(address.split('%', 1)[0]!)?.(packet);
    });
    this.receivers.set(link.interfaceIndex, receiver);
    return receiver;
  }

  private release(interfaceIndex: number, neighbour: string): void {
    const receiver = this.receivers.get(interfaceIndex);
    receiver?.neighbours.delete(neighbour);
    if (receiver?.neighbours.size !== 0) return;
    receiver.socket.close();
    this.receivers.delete(interfaceIndex);
  }
}
