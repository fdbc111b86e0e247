/** How a memory region is cut into one segment for every queue pair. Pure. */

export interface Segment {
  /** Octets from the beginning of the region. */
  readonly offset: number;
  readonly length: number;
}

/** Equal segments one after the other; the last takes what is over. */
export function segmentsOf(length: number, count: number): Segment[] {
  const each = Math.floor(length / count);
  return Array.from({ length: count }, (_, index) => {
    const offset = index * each;
    return { offset, length: index === count - 1 ? length - offset : each };
  });
}
