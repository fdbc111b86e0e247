/** One number for all that was sent in a run, and when, by whom and in which order: two runs that are the same have the same. */
import { createHash } from 'node:crypto';

export class Digest {
  private readonly hash = createHash('sha256');
  messages = 0;

  add(time: number, kind: string, sender: Uint8Array, octets: Uint8Array): void {
    this.messages++;
    this.hash.update(`${time} ${kind} `);
    this.hash.update(sender);
    this.hash.update(octets);
  }

  /** So far. */
  get value(): string {
    return this.hash.copy().digest('hex').slice(0, 16);
  }
}
