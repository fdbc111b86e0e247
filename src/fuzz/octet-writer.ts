/** A buffer that is written from the front and used again for the next message. */
export class OctetWriter {
  readonly buffer: Uint8Array;
  length = 0;

  constructor(size: number) {
    this.buffer = new Uint8Array(size);
  }

  get room(): number {
    return this.buffer.length - this.length;
  }

  octet(value: number): void {
    this.buffer[this.length++] = value;
  }

  word16(value: number): void {
    this.buffer[this.length++] = value >>> 8;
    this.buffer[this.length++] = value;
  }

  word32(value: number): void {
    this.word16(value >>> 16);
    this.word16(value & 0xffff);
  }

  /** `octets[start..end)`. */
  octets(octets: Uint8Array, start = 0, end = octets.length): void {
    const { buffer } = this;
    let at = this.length;
    for (let from = start; from < end; from++) buffer[at++] = octets[from]!;
    this.length = at;
  }

  /** Writes over what is there. */
  patch16(at: number, value: number): void {
    this.buffer[at] = value >>> 8;
    this.buffer[at + 1] = value;
  }

  /** Valid until the next write. */
  written(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }
}
