/** Messages that are posted on queue pairs, in order: which packets they are, and who asked. Rows are used again. */
import { grown } from '../../core/net/grown.js';

const NONE = -1;

export class Messages {
  /** The sequence number of its first packet, and the one after its last. */
  start = new Int32Array(64);
  end = new Int32Array(64);
  /** Payload of its last packet, octets. */
  lastOctets = new Int32Array(64);
  /** The next message of the same queue pair. */
  next = new Int32Array(64);
  /** What the workload knows it by. */
  tag = new Int32Array(64);
  private size = 0;
  private readonly free: number[] = [];

  add(end: number, lastOctets: number, tag: number): number {
    const message = this.free.pop() ?? this.size++;
    if (message >= this.end.length) this.grow();
    this.end[message] = end;
    this.lastOctets[message] = lastOctets;
    this.next[message] = NONE;
    this.tag[message] = tag;
    return message;
  }

  remove(message: number): void {
    this.free.push(message);
  }

  private grow(): void {
    const length = this.end.length * 2;
    this.start = grown(this.start, length);
    this.end = grown(this.end, length);
    this.lastOctets = grown(this.lastOctets, length);
    this.next = grown(this.next, length);
    this.tag = grown(this.tag, length);
  }
}
