/**
 * The memory that a program sees: pieces far apart, each with its bounds. An address is 64 bits, its upper half the number of the piece;
 * whoever leaves a piece by as little as an octet is told which.
 */

export class MemoryFault extends Error {}

interface Piece {
  readonly name: string;
  readonly bytes: DataView;
  readonly writable: boolean;
}

const PIECE_SHIFT = 32n;
const LOWER = 0xffffffffn;
/** Where in its window a piece begins: there is room before it, too. */
const START = 0x40000000;

export class Memory {
  private readonly pieces: Piece[] = [];

  /** The address of the first octet. */
  add(name: string, bytes: Uint8Array, writable = true): bigint {
    this.pieces.push({ name, bytes: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), writable });
    return (BigInt(this.pieces.length) << PIECE_SHIFT) + BigInt(START);
  }

  read(address: bigint, size: number): bigint {
    const { piece, offset } = this.at(address, size, 'read');
    if (size === 8) return piece.bytes.getBigUint64(offset, true);
    if (size === 4) return BigInt(piece.bytes.getUint32(offset, true));
    return BigInt(size === 2 ? piece.bytes.getUint16(offset, true) : piece.bytes.getUint8(offset));
  }

  write(address: bigint, size: number, value: bigint): void {
    const { piece, offset } = this.at(address, size, 'write');
    if (!piece.writable) throw new MemoryFault(`write to ${piece.name}, which is read only`);
    if (size === 8) piece.bytes.setBigUint64(offset, BigInt.asUintN(64, value), true);
    else if (size === 4) piece.bytes.setUint32(offset, Number(value & LOWER), true);
    else if (size === 2) piece.bytes.setUint16(offset, Number(value & 0xffffn), true);
    else piece.bytes.setUint8(offset, Number(value & 0xffn));
  }

  /** A view of the octets, not a copy. */
  bytes(address: bigint, size: number): Uint8Array {
    const { piece, offset } = this.at(address, size, 'read');
    return new Uint8Array(piece.bytes.buffer, piece.bytes.byteOffset + offset, size);
  }

  private at(address: bigint, size: number, what: string): { piece: Piece; offset: number } {
    const piece = this.pieces[Number(address >> PIECE_SHIFT) - 1];
    if (!piece) throw new MemoryFault(`${what} of ${size} octets at 0x${address.toString(16)}, which is no memory`);
    const offset = Number(address & LOWER) - START;
    if (offset < 0 || offset + size > piece.bytes.byteLength)
      throw new MemoryFault(
        `${what} of ${size} octets at ${offset} of ${piece.name}, which has ${piece.bytes.byteLength}`,
      );
    return { piece, offset };
  }
}
