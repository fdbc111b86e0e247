/**
 * A file that records are appended to while the daemon runs. It never makes anybody wait: what a slow disk has not taken is
 * held up to a limit, and what comes beyond that is dropped and counted. `PATH` becomes `PATH.1` when it is full, and is
 * opened anew when it was moved away (SIGHUP).
 */

import { createWriteStream, openSync, renameSync, statSync, type WriteStream } from 'node:fs';
import { counted } from '../../core/net/counted.js';
import type { EventLog } from '../../core/ports/event-log.js';

/** Octets that wait for the disk. */
const HELD = 8 * 1024 * 1024;

export interface AppendFileOptions {
  readonly path: string;
  /** Octets at which the file is put aside; 0 never. */
  readonly maximum: number;
  readonly log: EventLog;
  /** Octets that may wait for the disk. */
  readonly held?: number;
}

export class AppendFile {
  /** Records that were lost. */
  dropped = 0;
  /** Absent when the file cannot be written. */
  private stream: WriteStream | undefined;
  private size: number;

  constructor(private readonly options: AppendFileOptions) {
    this.size = sizeOf(options.path);
    this.stream = this.open();
  }

  append(record: Uint8Array): void {
    const { path, maximum, held = HELD } = this.options;
    if (maximum > 0 && this.size > 0 && this.size + record.length > maximum) this.putAside(path);
    if (!this.stream || this.stream.writableLength + record.length > held) return this.drop();
    this.size += record.length;
    this.stream.write(record);
  }

  /** Goes on in a new file at the same path, for whoever moved the old one away. */
  reopen(): void {
    this.stream?.end();
    this.size = sizeOf(this.options.path);
    this.stream = this.open();
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      if (!this.stream) return resolve();
      this.stream.end(() => resolve());
    });
  }

  private putAside(path: string): void {
    try {
      renameSync(path, `${path}.1`);
    } catch (error) {
      const gone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      // Where the folder is not ours the file goes on growing; the next try is a whole file later.
      if (!gone) {
        this.size = 0;
        return;
      }
    }
    this.reopen();
  }

  /** Opened before anybody may move the path away; `undefined` when it cannot be. */
  private open(): WriteStream | undefined {
    const { path } = this.options;
    try {
      const stream = createWriteStream(path, { fd: openSync(path, 'a', 0o640) });
      stream.on('error', (error) => {
        if (stream === this.stream) this.fail(error);
      });
      return stream;
    } catch (error) {
      this.fail(error);
      return undefined;
    }
  }

  private fail(error: unknown): void {
    this.stream = undefined;
    const reason = error instanceof Error ? error.message : String(error);
    const message = `${this.options.path}: ${reason}; nothing is recorded until SIGHUP`;
    this.options.log.write({ level: 'error', topic: 'mrt', message });
  }

  /** Said ever more seldom. */
  private drop(): void {
    const dropped = ++this.dropped;
    if ((dropped & (dropped - 1)) !== 0 || !this.stream) return;
    const message = `${this.options.path}: the disk is too slow, ${counted(dropped, 'record')} dropped so far`;
    this.options.log.write({ level: 'warn', topic: 'mrt', message });
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
