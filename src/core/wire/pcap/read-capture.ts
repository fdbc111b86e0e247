/** Tells capture formats apart by their first octets, and says what a file is when it is none of them. */
import type { Capture, NotACapture } from './capture.js';
import { isPcapMagic, readPcap } from './pcap.js';
import { readPcapng, SECTION_HEADER_BLOCK } from './pcapng.js';

/** First octets of files that are handed over by mistake, and what to do about them. */
const KNOWN_FILES: readonly { readonly signature: readonly number[]; readonly reason: string }[] = [
  { signature: [0x1f, 0x8b], reason: 'is compressed with gzip; unpack it first (gunzip)' },
  { signature: [0x28, 0xb5, 0x2f, 0xfd], reason: 'is compressed with zstd; unpack it first (unzstd)' },
  { signature: [0xfd, 0x37, 0x7a, 0x58], reason: 'is compressed with xz; unpack it first (unxz)' },
  { signature: [0x50, 0x4b, 0x03, 0x04], reason: 'is a zip archive; unpack it first (unzip)' },
  { signature: [0xa1, 0xb2, 0xcd, 0x34], reason: 'is a pcap of a patched libpcap; convert it (editcap -F pcap)' },
  { signature: [0x34, 0xcd, 0xb2, 0xa1], reason: 'is a pcap of a patched libpcap; convert it (editcap -F pcap)' },
  { signature: [0x73, 0x6e, 0x6f, 0x6f, 0x70], reason: 'is a snoop capture; convert it (editcap -F pcap)' },
];

/** Reads all packets of a pcap or pcapng file; never throws. */
export function readCapture(bytes: Uint8Array): Capture | NotACapture {
  if (bytes.length === 0) return { format: 'none', reason: 'is empty' };
  if (bytes.length >= 4) {
    const magic = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0);
    if (isPcapMagic(magic)) return readPcap(bytes);
    if (magic === SECTION_HEADER_BLOCK) return readPcapng(bytes);
  }
  return { format: 'none', reason: whatItIs(bytes) };
}

function whatItIs(bytes: Uint8Array): string {
  const known = KNOWN_FILES.find(({ signature }) => signature.every((octet, index) => bytes[index] === octet));
  if (known) return known.reason;
  const start = bytes.subarray(0, 64);
  if (start.every(isTextOctet)) return 'is a text file, not a pcap or pcapng capture';
  const magic = Array.from(bytes.subarray(0, 4), (octet) => octet.toString(16).padStart(2, '0')).join(' ');
  return `is neither pcap nor pcapng nor MRT: it begins with ${magic}`;
}

function isTextOctet(octet: number): boolean {
  return octet === 9 || octet === 10 || octet === 13 || (octet >= 32 && octet < 127);
}
