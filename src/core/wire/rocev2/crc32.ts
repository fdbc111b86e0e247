/** CRC-32 of IEEE 802.3, reflected, eight octets at a time (slicing by eight). */

const POLYNOMIAL = 0xedb88320;
const SLICES = 8;
/** Table k says what an octet does that has k more behind it. */
const TABLES = buildTables();

function buildTables(): Int32Array {
  const tables = new Int32Array(SLICES * 256);
  for (let octet = 0; octet < 256; octet++) {
    let crc = octet;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ POLYNOMIAL;
    tables[octet] = crc;
  }
  for (let at = 256; at < tables.length; at++) {
    const before = tables[at - 256]!;
    tables[at] = (before >>> 8) ^ tables[before & 0xff]!;
  }
  return tables;
}

/** Before the first octet. */
export const CRC32_START = -1;

/** The state after `end - start` more octets; not yet inverted. */
export function updateCrc32(state: number, bytes: Uint8Array, start: number, end: number): number {
  let crc = state;
  let at = start;
  for (; at + SLICES <= end; at += SLICES) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    crc =
      TABLES[1792 + (crc & 0xff)]! ^
      TABLES[1536 + ((crc >>> 8) & 0xff)]! ^
      TABLES[1280 + ((crc >>> 16) & 0xff)]! ^
      TABLES[1024 + (crc >>> 24)]! ^
      TABLES[768 + bytes[at + 4]!]! ^
      TABLES[512 + bytes[at + 5]!]! ^
      TABLES[256 + bytes[at + 6]!]! ^
      TABLES[bytes[at + 7]!]!;
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ TABLES[(crc ^ bytes[at]!) & 0xff]!;
  return crc;
}

export function finishCrc32(state: number): number {
  return ~state >>> 0;
}
