import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../core/net/address.js';
import { parsePrefix } from '../core/net/prefix.js';
import type { LinkState } from '../core/ports/links.js';
import { VirtualClock } from './virtual-clock.js';
import { VirtualInterface } from './virtual-interface.js';
import { VirtualLinks } from './virtual-links.js';
import { VirtualReachability } from './virtual-reachability.js';
import { VirtualWire } from './virtual-wire.js';

const address = (text: string) => parseAddress(text)!;

describe('VirtualReachability', () => {
  it('reaches the subnets of interfaces that are up, and what is behind static routes', () => {
    const clock = new VirtualClock();
    const links = new VirtualLinks();
    const wire = new VirtualWire<VirtualInterface>(clock, 0);
    const [near, far] = [1, 2].map((index) => {
      const mac = Uint8Array.of(2, 0, 0, 0, 0, index);
      const changed = (state: LinkState) => links.emit(state);
      const link = new VirtualInterface({ clock, changed }, { name: `eth${index}`, index, mac });
      links.add(link);
      link.plug(wire);
      return link;
    });
    const reachability = new VirtualReachability(clock, links);
    const resolve = (text: string) => {
      const { onLink, reaches } = reachability.resolve(address(text)) ?? { onLink: false, reaches: [] };
      return `${onLink} ${reaches.map((reach) => `${formatAddress(reach.gateway)}%${reach.interfaceName}`)}`;
    };
    for (const link of [near!, far!]) link.setAdmin(true);
    near!.addAddress(address('10.0.1.1'), 24);
    reachability.put(
      { prefix: parsePrefix('10.9.0.0/16')!, metric: 5, hops: [{ interfaceIndex: 1, gateway: address('10.0.1.7') }] },
      false,
    );
    expect(resolve('10.0.1.9')).toBe('true 10.0.1.9%eth1');
    expect(resolve('10.9.0.9')).toBe('false 10.0.1.7%eth1');
    expect(reachability.isOwn(address('10.0.1.1'))).toBe(true);
    far!.setAdmin(false);
    expect(resolve('10.9.0.9')).toBe('false ');
    far!.setAdmin(true);
    near!.deleteAddress(address('10.0.1.1'));
    expect(resolve('10.0.1.9')).toBe('false ');
    expect(reachability.isOwn(address('10.0.1.1'))).toBe(false);
  });
});
