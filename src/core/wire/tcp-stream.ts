/**
 * One direction of a captured TCP connection put back in order (RFC 9293 section 3.4: sequence numbers are modulo 2^32).
 * tcp-reassembly.ts owns two of these per connection. The bytes seen first win over a retransmission that differs. What the
 * capture never saw becomes a hole as soon as the other side acknowledges it, or when too much waits behind it.
 */

/** `Origin` is what the caller knows a segment by. */
export type StreamOutput<Origin> =
  /** `origin`: the segment that made these octets deliverable. */
  | { readonly kind: 'data'; readonly bytes: Uint8Array; readonly origin: Origin }
  /** Octets that were sent but not captured; `origin`: the first segment behind them. */
  | { readonly kind: 'hole'; readonly octets: number; readonly origin: Origin }
  /** Everything before the FIN was delivered. */
  | { readonly kind: 'end' };

interface Piece<Origin> {
  readonly sequence: number;
  readonly bytes: Uint8Array;
  readonly origin: Origin;
}

/** Octets that may wait behind a gap nobody acknowledged (only one direction captured) before it counts as a hole. */
const WAITING_LIMIT_OCTETS = 1 << 20;
const WAITING_LIMIT_PIECES = 256;

export class TcpStream<Origin> {
  /** Sequence number of the next octet to deliver; `undefined` until known. */
  private next: number | undefined;
  /** In sequence order, not overlapping, all beyond `next`. */
  private waiting: Piece<Origin>[] = [];
  private fin: { readonly sequence: number; readonly origin: Origin } | undefined;
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
  accept(sequence: number, payload: Uint8Array, origin: Origin): StreamOutput<Origin>[] {
    if (payload.length === 0) return [];
    this.next ??= sequence;
    this.insert({ sequence, bytes: payload, origin });
    const outputs: StreamOutput<Origin>[] = [];
    this.deliverInOrder(outputs, origin);
    this.deliverRest(outputs);
    return outputs;
  }

  /** The FIN's own sequence number: one beyond the last octet of data. */
  finish(sequence: number, origin: Origin): StreamOutput<Origin>[] {
    this.next ??= sequence;
    this.fin ??= { sequence: sequence >>> 0, origin };
    const outputs: StreamOutput<Origin>[] = [];
    this.deliverRest(outputs);
    return outputs;
  }

  /** The other side has received everything before `sequence`. */
  acknowledge(sequence: number): StreamOutput<Origin>[] {
    this.acknowledged = sequence;
    const outputs: StreamOutput<Origin>[] = [];
    this.deliverRest(outputs);
    return outputs;
  }

  /** Delivers what waits behind gaps: nothing more will come. */
  flush(): StreamOutput<Origin>[] {
    const outputs: StreamOutput<Origin>[] = [];
    while (this.waiting.length > 0) this.deliverBehindGap(outputs);
    return outputs;
  }

  private insert({ sequence, bytes, origin }: Piece<Origin>): void {
    const next = this.next!;
    const start = distance(next, sequence);
    const end = start + bytes.length;
    const pieces: Piece<Origin>[] = [];
    const fill = (from: number, to: number): void => {
      if (from >= to) return;
      pieces.push({ sequence: (next + from) >>> 0, bytes: bytes.subarray(from - start, to - start), origin });
    };
    let from = Math.max(start, 0);
    for (const piece of this.waiting) {
      const pieceStart = distance(next, piece.sequence);
      fill(from, Math.min(pieceStart, end));
      from = Math.max(from, pieceStart + piece.bytes.length);
      pieces.push(piece);
    }
    fill(from, end);
    this.waiting = pieces.sort((a, b) => distance(next, a.sequence) - distance(next, b.sequence));
  }

  /** Holes, and the FIN once nothing is missing before it. */
  private deliverRest(outputs: StreamOutput<Origin>[]): void {
    while (this.waiting.length > 0 && this.gapIsHole()) this.deliverBehindGap(outputs);
    if (this.ended || this.fin === undefined || this.waiting.length > 0) return;
    const missing = distance(this.next!, this.fin.sequence);
    const acknowledged = this.acknowledged !== undefined && distance(this.fin.sequence, this.acknowledged) >= 0;
    if (missing > 0 && !acknowledged) return;
    if (missing > 0) this.skipTo(this.fin, outputs);
    outputs.push({ kind: 'end' });
    this.ended = true;
  }

  private deliverBehindGap(outputs: StreamOutput<Origin>[]): void {
    this.skipTo(this.waiting[0]!, outputs);
    this.deliverInOrder(outputs);
  }

  /** `filler`: the segment that closed the gap before what waited; without one each piece stands for itself. */
  private deliverInOrder(outputs: StreamOutput<Origin>[], filler?: Origin): void {
    let delivered = 0;
    for (const { sequence, bytes, origin } of this.waiting) {
      if (sequence !== this.next) break;
      outputs.push({ kind: 'data', bytes, origin: filler ?? origin });
      this.next = (sequence + bytes.length) >>> 0;
      delivered += 1;
    }
    this.waiting = this.waiting.slice(delivered);
  }

  private gapIsHole(): boolean {
    const first = this.waiting[0]!.sequence;
    if (this.acknowledged !== undefined && distance(first, this.acknowledged) >= 0) return true;
    if (this.waiting.length > WAITING_LIMIT_PIECES) return true;
    return this.waiting.reduce((sum, piece) => sum + piece.bytes.length, 0) > WAITING_LIMIT_OCTETS;
  }

  private skipTo(target: Pick<Piece<Origin>, 'sequence' | 'origin'>, outputs: StreamOutput<Origin>[]): void {
    outputs.push({ kind: 'hole', octets: distance(this.next!, target.sequence), origin: target.origin });
    this.next = target.sequence;
  }
}

/** How far `to` lies beyond `from`; negative when it lies before. */
function distance(from: number, to: number): number {
  return (to - from) | 0;
}
