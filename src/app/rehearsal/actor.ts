/** A neighbour in a rehearsal: its session with the router on the stage, and the UPDATEs it says. What it is told it does not read. */
import type { Address } from '../../core/net/address.js';
import type { AsNumber } from '../../core/net/as-number.js';
import type { Stream, StreamHandlers } from '../../core/ports/transport.js';
import { encodeKeepalive } from '../../core/wire/bgp/keepalive.js';
import type { Capability } from '../../core/wire/bgp/message.js';
import { read16 } from '../../core/wire/bgp/octets.js';
import { encodeOpen } from '../../core/wire/bgp/open.js';

/** Octets of one read: few, so that pieces are short. */
const READ = 2_048;
const ANY_PORT = 50_000;
/** Of the length in a message's header (RFC 4271 section 4.1). */
const LENGTH_AT = 16;
const IPV6_UNICAST: Capability = { kind: 'multiprotocol', afi: 2, safi: 1 };

export interface Part {
  readonly asn: AsNumber;
  readonly identifier: number;
  readonly address: Address;
  /** The router's address on the link between them. */
  readonly router: Address;
  readonly port: number;
}

export class Actor {
  private handlers: StreamHandlers | undefined;

  constructor(
    readonly part: Part,
    /** Does what the network does, a piece at a time. */
    private readonly later: (work: () => void) => void,
  ) {}

  /** Opens its session. */
  enter(accept: (stream: Stream) => void): void {
    const { asn, identifier } = this.part;
    accept(this.stream());
    // Without a hold time there are no KEEPALIVEs to play.
    const open = { version: 4, asn, asField: asn, holdTime: 0, identifier };
    this.say(encodeOpen({ ...open, capabilities: [IPV6_UNICAST, { kind: 'four-octet-as', asn }] }));
    this.say(encodeKeepalive());
  }

  /** All of it is in the router's socket at once. */
  say(octets: Uint8Array, read = READ): void {
    for (let at = 0; at < octets.length; at += read) this.later(() => this.hand(octets, at, read));
  }

  /** One message after the other, each when the router is done with the one before. */
  saySlowly(messages: Uint8Array): void {
    const sayFrom = (at: number): void => {
      if (at === messages.length) return;
      const length = read16(messages, at + LENGTH_AT);
      this.hand(messages, at, length);
      this.later(() => sayFrom(at + length));
    };
    this.later(() => sayFrom(0));
  }

  /** As sockets do: code that is made for plain arrays of octets is of no use when these come. */
  private hand(octets: Uint8Array, at: number, length: number): void {
    const { buffer, byteOffset } = octets;
    this.handlers?.data(Buffer.from(buffer, byteOffset + at, Math.min(length, octets.length - at)));
  }

  /** Loses its connection. */
  leave(): void {
    this.later(() => this.close());
  }

  private close(): void {
    const { handlers } = this;
    this.handlers = undefined;
    handlers?.closed();
  }

  private stream(): Stream {
    const { address, router, port } = this.part;
    return {
      interfaceName: '',
      local: router,
      remote: address,
      localPort: port,
      remotePort: ANY_PORT,
      pending: 0,
      start: (handlers) => {
        this.handlers = handlers;
      },
      write: () => true,
      pause: () => {},
      resume: () => {},
      end: () => this.close(),
      destroy: () => this.close(),
    };
  }
}
