/**
 * The memory of a simulated router's tables: buffers that could be shared between threads, and are not. V8 marks its whole heap for every 64 MiB of
 * other ones that are new, which in a fabric of hundreds of routers is the dearest thing there is.
 */
import type { TableMemory } from '../core/ports/table-memory.js';

export const SHARED_MEMORY: TableMemory = {
  capacity: 1024,
  words: (count) => new Int32Array(new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT)),
};
