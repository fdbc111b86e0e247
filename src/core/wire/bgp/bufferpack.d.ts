/** The part of the bufferpack package that heddle uses; it ships no types. */
declare module 'bufferpack' {
  interface BufferPack {
    /** The values in `format` from `position` on; `undefined` when there are too few octets. */
    unpack(format: string, bytes: Uint8Array, position: number): unknown[] | undefined;
    /** Writes `values`; false when they do not fit. */
    packTo(format: string, bytes: Uint8Array, position: number, values: readonly unknown[]): Uint8Array | false;
  }
  const bufferpack: BufferPack;
  export default bufferpack;
}
