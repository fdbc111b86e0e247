/**
 * Who is who in a capture. A host is known by the BGP identifier in its OPENs, so that sessions over several links, each with
 * addresses of its own, belong to one router. A connection whose OPENs were not captured falls back on the address.
 */
import { type Address, formatAddress } from '../../core/net/address.js';
import type { AsNumber } from '../../core/net/as-number.js';
import { formatIdentifier } from '../../core/net/identifier.js';
import type { OpenMessage } from '../../core/wire/bgp/message.js';
import type { BgpContent, ReplayEvent } from './replay-event.js';

export interface Host {
  /** BGP identifier as dotted quad, or an address. */
  readonly name: string;
  /** 0 without an OPEN. */
  readonly identifier: number;
  /** 0 without an OPEN. */
  readonly asn: AsNumber;
  readonly hostname: string | undefined;
  readonly addresses: Set<string>;
}

/** Sender and receiver of a BGP message. */
export interface HostPair {
  readonly sender: Host;
  readonly receiver: Host;
}

export class Hosts {
  private readonly byName = new Map<string, Host>();
  private readonly ofConnectionEnd = new Map<string, Host>();
  /** `undefined`: hosts with different identifiers used this address (link-local addresses on different links). */
  private readonly ofAddress = new Map<string, Host | undefined>();

  constructor(events: readonly ReplayEvent[]) {
    for (const event of events) {
      const { content } = event;
      if (content.kind !== 'bgp') continue;
      const { sender, receiver } = content.opens;
      if (sender) this.learn(connectionEnd(content.connection.id, content.fromFirst), sender, event.source);
      if (receiver) this.learn(connectionEnd(content.connection.id, !content.fromFirst), receiver, event.destination);
    }
  }

  pair(content: BgpContent, event: Pick<ReplayEvent, 'source' | 'destination'>): HostPair {
    const { connection, fromFirst } = content;
    return {
      sender: this.end(connectionEnd(connection.id, fromFirst), event.source),
      receiver: this.end(connectionEnd(connection.id, !fromFirst), event.destination),
    };
  }

  /** An MRT file may tell the AS of a router and not its identifier, which then is 0. */
  private learn(end: string, open: OpenMessage, source: Address): void {
    if (this.ofConnectionEnd.has(end)) return;
    const name = open.identifier === 0 ? formatAddress(source) : formatIdentifier(open.identifier);
    const fqdn = open.capabilities.find((capability) => capability.kind === 'fqdn');
    const host = this.named(name, { identifier: open.identifier, asn: open.asn, hostname: fqdn?.hostname });
    const address = formatAddress(source);
    const known = this.ofAddress.has(address) ? this.ofAddress.get(address) : host;
    this.ofAddress.set(address, known === host ? host : undefined);
    host.addresses.add(address);
    this.ofConnectionEnd.set(end, host);
  }

  private end(key: string, address: Address): Host {
    const text = formatAddress(address);
    const host = this.ofConnectionEnd.get(key) ?? this.ofAddress.get(text) ?? this.named(text);
    host.addresses.add(text);
    return host;
  }

  private named(
    name: string,
    facts: Pick<Host, 'identifier' | 'asn' | 'hostname'> = { identifier: 0, asn: 0, hostname: undefined },
  ): Host {
    const host = this.byName.get(name) ?? { name, ...facts, addresses: new Set() };
    this.byName.set(name, host);
    return host;
  }
}

function connectionEnd(connection: number, first: boolean): string {
  return `${connection}${first ? '>' : '<'}`;
}
