/** Columns of tables: typed arrays that grow. */

type Column =
  | Float64Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>;

/** A copy with room for `length` elements, and for twice as many as now at least; the new ones are 0. */
export function grown<T extends Column>(column: T, length: number): T {
  const Larger = column.constructor as new (length: number) => T;
  const larger = new Larger(Math.max(column.length * 2, length));
  larger.set(column);
  return larger;
}
