/** Reads a whole MRT file: every record as a value, and what is wrong or not read in the rest. Never throws. */
import type { CaptureProblem } from '../pcap/capture.js';
import { decodeBgp4mp, type MrtMessage, type MrtStateChange } from './bgp4mp.js';
import { decodeMrtRecord, MRT_HEADER_OCTETS, MRT_TYPE, type MrtRecord } from './mrt-record.js';
import {
  decodePeerIndexTable,
  decodeRib,
  type PeerIndexTable,
  type RibRecord,
  ribForm,
  TABLE_DUMP_SUBTYPE,
} from './table-dump.js';

export type MrtContent =
  | MrtMessage
  | MrtStateChange
  | { readonly kind: 'peers'; readonly table: PeerIndexTable }
  | { readonly kind: 'rib'; readonly rib: RibRecord };

export interface MrtItem {
  /** Counts records from 1 in file order. */
  readonly record: number;
  /** Microseconds since 1970. */
  readonly time: number;
  readonly content: MrtContent;
}

export interface MrtFile {
  readonly format: 'mrt';
  readonly items: readonly MrtItem[];
  readonly problems: readonly CaptureProblem[];
}

/** Types that RFC 6396 names; a file of any of them is MRT, if with records that are not read. */
const KNOWN_TYPES: ReadonlySet<number> = new Set([11, 12, 13, 16, 17, 32, 33, 48, 49]);

/** There is no magic number: the first header must make sense. */
export function isMrt(bytes: Uint8Array): boolean {
  const first = decodeMrtRecord(bytes, 0);
  return first !== undefined && KNOWN_TYPES.has(first.record.type) && first.record.subtype < 64;
}

export function readMrt(bytes: Uint8Array): MrtFile {
  const items: MrtItem[] = [];
  const problems: CaptureProblem[] = [];
  let offset = 0;
  for (let record = 1; offset < bytes.length; record++) {
    const found = decodeMrtRecord(bytes, offset);
    if (!found) {
      const left = bytes.length - offset;
      const what = left < MRT_HEADER_OCTETS ? 'header' : 'body';
      problems.push({ offset, reason: `the ${what} of record ${record} is cut short` });
      break;
    }
    const content = decodeContent(found.record);
    if (typeof content === 'string') problems.push({ offset, reason: `record ${record} ${content}` });
    else items.push({ record, time: found.record.time, content });
    offset = found.end;
  }
  return { format: 'mrt', items, problems };
}

/** The content, or what keeps it from being read. */
function decodeContent(record: MrtRecord): MrtContent | string {
  const unread = `has type ${record.type} subtype ${record.subtype}, which is not read`;
  const content = decodeByType(record);
  if (content === 'unread') return unread;
  return content ?? `(type ${record.type} subtype ${record.subtype}) does not hold what its type says`;
}

function decodeByType(record: MrtRecord): MrtContent | 'unread' | undefined {
  switch (record.type) {
    case MRT_TYPE.bgp4mp:
    case MRT_TYPE.bgp4mpEt:
      return decodeBgp4mp(record);
    case MRT_TYPE.tableDumpV2:
      return decodeTableDump(record);
    default:
      return 'unread';
  }
}

function decodeTableDump({ subtype, body }: MrtRecord): MrtContent | 'unread' | undefined {
  if (subtype === TABLE_DUMP_SUBTYPE.peerIndexTable) {
    const table = decodePeerIndexTable(body);
    return table && { kind: 'peers', table };
  }
  const form = ribForm(subtype);
  if (!form) return 'unread';
  const rib = decodeRib(body, form);
  return rib && { kind: 'rib', rib };
}
