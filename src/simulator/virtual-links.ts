/** The interfaces of one simulated node behind the Links and NdSockets ports. Kernel switches are plain values. */
import type { Address } from '../core/net/address.js';
import type { LinkEvent, LinkState, LinkSwitch, Links } from '../core/ports/links.js';
import type { NdPacket, NdSocket, NdSockets } from '../core/ports/nd-socket.js';
import type { VirtualInterface } from './virtual-interface.js';

export class VirtualLinks implements Links, NdSockets {
  private readonly interfaces = new Map<number, VirtualInterface>();
  private readonly names = new Map<string, VirtualInterface>();
  private readonly switches = new Map<string, number>();
  private readonly renamed = new Set<number>();
  private readonly watchers = new Set<(event: LinkEvent) => void>();

  add(link: VirtualInterface): void {
    this.interfaces.set(link.index, link);
    this.names.set(link.name, link);
  }

  /** The interface gets a name that no configuration has: whoever knew it loses it, and it lives on. */
  rename({ index, name }: VirtualInterface): void {
    this.renamed.add(index);
    for (const watcher of [...this.watchers]) watcher({ kind: 'link-deleted', index, name });
  }

  remove({ index, name }: VirtualInterface): void {
    this.interfaces.delete(index);
    if (this.names.get(name)?.index === index) this.names.delete(name);
    for (const watcher of [...this.watchers]) watcher({ kind: 'link-deleted', index, name });
  }

  byName(name: string): VirtualInterface | undefined {
    return this.names.get(name);
  }

  byIndex(index: number): VirtualInterface | undefined {
    return this.interfaces.get(index);
  }

  all(): Iterable<VirtualInterface> {
    return this.interfaces.values();
  }

  emit(link: LinkState): void {
    if (this.renamed.has(link.index)) return;
    for (const watcher of [...this.watchers]) watcher({ kind: 'link', link });
  }

  async list(): Promise<readonly LinkState[]> {
    return [...this.interfaces.values()].map((link) => link.state);
  }

  watch(listener: (event: LinkEvent) => void): () => void {
    this.watchers.add(listener);
    return () => this.watchers.delete(listener);
  }

  /** Every wire is one of 10 Gbit/s. */
  readSpeed(interfaceName: string): number | undefined {
    return this.byName(interfaceName) && 1.25e9;
  }

  readSwitch(interfaceName: string, name: LinkSwitch): number | undefined {
    return this.switches.get(`${interfaceName}/${name}`) ?? 0;
  }

  writeSwitch(interfaceName: string, name: LinkSwitch, value: number): void {
    this.switches.set(`${interfaceName}/${name}`, value);
  }

  async addAddress(index: number, address: Address, prefixLength: number): Promise<void> {
    this.interfaces.get(index)?.addAddress(address, prefixLength);
  }

  async deleteAddress(index: number, address: Address): Promise<void> {
    this.interfaces.get(index)?.deleteAddress(address);
  }

  open(link: { name: string; index: number }, receive: (packet: NdPacket) => void): NdSocket {
    const port = this.interfaces.get(link.index);
    if (!port) throw new Error(`no interface ${link.name}`);
    port.receivers.add(receive);
    return {
      send: (_destination, message) => port.sendPacket(message),
      close: () => void port.receivers.delete(receive),
    };
  }
}
