/** Path attributes and routes to UPDATE messages, encoded once for all peers that are told the same (RFC 4271 section 4.3). */
import type { Family } from '../../net/family.js';
import type { PathAttributes } from './path-attributes.js';

/** All attributes but NEXT_HOP and MP_REACH_NLRI, which the builder adds, in ascending order of type (RFC 4271 section 5). */
export function encodeAttributes(_attributes: PathAttributes, _options: { readonly fourOctetAs: boolean }): Uint8Array {
  throw new Error('to be written');
}

/** Octet 4 or 16 or 32: the next-hop field of messages built from here; see `encodeNextHop`. */
export type NextHopBytes = Uint8Array;

export interface UpdateBuilderOptions {
  readonly family: Family;
  /** Path identifiers precede the prefixes (RFC 7911). */
  readonly addPath: boolean;
  /** Largest message in octets: 4096, or 65535 with extended messages (RFC 8654). */
  readonly maximum: number;
}

/**
 * Packs routes into as few messages as fit. Call `announce` or `withdraw` to say what the next `add`s are, `flush` for the
 * last message. `emit` gets whole messages of its own; `nextHopOffset` is where their next-hop octets start, for a copy that
 * carries another speaker's own (0 in a withdrawal).
 */
export class UpdateBuilder {
  constructor(_options: UpdateBuilderOptions, _emit: (message: Uint8Array, nextHopOffset: number) => void) {
    throw new Error('to be written');
  }

  /** False, and nothing to add to, when the attributes leave no room for a route: the routes must be withdrawn instead. */
  announce(_attributes: Uint8Array, _nextHop: NextHopBytes): boolean {
    throw new Error('to be written');
  }

  withdraw(): void {
    throw new Error('to be written');
  }

  /** Adds the prefix of `bits` bits whose address octets stand at `offset` in `addresses`. */
  add(_addresses: Uint8Array, _offset: number, _bits: number, _pathId = 0): void {
    throw new Error('to be written');
  }

  flush(): void {
    throw new Error('to be written');
  }
}

/** RFC 4724 section 2. */
export function encodeEndOfRib(_family: Family): Uint8Array {
  throw new Error('to be written');
}
