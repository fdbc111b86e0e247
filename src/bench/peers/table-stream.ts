/**
 * Tables as the octets of their UPDATEs (RFC 4271 section 4.3, RFC 4760), made before anything is measured and written by code of the
 * benchmark's own, so that it is not heddle's encoder that everybody is fed by. Pure.
 */
import { read16 } from '../../core/wire/bgp/octets.js';
import { PathAttributes, type Sender, type TableFamily } from './path-attributes.js';

export interface TableShape {
  readonly family: TableFamily;
  readonly prefixes: number;
  /** In one UPDATE; `internet` draws it, with the attributes, as public tables have it. */
  readonly perUpdate: number | 'internet';
  /** The first 16 bits of IPv6 prefixes, which tell apart tables of different use. */
  readonly block?: number;
  /** The number of the first prefix. */
  readonly first?: number;
}

export interface TableStream {
  readonly announcements: Uint8Array;
  readonly withdrawals: Uint8Array;
}

/** Of IPv6 prefixes, unless a table has another. */
const BLOCK = 0xfd00;
const HEADER = 19;
const UPDATE = 2;
/** An UPDATE with one prefix of each family's and the longest attributes is shorter by far. */
const ROOM_BESIDES_PREFIXES = 320;
const WITHDRAWN_PER_UPDATE = 100;
/** Fits 4096 octets in either family, attributes included. */
const MOST_PER_UPDATE = 400;

/** The number of an IPv6 prefix of the block, from the octets of its address; -1 for others. */
export function numberInBlock(block: number, octets: Uint8Array, at: number): number {
  if (read16(octets, at) !== block) return -1;
  return read16(octets, at + 2) * 0x10000 + read16(octets, at + 4);
}

export function tableStream(shape: TableShape, sender: Sender): TableStream {
  return { announcements: announcements(shape, sender), withdrawals: withdrawals(shape) };
}

function announcements(shape: TableShape, sender: Sender): Uint8Array {
  const attributes = new PathAttributes(shape.family, sender);
  const writer = new UpdateWriter(shape);
  for (let first = 0; first < shape.prefixes; ) {
    const set = shape.perUpdate === 'internet' ? attributes.drawn() : attributes.next();
    const wanted = shape.perUpdate === 'internet' ? attributes.drawnCount() : shape.perUpdate;
    const count = Math.min(wanted, MOST_PER_UPDATE, shape.prefixes - first);
    writer.announce(set, first, count);
    first += count;
  }
  return writer.octets;
}

function withdrawals(shape: TableShape): Uint8Array {
  const { prefixes } = shape;
  const writer = new UpdateWriter(shape);
  for (let first = 0; first < prefixes; first += WITHDRAWN_PER_UPDATE)
    writer.withdraw(first, Math.min(WITHDRAWN_PER_UPDATE, prefixes - first));
  return writer.octets;
}

class UpdateWriter {
  private buffer = new Uint8Array(1 << 20);
  private at = 0;
  private readonly prefixOctets: number;

  private readonly family: TableFamily;
  private readonly block: number;
  private readonly base: number;

  constructor({ family, block = BLOCK, first = 0 }: TableShape) {
    this.family = family;
    this.block = block;
    this.base = first;
    this.prefixOctets = family === 'ipv6' ? 9 : 4;
  }

  get octets(): Uint8Array {
    return this.buffer.subarray(0, this.at);
  }

  announce(attributes: Uint8Array, first: number, count: number): void {
    const start = this.begin(count);
    this.write16(0);
    const lengthAt = this.at;
    this.write16(0);
    if (this.family === 'ipv6') this.reach(attributes, first, count);
    else this.write(attributes);
    this.patch16(lengthAt, this.at - lengthAt - 2);
    if (this.family === 'ipv4') this.prefixes(first, count);
    this.end(start);
  }

  withdraw(first: number, count: number): void {
    const start = this.begin(count);
    if (this.family === 'ipv4') {
      this.write16(count * this.prefixOctets);
      this.prefixes(first, count);
      this.write16(0);
    } else {
      const value = 3 + count * this.prefixOctets;
      this.write16(0);
      this.write16(4 + value);
      this.write([0x90, 15, value >> 8, value & 0xff, 0, 2, 1]);
      this.prefixes(first, count);
    }
    this.end(start);
  }

  /** MP_REACH_NLRI first (RFC 7606 section 5.1); `attributes` begins with its next hop. */
  private reach(attributes: Uint8Array, first: number, count: number): void {
    const value = 21 + count * this.prefixOctets;
    this.write([0x90, 14, value >> 8, value & 0xff, 0, 2, 1, 16]);
    this.write(attributes.subarray(0, 16));
    this.write([0]);
    this.prefixes(first, count);
    this.write(attributes.subarray(16));
  }

  private begin(count: number): number {
    this.makeRoom(ROOM_BESIDES_PREFIXES + count * this.prefixOctets);
    const start = this.at;
    this.buffer.fill(0xff, start, start + 16);
    this.at += HEADER;
    this.buffer[start + 18] = UPDATE;
    return start;
  }

  private end(start: number): void {
    this.patch16(start + 16, this.at - start);
  }

  /** fd00:HHHH:LLLL::/64, the number of the prefix in both; IPv4 from 16.0.0.0/24 on. */
  private prefixes(from: number, count: number): void {
    const { buffer, block, base } = this;
    for (let i = base + from; i < base + from + count; i++) {
      if (this.family === 'ipv6') {
        buffer.set([64, block >> 8, block & 0xff, i >>> 24, i >>> 16, i >>> 8, i, 0, 0], this.at);
      } else {
        buffer.set([24, 16 + (i >>> 16), i >>> 8, i], this.at);
      }
      this.at += this.prefixOctets;
    }
  }

  private write(octets: ArrayLike<number>): void {
    this.buffer.set(octets, this.at);
    this.at += octets.length;
  }

  private write16(value: number): void {
    this.patch16(this.at, value);
    this.at += 2;
  }

  private patch16(offset: number, value: number): void {
    this.buffer[offset] = value >> 8;
    this.buffer[offset + 1] = value;
  }

  private makeRoom(octets: number): void {
    if (this.at + octets <= this.buffer.length) return;
    const larger = new Uint8Array(this.buffer.length * 2);
    larger.set(this.buffer.subarray(0, this.at));
    this.buffer = larger;
  }
}
