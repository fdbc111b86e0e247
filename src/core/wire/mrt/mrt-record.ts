/**
 * The MRT routing information export format (RFC 6396): records of a time, a type and a body, one after the other in a file.
 * What a body means is in table-dump.ts (TABLE_DUMP_V2) and bgp4mp.ts (BGP4MP).
 */
import { concat, octets32, read16, read32, write16, write32 } from '../bgp/octets.js';

/** RFC 6396 section 4. The `Et` type carries microseconds (section 3). */
export const MRT_TYPE = { tableDumpV2: 13, bgp4mp: 16, bgp4mpEt: 17 } as const;

export interface MrtRecord {
  /** Microseconds since 1970; the types without microseconds keep whole seconds. */
  readonly time: number;
  readonly type: number;
  readonly subtype: number;
  readonly body: Uint8Array;
}

export const MRT_HEADER_OCTETS = 12;
const MICROSECONDS_OCTETS = 4;
const SECOND = 1_000_000;

/** Section 2: seconds, type, subtype and the length of what follows, in which the microseconds count. */
export function encodeMrtRecord({ time, type, subtype, body }: MrtRecord): Uint8Array {
  const extended = type === MRT_TYPE.bgp4mpEt;
  const header = new Uint8Array(MRT_HEADER_OCTETS);
  write32(header, 0, Math.floor(time / SECOND));
  write16(header, 4, type);
  write16(header, 6, subtype);
  write32(header, 8, body.length + (extended ? MICROSECONDS_OCTETS : 0));
  return extended ? concat([header, octets32(time % SECOND), body]) : concat([header, body]);
}

/** The record at `offset` and where it ends; `undefined` when less than all of it is there. */
export function decodeMrtRecord(bytes: Uint8Array, offset: number): { record: MrtRecord; end: number } | undefined {
  if (offset + MRT_HEADER_OCTETS > bytes.length) return undefined;
  const type = read16(bytes, offset + 4);
  const start = offset + MRT_HEADER_OCTETS;
  const end = start + read32(bytes, offset + 8);
  const extended = type === MRT_TYPE.bgp4mpEt;
  const bodyStart = extended ? start + MICROSECONDS_OCTETS : start;
  if (end > bytes.length || bodyStart > end) return undefined;
  const time = read32(bytes, offset) * SECOND + (extended ? read32(bytes, start) : 0);
  return { record: { time, type, subtype: read16(bytes, offset + 6), body: bytes.subarray(bodyStart, end) }, end };
}
