/** Reads capture and MRT files from disk (or standard input) for replay. */
import { readFileSync } from 'node:fs';
import { isMrt, type MrtFile, readMrt } from '../../core/wire/mrt/read-mrt.js';
import type { Capture } from '../../core/wire/pcap/capture.js';
import { readCapture } from '../../core/wire/pcap/read-capture.js';

/** Words for the file errors that people meet; others keep the system's own code. */
const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'is a folder, not a capture',
  EACCES: 'permission denied',
  ERR_FS_FILE_TOO_LARGE: 'is larger than 2 GiB; cut it first (editcap -c)',
};

/** The capture or the records in `file` (`-`: standard input), or one line that says why there are none. */
export function readCaptureFile(file: string): Capture | MrtFile | string {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return `${file}: ${FILE_ERRORS[code] ?? code}`;
  }
  const capture = readCapture(bytes);
  if (capture.format === 'none' && isMrt(bytes)) return readMrt(bytes);
  return capture.format === 'none' ? `${file}: ${capture.reason}` : capture;
}
