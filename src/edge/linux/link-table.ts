/** What the kernel has told about links and their addresses, and what changes with each further message. */
import { equalBytes } from '../../core/net/address.js';
import type { LinkAddress, LinkEvent, LinkState } from '../../core/ports/links.js';
import { type LinkProperties, parseAddressMessage, parseLink } from './link-messages.js';
import { MESSAGE, type NetlinkMessage } from './rtnetlink/message.js';

export class LinkTable {
  private links = new Map<number, LinkState>();

  list(): readonly LinkState[] {
    return [...this.links.values()];
  }

  /** Takes one message; the result is what it changed. */
  apply(message: NetlinkMessage): readonly LinkEvent[] {
    switch (message.type) {
      case MESSAGE.newLink:
      case MESSAGE.deleteLink: {
        const link = parseLink(message);
        if (!link) return [];
        return message.type === MESSAGE.newLink ? this.putLink(link) : this.removeLink(link.index);
      }
      case MESSAGE.newAddress:
      case MESSAGE.deleteAddress: {
        const parsed = parseAddressMessage(message);
        return parsed ? this.changeAddress(parsed, message.type === MESSAGE.newAddress) : [];
      }
      default:
        return [];
    }
  }

  /** Takes complete dumps; the result is what differs from before. */
  replace(messages: readonly NetlinkMessage[]): readonly LinkEvent[] {
    const fresh = new LinkTable();
    for (const message of messages) fresh.apply(message);
    const gone = this.list().filter(({ index }) => !fresh.links.has(index));
    const events = gone.flatMap(({ index }) => this.removeLink(index));
    return [...events, ...fresh.list().flatMap((link) => this.putState(link))];
  }

  private putLink(link: LinkProperties): readonly LinkEvent[] {
    return this.putState({ ...link, addresses: this.links.get(link.index)?.addresses ?? [] });
  }

  private putState(link: LinkState): readonly LinkEvent[] {
    const before = this.links.get(link.index);
    if (before && sameState(before, link)) return [];
    this.links.set(link.index, link);
    const event: LinkEvent = { kind: 'link', link };
    // Whoever knows the link by its old name loses it.
    return before && before.name !== link.name
      ? [{ kind: 'link-deleted', index: before.index, name: before.name }, event]
      : [event];
  }

  private removeLink(index: number): readonly LinkEvent[] {
    const before = this.links.get(index);
    if (!before) return [];
    this.links.delete(index);
    return [{ kind: 'link-deleted', index, name: before.name }];
  }

  private changeAddress(change: { index: number; address: LinkAddress }, added: boolean): readonly LinkEvent[] {
    const link = this.links.get(change.index);
    if (!link) return [];
    const at = link.addresses.findIndex((known) => sameAddress(known, change.address));
    if (!added) {
      return at < 0 ? [] : this.putState({ ...link, addresses: link.addresses.toSpliced(at, 1) });
    }
    const addresses = at < 0 ? [...link.addresses, change.address] : link.addresses.with(at, change.address);
    return this.putState({ ...link, addresses });
  }
}

function sameAddress(a: LinkAddress, b: LinkAddress): boolean {
  return a.prefixLength === b.prefixLength && equalBytes(a.address, b.address);
}

function sameState(a: LinkState, b: LinkState): boolean {
  return (
    a.name === b.name &&
    a.adminUp === b.adminUp &&
    a.carrier === b.carrier &&
    a.mtu === b.mtu &&
    equalBytes(a.mac, b.mac) &&
    a.addresses.length === b.addresses.length &&
    a.addresses.every((address, index) => sameAddressState(address, b.addresses[index]!))
  );
}

function sameAddressState(a: LinkAddress, b: LinkAddress): boolean {
  return sameAddress(a, b) && a.tentative === b.tentative && a.duplicate === b.duplicate && a.ours === b.ours;
}
