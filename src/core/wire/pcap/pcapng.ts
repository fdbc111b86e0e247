/**
 * The pcapng file format (draft-ietf-opsawg-pcapng): sections of blocks. Section Header, Interface Description, Enhanced,
 * Simple and (obsolete) Packet Blocks are read, other blocks skipped. Each section has its own byte order and interfaces.
 */
import { type Capture, type CapturedPacket, type CaptureProblem, cutShort, MAX_CAPTURED_OCTETS } from './capture.js';

export const SECTION_HEADER_BLOCK = 0x0a0d0d0a;
const INTERFACE_DESCRIPTION_BLOCK = 1;
const OBSOLETE_PACKET_BLOCK = 2;
const SIMPLE_PACKET_BLOCK = 3;
const ENHANCED_PACKET_BLOCK = 6;

const BYTE_ORDER_MAGIC = 0x1a2b3c4d;
const BYTE_ORDER_MAGIC_SWAPPED = 0x4d3c2b1a;
const IF_TSRESOL = 9;
const IF_TSOFFSET = 14;
/** Type, total length, and the total length again behind the body. */
const BLOCK_OVERHEAD = 12;

interface CaptureInterface {
  readonly linkType: number;
  /** Octets; 0 is no limit. */
  readonly snapLength: number;
  readonly unitsPerSecond: bigint;
  readonly offsetSeconds: bigint;
}

interface Block {
  readonly type: number;
  /** Offset of the block in the file. */
  readonly offset: number;
  readonly body: DataView;
}

class PcapngReader {
  readonly packets: CapturedPacket[] = [];
  readonly problems: CaptureProblem[] = [];
  private littleEndian = false;
  private interfaces: CaptureInterface[] = [];
  /** Interfaces of the sections before this one. */
  private interfacesBefore = 0;

  constructor(private readonly view: DataView) {}

  readAll(): void {
    let offset = 0;
    while (offset < this.view.byteLength) {
      const length = this.blockLength(offset);
      if (length === undefined) return;
      const body = this.part(offset + 8, length - BLOCK_OVERHEAD);
      this.readBlock({ type: this.view.getUint32(offset, this.littleEndian), offset, body });
      offset += length;
    }
  }

  /** The length of a block that is whole; otherwise notes the problem that ends the reading. */
  private blockLength(offset: number): number | undefined {
    const present = this.view.byteLength - offset;
    if (present < BLOCK_OVERHEAD) return this.stop(cutShort('a block header', offset, BLOCK_OVERHEAD, present));
    if (this.view.getUint32(offset) === SECTION_HEADER_BLOCK && !this.beginSection(offset)) return undefined;
    const length = this.view.getUint32(offset + 4, this.littleEndian);
    if (length < BLOCK_OVERHEAD || length % 4 !== 0) {
      return this.stop({ offset, reason: `a block claims ${length} octets: the file is damaged here` });
    }
    if (length > present) return this.stop(cutShort('a block', offset, length, present));
    if (this.view.getUint32(offset + length - 4, this.littleEndian) !== length) {
      return this.stop({ offset, reason: "a block's two lengths differ: the file is damaged here" });
    }
    return length;
  }

  private stop(problem: CaptureProblem): undefined {
    this.problems.push(problem);
    return undefined;
  }

  private beginSection(offset: number): boolean {
    const magic = this.view.getUint32(offset + 8);
    if (magic !== BYTE_ORDER_MAGIC && magic !== BYTE_ORDER_MAGIC_SWAPPED) {
      this.stop({ offset, reason: 'a section header has no byte-order magic: the file is damaged here' });
      return false;
    }
    this.littleEndian = magic === BYTE_ORDER_MAGIC_SWAPPED;
    this.interfacesBefore += this.interfaces.length;
    this.interfaces = [];
    return true;
  }

  private readBlock(block: Block): void {
    switch (block.type) {
      case INTERFACE_DESCRIPTION_BLOCK:
        this.readInterface(block);
        break;
      case ENHANCED_PACKET_BLOCK:
        this.readTimedPacket(block, (body) => body.getUint32(0, this.littleEndian));
        break;
      case OBSOLETE_PACKET_BLOCK:
        this.readTimedPacket(block, (body) => body.getUint16(0, this.littleEndian));
        break;
      case SIMPLE_PACKET_BLOCK:
        this.readSimplePacket(block);
        break;
    }
  }

  private readInterface({ offset, body }: Block): void {
    if (body.byteLength < 8) {
      this.problems.push(cutShort('an interface description', offset, 8, body.byteLength));
      return;
    }
    const options = this.options(body, 8);
    const resolution = options.get(IF_TSRESOL);
    const shift = options.get(IF_TSOFFSET);
    this.interfaces.push({
      linkType: body.getUint16(0, this.littleEndian),
      snapLength: body.getUint32(4, this.littleEndian),
      unitsPerSecond: resolution && resolution.byteLength >= 1 ? unitsPerSecond(resolution.getUint8(0)) : 1_000_000n,
      offsetSeconds: shift && shift.byteLength >= 8 ? shift.getBigInt64(0, this.littleEndian) : 0n,
    });
  }

  private options(body: DataView, start: number): Map<number, DataView> {
    const options = new Map<number, DataView>();
    let at = start;
    while (at + 4 <= body.byteLength) {
      const code = body.getUint16(at, this.littleEndian);
      const length = body.getUint16(at + 2, this.littleEndian);
      if (code === 0 || at + 4 + length > body.byteLength) break;
      options.set(code, new DataView(body.buffer, body.byteOffset + at + 4, length));
      at += 4 + Math.ceil(length / 4) * 4;
    }
    return options;
  }

  private readTimedPacket({ offset, body }: Block, interfaceId: (body: DataView) => number): void {
    if (body.byteLength < 20) {
      this.problems.push(cutShort('a packet block', offset, 20, body.byteLength));
      return;
    }
    const id = interfaceId(body);
    const from = this.interfaces[id];
    const length = body.getUint32(12, this.littleEndian);
    if (!from) {
      this.problems.push({ offset, reason: `a packet names interface ${id}, which the section does not describe` });
    } else if (length > body.byteLength - 20 || length > MAX_CAPTURED_OCTETS) {
      this.problems.push(cutShort('a packet', offset, length, body.byteLength - 20));
    } else {
      const high = BigInt(body.getUint32(4, this.littleEndian));
      const ticks = (high << 32n) | BigInt(body.getUint32(8, this.littleEndian));
      const time = from.offsetSeconds * 1_000_000_000n + (ticks * 1_000_000_000n) / from.unitsPerSecond;
      this.add(id, from, {
        time,
        data: bytesOf(body, 20, length),
        originalLength: body.getUint32(16, this.littleEndian),
      });
    }
  }

  private readSimplePacket({ offset, body }: Block): void {
    const from = this.interfaces[0];
    if (!from || body.byteLength < 4) {
      this.problems.push({ offset, reason: 'a simple packet without an interface description before it' });
      return;
    }
    const originalLength = body.getUint32(0, this.littleEndian);
    const limit = from.snapLength === 0 ? originalLength : Math.min(originalLength, from.snapLength);
    const length = Math.min(limit, body.byteLength - 4);
    this.add(0, from, { time: undefined, data: bytesOf(body, 4, length), originalLength });
  }

  private add(
    id: number,
    from: CaptureInterface,
    packet: Pick<CapturedPacket, 'time' | 'data' | 'originalLength'>,
  ): void {
    const interfaceIndex = this.interfacesBefore + id;
    this.packets.push({ frame: this.packets.length + 1, linkType: from.linkType, interfaceIndex, ...packet });
  }

  private part(offset: number, length: number): DataView {
    return new DataView(this.view.buffer, this.view.byteOffset + offset, length);
  }
}

/** if_tsresol: a negative power of ten, or of two when the highest bit is set. */
function unitsPerSecond(resolution: number): bigint {
  const exponent = BigInt(resolution & 0x7f);
  return (resolution & 0x80) === 0 ? 10n ** exponent : 2n ** exponent;
}

function bytesOf(view: DataView, offset: number, length: number): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + offset, length);
}

/** Reads a file that begins with a Section Header Block; stops at the first block that is damaged or not whole. */
export function readPcapng(bytes: Uint8Array): Capture {
  const reader = new PcapngReader(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  reader.readAll();
  return { format: 'pcapng', packets: reader.packets, problems: reader.problems };
}
