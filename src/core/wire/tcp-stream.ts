/**
 * One direction of a captured TCP connection put back in order (RFC 9293 section 3.4: sequence numbers are modulo 2^32).
 * tcp-reassembly.ts owns two of these per connection. The bytes seen first win over a retransmission that differs. What the
 * capture never saw becomes a hole as soon as the other side acknowledges it, or when too much waits behind it.
 */

export type StreamOutput =
  | { readonly kind: 'data'; readonly bytes: Uint8Array }
  /** Octets that were sent but not captured. */
  | { readonly kind: 'hole'; readonly octets: number }
  /** Everything before the FIN was delivered. */
  | { readonly kind: 'end' };

interface Piece {
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

/** Octets that may wait behind a gap nobody acknowledged (only one direction captured) before it counts as a hole. */
const WAITING_LIMIT_OCTETS = 1 << 20;
const WAITING_LIMIT_PIECES = 256;

export class TcpStream {
  /** Sequence number of the next octet to deliver; `undefined` until known. */
  private next: number | undefined;
  /** In sequence order, not overlapping, all beyond `next`. */
  private waiting: Piece[] = [];
  private finAt: number | undefined;
  private acknowledged: number | undefined;
  private ended = false;

  get started(): boolean {
    return this.next !== undefined;
  }

  /** `sequence` is the first octet of data: the initial sequence number plus one. */
  start(sequence: number): void {
    this.next = sequence >>> 0;
  }

  /** Whether a SYN whose data begins at `sequence` belongs to another, later connection. */
  contradicts(sequence: number): boolean {
    return this.next !== undefined && this.next !== sequence >>> 0;
  }

  /** Takes the captured part of a segment's payload; a stream met in the middle begins with the first payload seen. */
  accept(sequence: number, payload: Uint8Array): StreamOutput[] {
    if (payload.length === 0) return [];
    this.next ??= sequence;
    this.insert(sequence, payload);
    return this.deliver();
  }

  /** The FIN's own sequence number: one beyond the last octet of data. */
  finish(sequence: number): StreamOutput[] {
    this.next ??= sequence;
    this.finAt ??= sequence >>> 0;
    return this.deliver();
  }

  /** The other side has received everything before `sequence`. */
  acknowledge(sequence: number): StreamOutput[] {
    this.acknowledged = sequence;
    return this.waiting.length === 0 && this.finAt === undefined ? [] : this.deliver();
  }

  /** Delivers what waits behind gaps: nothing more will come. */
  flush(): StreamOutput[] {
    const outputs: StreamOutput[] = [];
    while (this.waiting.length > 0) {
      this.skipTo(this.waiting[0]!.sequence, outputs);
      this.deliverInOrder(outputs);
    }
    return outputs;
  }

  private insert(sequence: number, payload: Uint8Array): void {
    const next = this.next!;
    let from = distance(next, sequence);
    const to = from + payload.length;
    const origin = from;
    from = Math.max(from, 0);
    const pieces: Piece[] = [];
    for (const piece of this.waiting) {
      const start = distance(next, piece.sequence);
      if (from < Math.min(start, to)) {
        const end = Math.min(start, to);
        pieces.push({ sequence: (next + from) >>> 0, bytes: payload.subarray(from - origin, end - origin) });
      }
      from = Math.max(from, start + piece.bytes.length);
      pieces.push(piece);
    }
    if (from < to) pieces.push({ sequence: (next + from) >>> 0, bytes: payload.subarray(from - origin) });
    this.waiting = pieces.sort((a, b) => distance(next, a.sequence) - distance(next, b.sequence));
  }

  private deliver(): StreamOutput[] {
    const outputs: StreamOutput[] = [];
    this.deliverInOrder(outputs);
    while (this.waiting.length > 0 && this.gapIsHole()) {
      this.skipTo(this.waiting[0]!.sequence, outputs);
      this.deliverInOrder(outputs);
    }
    this.deliverEnd(outputs);
    return outputs;
  }

  private deliverInOrder(outputs: StreamOutput[]): void {
    let delivered = 0;
    for (const piece of this.waiting) {
      if (piece.sequence !== this.next) break;
      outputs.push({ kind: 'data', bytes: piece.bytes });
      this.next = (piece.sequence + piece.bytes.length) >>> 0;
      delivered += 1;
    }
    this.waiting = this.waiting.slice(delivered);
  }

  private deliverEnd(outputs: StreamOutput[]): void {
    if (this.ended || this.finAt === undefined || this.waiting.length > 0) return;
    const missing = distance(this.next!, this.finAt);
    const acknowledged = this.acknowledged !== undefined && distance(this.finAt, this.acknowledged) >= 0;
    if (missing > 0 && !acknowledged) return;
    if (missing > 0) this.skipTo(this.finAt, outputs);
    outputs.push({ kind: 'end' });
    this.ended = true;
  }

  private gapIsHole(): boolean {
    const first = this.waiting[0]!.sequence;
    if (this.acknowledged !== undefined && distance(first, this.acknowledged) >= 0) return true;
    if (this.waiting.length > WAITING_LIMIT_PIECES) return true;
    return this.waiting.reduce((sum, piece) => sum + piece.bytes.length, 0) > WAITING_LIMIT_OCTETS;
  }

  private skipTo(sequence: number, outputs: StreamOutput[]): void {
    outputs.push({ kind: 'hole', octets: distance(this.next!, sequence) });
    this.next = sequence;
  }
}

/** How far `to` lies beyond `from`; negative when it lies before. */
function distance(from: number, to: number): number {
  return (to - from) | 0;
}
