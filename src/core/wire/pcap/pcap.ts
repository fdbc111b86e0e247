/**
 * The classic pcap file format (draft-ietf-opsawg-pcap): a 24-octet header, then records, in the byte order of the machine
 * that wrote it, with microseconds or nanoseconds.
 */
import { type Capture, type CapturedPacket, type CaptureProblem, cutShort, MAX_CAPTURED_OCTETS } from './capture.js';

const FILE_HEADER_OCTETS = 24;
const RECORD_HEADER_OCTETS = 16;

interface PcapVariant {
  readonly littleEndian: boolean;
  readonly nanosecondsPerUnit: bigint;
}

const VARIANTS: ReadonlyMap<number, PcapVariant> = new Map([
  [0xa1b2c3d4, { littleEndian: false, nanosecondsPerUnit: 1000n }],
  [0xd4c3b2a1, { littleEndian: true, nanosecondsPerUnit: 1000n }],
  [0xa1b23c4d, { littleEndian: false, nanosecondsPerUnit: 1n }],
  [0x4d3cb2a1, { littleEndian: true, nanosecondsPerUnit: 1n }],
]);

/** Whether `magic`, the first four octets in network order, begins a pcap file. */
export function isPcapMagic(magic: number): boolean {
  return VARIANTS.has(magic);
}

/** Reads a file that begins with a pcap magic number; stops at the first record that is damaged or not whole. */
export function readPcap(bytes: Uint8Array): Capture {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const variant = VARIANTS.get(view.getUint32(0))!;
  if (bytes.length < FILE_HEADER_OCTETS) {
    const problem = cutShort('the pcap file header', 0, FILE_HEADER_OCTETS, bytes.length);
    return { format: 'pcap', packets: [], problems: [problem] };
  }
  return { format: 'pcap', ...readRecords(view, variant, view.getUint32(20, variant.littleEndian) & 0xffff) };
}

function readRecords(
  view: DataView,
  variant: PcapVariant,
  linkType: number,
): { packets: CapturedPacket[]; problems: CaptureProblem[] } {
  const packets: CapturedPacket[] = [];
  let offset = FILE_HEADER_OCTETS;
  while (offset < view.byteLength) {
    const problem = recordProblem(view, variant, offset);
    if (problem) return { packets, problems: [problem] };
    const length = view.getUint32(offset + 8, variant.littleEndian);
    const seconds = BigInt(view.getUint32(offset, variant.littleEndian));
    const fraction = BigInt(view.getUint32(offset + 4, variant.littleEndian));
    packets.push({
      frame: packets.length + 1,
      time: seconds * 1_000_000_000n + fraction * variant.nanosecondsPerUnit,
      linkType,
      interfaceIndex: 0,
      data: new Uint8Array(view.buffer, view.byteOffset + offset + RECORD_HEADER_OCTETS, length),
      originalLength: view.getUint32(offset + 12, variant.littleEndian),
    });
    offset += RECORD_HEADER_OCTETS + length;
  }
  return { packets, problems: [] };
}

function recordProblem(view: DataView, variant: PcapVariant, offset: number): CaptureProblem | undefined {
  const present = view.byteLength - offset;
  if (present < RECORD_HEADER_OCTETS) return cutShort('a record header', offset, RECORD_HEADER_OCTETS, present);
  const length = view.getUint32(offset + 8, variant.littleEndian);
  if (length > MAX_CAPTURED_OCTETS) {
    return {
      offset,
      reason: `a record claims ${length} octets, more than any capture holds: the file is damaged here`,
    };
  }
  const needed = RECORD_HEADER_OCTETS + length;
  return present < needed ? cutShort('a record', offset, needed, present) : undefined;
}
