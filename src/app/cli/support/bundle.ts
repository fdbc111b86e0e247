/**
 * An archive that is filled with what can be had: each part is asked for within a time, cut at a size, cleaned of secrets, and named as missing,
 * with the reason, where it cannot be had. MANIFEST.json says what is in it.
 */
import { createTarGzip } from 'nanotar';
import { Scrubber } from './secrets.js';

/** Octets of a part, and of all parts together. */
const LARGEST_PART = 8 * 1024 * 1024;
const LARGEST = 64 * 1024 * 1024;
/** Milliseconds for a part, and for all of them. */
const PATIENCE = 30_000;
const WHOLE_PATIENCE = 120_000;

export interface Part {
  /** In the archive: `show/summary.json`. */
  readonly name: string;
  readonly read: () => Promise<string> | string;
}

interface Entry {
  readonly name: string;
  readonly text: string;
}

interface Missing {
  readonly name: string;
  readonly why: string;
}

export class Bundle {
  private readonly entries: Entry[] = [];
  private readonly missing: Missing[] = [];
  private readonly cut: string[] = [];
  private readonly deadline = performance.now() + WHOLE_PATIENCE;
  private octets = 0;
  private scrubber = new Scrubber([]);

  /** Names of what is not in it, with the reasons. */
  get absent(): readonly Missing[] {
    return this.missing;
  }

  /** One after the other, so that a machine in trouble is not asked everything at once. */
  async add(parts: readonly Part[]): Promise<void> {
    for (const part of parts) await this.addOne(part);
  }

  /** From now on these are nowhere to be left, beside what looks like a secret by itself. */
  hide(secrets: readonly string[]): void {
    this.scrubber = new Scrubber(secrets);
  }

  /** Cut where it is too long, cleaned before that: half a secret would not be known any more. */
  keep({ name, text }: Entry): void {
    const room = Math.min(LARGEST_PART, LARGEST - this.octets);
    const clean = this.scrubber.scrub(text);
    if (clean.length > room) this.cut.push(name);
    const kept = clean.slice(0, room);
    this.octets += kept.length;
    this.entries.push({ name: this.scrubber.scrub(name), text: kept });
  }

  lacks(name: string, why: string): void {
    this.missing.push({ name: this.scrubber.scrub(name), why: this.scrubber.scrub(why) });
  }

  /** A tar.gz, all in one folder. @param facts what MANIFEST.json says beside the list */
  archive(folder: string, facts: object): Promise<Uint8Array> {
    const names = this.entries.map(({ name }) => name);
    const manifest = { ...facts, files: names, cut: this.cut, missing: this.missing };
    const all = [...this.entries, { name: 'MANIFEST.json', text: `${JSON.stringify(manifest, null, 2)}\n` }];
    const files = all.map(({ name, text }) => ({ name: `${folder}/${name}`, data: new TextEncoder().encode(text) }));
    return createTarGzip(files, { attrs: { mode: '600', uid: 0, gid: 0 } });
  }

  private async addOne({ name, read }: Part): Promise<void> {
    try {
      const text = await within(Math.min(PATIENCE, this.deadline - performance.now()), read);
      this.keep({ name, text });
    } catch (error) {
      this.lacks(name, error instanceof Error ? error.message : String(error));
    }
  }
}

function within(milliseconds: number, read: Part['read']): Promise<string> {
  if (milliseconds <= 0) return Promise.reject(new Error('the time for the whole archive was over'));
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`no answer within ${Math.round(milliseconds / 1000)} s`));
    const timer = setTimeout(late, milliseconds);
    Promise.resolve()
      .then(read)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
