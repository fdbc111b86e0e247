/**
 * Takes records out of a ring buffer that a program in the kernel fills (Documentation/bpf/ringbuf.rst): two positions and the octets
 * between them, in memory that both see. Nothing is asked of the kernel to read.
 */
import { Mapping, pageSize } from './mapping.js';

const HEADER = 8;
/** Bits of a record's length: it is not whole yet; it was given up. */
const BUSY = 0x80000000;
const DISCARDED = 0x40000000;

export class RingReader {
  private readonly consumed: Mapping;
  private readonly produced: Mapping;
  private readonly octets: Uint8Array;
  private readonly lengths: Int32Array;
  /** Positions only grow: their place in the ring is what is left of them. */
  private readonly consumer: BigInt64Array;
  private readonly producer: BigInt64Array;

  /** Throws one line when the memory cannot be had. */
  constructor(
    fileDescriptor: number,
    private readonly size: number,
  ) {
    const page = pageSize();
    this.consumed = new Mapping({ fileDescriptor, offset: 0, length: page, writable: true });
    try {
      // The octets lie there twice, one behind the other, so that no record is in two pieces.
      this.produced = new Mapping({ fileDescriptor, offset: page, length: page + 2 * size, writable: false });
    } catch (error) {
      this.consumed.close();
      throw error;
    }
    this.consumer = new BigInt64Array(this.consumed.memory, 0, 1);
    this.producer = new BigInt64Array(this.produced.memory, 0, 1);
    this.octets = new Uint8Array(this.produced.memory, page);
    this.lengths = new Int32Array(this.produced.memory, page);
  }

  /** All records that are whole, in order. */
  read(): Uint8Array[] {
    const records: Uint8Array[] = [];
    const end = Atomics.load(this.producer, 0);
    let at = Atomics.load(this.consumer, 0);
    while (at < end) {
      const place = Number(at % BigInt(this.size));
      const length = Atomics.load(this.lengths, place / 4) >>> 0;
      if (length >= BUSY) break;
      const octets = length % DISCARDED;
      if (length < DISCARDED) records.push(this.octets.slice(place + HEADER, place + HEADER + octets));
      at += BigInt((HEADER + octets + 7) & ~7);
    }
    Atomics.store(this.consumer, 0, at);
    return records;
  }

  /** Nothing may be read after. */
  close(): void {
    this.consumed.close();
    this.produced.close();
  }
}
