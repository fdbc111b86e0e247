/**
 * Takes records out of a ring buffer that a program in the kernel fills (Documentation/bpf/ringbuf.rst): two positions and the octets
 * between them, in memory that both see. Nothing is asked of the kernel to read.
 */
import { type KoffiPackage, loadKoffi } from '../native.js';

const READ = 1;
const READ_AND_WRITE = 3;
const SHARED = 1;
const PAGE_SIZE_NAME = 30;
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
    const page = library().pageSize;
    this.consumed = new Mapping({ fileDescriptor, offset: 0, length: page, access: READ_AND_WRITE });
    try {
      // The octets lie there twice, one behind the other, so that no record is in two pieces.
      this.produced = new Mapping({ fileDescriptor, offset: page, length: page + 2 * size, access: READ });
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

interface Place {
  readonly fileDescriptor: number;
  readonly offset: number;
  readonly length: number;
  readonly access: number;
}

class Mapping {
  readonly memory: ArrayBuffer;
  private readonly address: number;
  private open = true;

  constructor(private readonly place: Place) {
    const { koffi, map } = library();
    const { fileDescriptor, offset, length, access } = place;
    this.address = map(null, length, access, SHARED, fileDescriptor, offset);
    if (this.address === -1) throw new Error('the ring of moves cannot be mapped into memory');
    this.memory = koffi.view(BigInt(this.address), length);
  }

  close(): void {
    if (this.open) library().unmap(this.address, this.place.length);
    this.open = false;
  }
}

interface Library {
  readonly koffi: KoffiPackage;
  readonly pageSize: number;
  map(...values: unknown[]): number;
  unmap(address: number, length: number): number;
}

let loaded: Library | undefined;

function library(): Library {
  loaded ??= open();
  return loaded;
}

function open(): Library {
  const koffi = loadKoffi();
  const libc = koffi.load(null);
  return {
    koffi,
    pageSize: libc.func('long sysconf(int name)')(PAGE_SIZE_NAME),
    map: libc.func('int64_t mmap(void *at, size_t length, int access, int flags, int descriptor, int64_t offset)'),
    unmap: libc.func('int munmap(int64_t at, size_t length)'),
  };
}
