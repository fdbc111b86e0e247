/** Columns of tables: typed arrays that grow. */

type Column = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/** A copy with room for `length` elements, and for twice as many as now at least; the new ones are 0. */
export function grown<T extends Column>(column: T, length: number): T {
  const Larger = column.constructor as new (buffer: ArrayBufferLike) => T;
  const octets = Math.max(column.length * 2, length) * column.BYTES_PER_ELEMENT;
  const { buffer } = column;
  const larger = new Larger(buffer instanceof ArrayBuffer ? new ArrayBuffer(octets) : new SharedArrayBuffer(octets));
  larger.set(column);
  return larger;
}
