/**
 * Path attributes of the benchmark's tables. `next` goes round 64 sets, as a fabric or a small network has them. `drawn` gives what public
 * MRT files show of a full table: one set of attributes for some five prefixes, most sets for one or two and a few for
 * hundreds, paths of three to six AS numbers, communities in most. Pure: a sequence of its own, the same for every sender.
 */
import { octets32 } from '../../core/wire/bgp/octets.js';

export type TableFamily = 'ipv6' | 'ipv4';

export interface Sender {
  readonly asn: number;
  /** Of the session, and the next hop. */
  readonly address: Uint8Array;
}

const SETS = 64;
/** One in so many of the drawn sets has been there before. */
const REPEATED = 4;

export class PathAttributes {
  private readonly known: Uint8Array[] = [];
  private turn = 0;
  private state = 0x9e3779b9;

  constructor(
    private readonly family: TableFamily,
    private readonly sender: Sender,
  ) {}

  /** IPv6: the next hop's 16 octets, then what follows MP_REACH_NLRI. IPv4: all of them, NEXT_HOP among them. */
  next(): Uint8Array {
    const set = this.turn++ % SETS;
    this.known[set] ??= this.encode([66_000 + set, 67_000 + (set % 8)], [[this.sender.asn & 0xffff, set]]);
    return this.known[set];
  }

  drawn(): Uint8Array {
    if (this.known.length > 0 && this.below(REPEATED) === 0) return this.known[this.below(this.known.length)]!;
    const hops = Array.from(
      { length: 2 + this.below(4) },
      (_, place) => 66_000 + this.below(place === 0 ? 50 : 60_000),
    );
    const communities = Array.from({ length: this.below(8) }, () => [3_000 + this.below(500), this.below(65_536)]);
    const attributes = this.encode(hops, communities);
    this.known.push(attributes);
    return attributes;
  }

  /** Prefixes of a drawn set: mean 5.4. */
  drawnCount(): number {
    const kind = this.below(100);
    if (kind < 55) return 1;
    if (kind < 75) return 2 + this.below(2);
    if (kind < 92) return 4 + this.below(7);
    return 11 + this.below(66);
  }

  private encode(hops: readonly number[], communities: readonly (readonly number[])[]): Uint8Array {
    const path = [this.sender.asn, ...hops].flatMap((asn) => [...octets32(asn)]);
    const values = communities.flatMap(([high = 0, low = 0]) => [high >> 8, high & 0xff, low >> 8, low & 0xff]);
    return Uint8Array.from([
      ...(this.family === 'ipv6' ? this.sender.address : []),
      ...[0x40, 1, 1, 0],
      ...[0x40, 2, path.length + 2, 2, path.length / 4, ...path],
      ...(this.family === 'ipv4' ? [0x40, 3, 4, ...this.sender.address] : []),
      ...(values.length > 0 ? [0xc0, 8, values.length, ...values] : []),
    ]);
  }

  /** Xorshift (Marsaglia 2003): cheap, and the same everywhere. */
  private below(limit: number): number {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) % limit;
  }
}
