/** BFD of one simulated node: the real machine on virtual time, its packets carried by the virtual wires. */
import { BfdRunner } from '../core/bfd/runner.js';
import { formatAddress } from '../core/net/address.js';
import type { BfdNetwork, BfdSocket, BfdTarget } from '../core/ports/bfd.js';
import type { Clock } from '../core/ports/clock.js';
import type { Random } from '../core/ports/random.js';
import type { VirtualLinks } from './virtual-links.js';

export function virtualBfd(clock: Clock, random: Random, links: VirtualLinks): BfdRunner {
  return new BfdRunner({ clock, random, network: new VirtualBfdNetwork(links) });
}

class VirtualBfdNetwork implements BfdNetwork {
  constructor(private readonly links: VirtualLinks) {}

  open({ interfaceIndex, interfaceName, remote }: BfdTarget, receive: (packet: Uint8Array) => void): BfdSocket {
    const link = this.links.byIndex(interfaceIndex);
    if (!link) throw new Error(`no interface ${interfaceName}`);
    const neighbour = formatAddress(remote);
    link.bfdReceivers.set(neighbour, receive);
    return {
      send: (packet) => link.sendBfd(packet),
      close: () => void link.bfdReceivers.delete(neighbour),
    };
  }
}
