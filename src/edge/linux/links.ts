/**
 * The interfaces of this network namespace over rtnetlink, and their IPv6 switches under /proc/sys. What differs after a table was
 * dumped again is told as events.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type Address, formatAddress, isLinkLocal } from '../../core/net/address.js';
import type { LinkEvent, LinkState, LinkSwitch, Links } from '../../core/ports/links.js';
import { FollowedTable } from './followed-table.js';
import { ADDRESS_HEADER, addAddressRequest, deleteAddressRequest, LINK_HEADER } from './link-messages.js';
import { LinkTable } from './link-table.js';
import { GROUP, MESSAGE, type NetlinkMessage, type NetlinkRequest } from './rtnetlink/message.js';
import { RouteNetlink } from './rtnetlink/route-netlink.js';

const GROUPS = [GROUP.link, GROUP.ipv4Address, GROUP.ipv6Address];

export class LinuxLinks implements Links {
  private readonly netlink = new RouteNetlink();
  private readonly table = new LinkTable();
  private readonly listeners = new Set<(event: LinkEvent) => void>();
  private readonly followed = new FollowedTable({
    read: () => this.dump(),
    replace: (messages) => this.publish(this.table.replace(messages)),
    change: (message) => this.change(message),
  });

  private constructor() {
    this.netlink.subscribe(GROUPS, (event) => this.followed.receive(event));
  }

  /** Resolves when all links are known. Rejects with a plain error when the kernel or a package says no. */
  static async open(): Promise<LinuxLinks> {
    const links = new LinuxLinks();
    try {
      await links.followed.read();
      return links;
    } catch (error) {
      links.close();
      throw error;
    }
  }

  async list(): Promise<readonly LinkState[]> {
    return this.table.list();
  }

  watch(listener: (event: LinkEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  readSwitch(interfaceName: string, name: LinkSwitch): number | undefined {
    try {
      return Number.parseInt(readFileSync(switchPath(interfaceName, name), 'latin1'), 10);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new Error(`cannot read ${switchName(interfaceName, name)}: ${codeOf(error)}`);
    }
  }

  readSpeed(interfaceName: string): number | undefined {
    try {
      return speedOf(readFileSync(`/sys/class/net/${checkedName(interfaceName)}/speed`, 'latin1'));
    } catch {
      // EINVAL without carrier: not every driver knows, and none has to.
      return undefined;
    }
  }

  writeSwitch(interfaceName: string, name: LinkSwitch, value: number): void {
    try {
      writeFileSync(switchPath(interfaceName, name), String(value));
    } catch (error) {
      throw new Error(`cannot set ${switchName(interfaceName, name)} to ${value}: ${codeOf(error)}`);
    }
  }

  async addAddress(index: number, address: Address, prefixLength: number): Promise<void> {
    const what = `add ${formatAddress(address)}/${prefixLength} to interface ${index}`;
    await this.perform(addAddressRequest(index, address, prefixLength), what, ['EEXIST']);
  }

  async deleteAddress(index: number, address: Address, prefixLength: number): Promise<void> {
    const what = `delete ${formatAddress(address)}/${prefixLength} from interface ${index}`;
    await this.perform(deleteAddressRequest(index, address, prefixLength), what, ['EADDRNOTAVAIL', 'ENODEV']);
  }

  close(): void {
    this.followed.close();
    this.netlink.close();
  }

  private async perform(request: NetlinkRequest, what: string, harmless: readonly string[]): Promise<void> {
    const [failure] = await this.netlink.request([request]);
    if (failure && !harmless.includes(failure.code))
      throw new Error(`cannot ${what}: ${failure.message} (${failure.code})`);
  }

  /** The kernel tells of a link-local address only when duplicate address detection is over: ask for it before that. */
  private change(message: NetlinkMessage): void {
    const events = this.table.apply(message);
    this.publish(events);
    if (events.some((event) => event.kind === 'link' && lacksLinkLocal(event.link))) this.followed.readAgain();
  }

  private async dump(): Promise<readonly NetlinkMessage[]> {
    const links = await this.netlink.dump(MESSAGE.getLink, new Uint8Array(LINK_HEADER));
    return [...links, ...(await this.netlink.dump(MESSAGE.getAddress, new Uint8Array(ADDRESS_HEADER)))];
  }

  private publish(events: readonly LinkEvent[]): void {
    for (const event of events) for (const listener of [...this.listeners]) listener(event);
  }
}

function lacksLinkLocal({ adminUp, carrier, addresses }: LinkState): boolean {
  return adminUp && carrier && !addresses.some(({ address }) => isLinkLocal(address));
}

function switchPath(interfaceName: string, name: LinkSwitch): string {
  return `/proc/sys/net/ipv6/${branchOf(name)}/${checkedName(interfaceName)}/${name}`;
}

function checkedName(interfaceName: string): string {
  if (interfaceName.includes('/') || interfaceName.startsWith('.'))
    throw new Error(`no interface name: ${interfaceName}`);
  return interfaceName;
}

/** The kernel says Mbit/s, and -1 for unknown. */
function speedOf(text: string): number | undefined {
  const megabits = Number.parseInt(text, 10);
  return megabits > 0 ? (megabits * 1e6) / 8 : undefined;
}

function switchName(interfaceName: string, name: LinkSwitch): string {
  return `net.ipv6.${branchOf(name)}.${interfaceName}.${name}`;
}

function branchOf(name: LinkSwitch): string {
  return name === 'retrans_time_ms' ? 'neigh' : 'conf';
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such interface or switch, or IPv6 is off in this kernel',
  EACCES: 'permission denied; run heddle as root',
  EPERM: 'permission denied; run heddle as root',
  EROFS: '/proc/sys is read-only, as in a container without privileges',
  EINVAL: 'the kernel does not take this value',
};

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code && EXPLANATIONS[code]) ?? message;
}
