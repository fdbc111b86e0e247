/**
 * The TableMemory port: the columns of full tables in large pages (madvise(2), MADV_HUGEPAGE), where the kernel has them on request, as
 * most do. The first octet written to a page of 4 KiB costs a fault, 15 us in a virtual machine: a column of 24 MB took 95 ms of CPU time to be
 * written for the first time, and takes 9 so. Where there are none the columns have small pages as before.
 *
 * A large page begins where its address is a multiple of its size. What is before the first one has small pages, a megabyte where chance puts
 * the column, so it is put: 800,000 paths write to 2,000 pages less, and take 233 ms, not 263.
 */
import type { TableMemory } from '../../core/ports/table-memory.js';
import { loadKoffi } from './native.js';

const MADV_HUGEPAGE = 14;
const LARGE_PAGE = 2 * 1024 * 1024;
/** Octets of a column in small pages: small tables, which most are, take no large one. */
const SMALL = 64 * 1024;
/** A million, which full tables have, and what is left of a column behind its last large page. */
const CAPACITY = 2 ** 20 + 2 ** 17;

export class LargePages implements TableMemory {
  readonly capacity = CAPACITY;
  private readonly koffi = loadKoffi();
  private readonly madvise = this.koffi.load(null).func('int madvise(uint64_t address, size_t octets, int advice)');

  words(count: number): Int32Array<ArrayBuffer> {
    const octets = count * Int32Array.BYTES_PER_ELEMENT;
    if (octets < LARGE_PAGE) return new Int32Array(count);
    // Addresses alone: what is not written to takes no memory.
    const buffer = new ArrayBuffer(octets + 2 * LARGE_PAGE);
    const address = Number(this.koffi.address(new Uint8Array(buffer)));
    const first = Math.ceil((address + SMALL) / LARGE_PAGE) * LARGE_PAGE;
    const begin = first - SMALL;
    // Refused by a kernel without large pages (EINVAL).
    this.madvise(first, Math.ceil((begin + octets - first) / LARGE_PAGE) * LARGE_PAGE, MADV_HUGEPAGE);
    return new Int32Array(buffer, begin - address, count);
  }
}
