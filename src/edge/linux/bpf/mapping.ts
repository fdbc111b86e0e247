/** Memory that the kernel's programs and this process have in common: a table or a ring buffer, mapped by its descriptor (mmap(2)). */
import { type KoffiPackage, loadKoffi } from '../native.js';

const READ = 1;
const READ_AND_WRITE = 3;
const SHARED = 1;
const PAGE_SIZE_NAME = 30;

interface Place {
  readonly fileDescriptor: number;
  readonly offset: number;
  /** Octets. */
  readonly length: number;
  readonly writable: boolean;
}

export class Mapping {
  /** Not to be touched once the mapping is closed. */
  readonly memory: ArrayBuffer;
  private readonly address: number;
  private open = true;

  /** Throws one line when the kernel refuses. */
  constructor(private readonly place: Place) {
    const { koffi, map } = library();
    const { fileDescriptor, offset, length, writable } = place;
    this.address = map(null, length, writable ? READ_AND_WRITE : READ, SHARED, fileDescriptor, offset);
    if (this.address === -1) throw new Error('an eBPF table cannot be mapped into memory');
    this.memory = koffi.view(BigInt(this.address), length);
  }

  close(): void {
    if (this.open) library().unmap(this.address, this.place.length);
    this.open = false;
  }
}

export function pageSize(): number {
  return library().pageSize;
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
