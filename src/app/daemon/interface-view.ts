/** `show interfaces`: what the configuration names, and what the kernel has of it. */

import { usability } from '../../core/discovery/usable.js';
import { equalBytes, formatAddress } from '../../core/net/address.js';
import { formatMac } from '../../core/net/eui64.js';
import type { LinkState } from '../../core/ports/links.js';
import type { Speaker } from '../../core/speaker/speaker.js';
import type { Interface } from '../../edge/control/schema.js';
import { byAddress, linksInOrder } from './show-order.js';

export function* interfaceViews(speaker: Speaker): Iterable<Interface> {
  for (const link of linksInOrder(speaker.fabricLinks)) {
    yield {
      ...linkView(link.config.name, link.state, link.reason),
      kind: 'fabric',
      colour: link.config.colour ?? null,
      addresses: [],
      neighbors: byAddress(link.heard()).map(({ address }) => formatAddress(address)),
    };
  }
  for (const link of linksInOrder(speaker.hostLinks)) {
    yield {
      ...linkView(link.config.name, link.state, link.reason),
      kind: 'host',
      colour: null,
      addresses: (link.state?.addresses ?? [])
        .filter(({ address }) => link.config.prefixes.some(({ gateway }) => equalBytes(gateway, address)))
        .map(({ address, prefixLength }) => `${formatAddress(address)}/${prefixLength}`),
      neighbors: [],
    };
  }
}

function linkView(name: string, link: LinkState | undefined, reason: string | undefined) {
  const usable = link && usability(link);
  return {
    name,
    index: link?.index ?? null,
    adminUp: link?.adminUp ?? false,
    carrier: link?.carrier ?? false,
    usable: reason === undefined,
    reason: reason ?? null,
    mac: link && link.mac.length === 6 ? formatMac(link.mac) : null,
    mtu: link?.mtu ?? null,
    linkLocal: usable?.usable ? formatAddress(usable.linkLocal) : null,
  };
}
