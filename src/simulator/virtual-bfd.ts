/** The network below BFD of one simulated node: its packets are carried by the virtual wires. */
import { octetsKey } from '../core/fib/forwarding-objects.js';
import type { BfdNetwork, BfdSocket, BfdTarget } from '../core/ports/bfd.js';
import type { VirtualLinks } from './virtual-links.js';

export class VirtualBfdNetwork implements BfdNetwork {
  constructor(private readonly links: VirtualLinks) {}

  open({ interfaceIndex, interfaceName, remote }: BfdTarget, receive: (packet: Uint8Array) => void): BfdSocket {
    const link = this.links.byIndex(interfaceIndex);
    if (!link) throw new Error(`no interface ${interfaceName}`);
    const neighbour = octetsKey(remote);
    link.bfdReceivers.set(neighbour, receive);
    return {
      send: (packet) => link.sendBfd(packet),
      // Another socket may have taken its place.
      close: () => {
        if (link.bfdReceivers.get(neighbour) === receive) link.bfdReceivers.delete(neighbour);
      },
    };
  }
}
