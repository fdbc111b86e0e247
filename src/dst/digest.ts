/** One number for all that was sent in a run, and when, by whom and in which order: two runs that are the same have the same. */
import { createHash } from 'node:crypto';

/** Octets that are hashed at a time: a call for each message costs more than hashing it. */
const BLOCK = 65_536;

export class Digest {
  private readonly hash = createHash('sha256');
  private readonly block = Buffer.allocUnsafe(BLOCK);
  private filled = 0;
  messages = 0;

  add(time: number, kind: string, sender: Uint8Array, octets: Uint8Array): void {
    this.messages++;
    const head = `${time} ${kind} `;
    if (this.filled + head.length + sender.length + octets.length > BLOCK) this.flush();
    this.filled += this.block.write(head, this.filled, 'latin1');
    this.append(sender);
    this.append(octets);
  }

  /** So far. */
  get value(): string {
    this.flush();
    return this.hash.copy().digest('hex').slice(0, 16);
  }

  private append(octets: Uint8Array): void {
    this.block.set(octets, this.filled);
    this.filled += octets.length;
  }

  private flush(): void {
    this.hash.update(this.block.subarray(0, this.filled));
    this.filled = 0;
  }
}
