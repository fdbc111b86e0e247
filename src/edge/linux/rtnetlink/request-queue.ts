/**
 * Requests waiting for the kernel: cut into datagrams, a few of them in flight, answers matched by sequence number.
 * One datagram is one system call in which the kernel handles all its messages, so its size bounds how long
 * the event loop stands still.
 */
import { DatagramWriter, FLAG, type NetlinkError, type NetlinkRequest, octetsOf } from './message.js';

const MESSAGES_PER_DATAGRAM = 50;
const OCTETS_PER_DATAGRAM = 32 * 1024;
const DATAGRAMS_IN_FLIGHT = 8;

export interface NetlinkFailure extends NetlinkError {
  /** Place of the failed request in the batch. */
  readonly index: number;
}

interface Batch {
  readonly failures: NetlinkFailure[];
  unanswered: number;
  readonly resolve: (failures: readonly NetlinkFailure[]) => void;
  readonly reject: (error: Error) => void;
}

/** The part of a batch that goes out in one datagram. */
interface Chunk {
  readonly batch: Batch;
  readonly requests: readonly NetlinkRequest[];
  /** Index in the batch of the first request. */
  readonly start: number;
  /** Sequence number of the first request; 0 until sent. */
  first: number;
}

export class RequestQueue {
  private readonly waiting: Chunk[] = [];
  private readonly inFlight: Chunk[] = [];

  constructor(
    private readonly send: (datagram: Uint8Array) => void,
    private readonly takeSequence: (count: number) => number,
  ) {}

  add(requests: readonly NetlinkRequest[]): Promise<readonly NetlinkFailure[]> {
    if (requests.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const batch: Batch = { failures: [], unanswered: 0, resolve, reject };
      for (const [start, end] of cuts(requests)) {
        this.waiting.push({ batch, requests: requests.slice(start, end), start, first: 0 });
        batch.unanswered++;
      }
      this.pump();
    });
  }

  /** The kernel answered the request with this sequence number: an error, or the acknowledgement of a datagram's last one. */
  answered(sequence: number, error: NetlinkError | undefined): void {
    const chunk = this.inFlight.find(({ first, requests }) => sequence >= first && sequence < first + requests.length);
    if (!chunk) return;
    const offset = sequence - chunk.first;
    if (error) chunk.batch.failures.push({ index: chunk.start + offset, ...error });
    if (offset === chunk.requests.length - 1) this.finished(chunk);
  }

  /** Rejects everything that was not answered. */
  abandon(error: Error): void {
    const batches = new Set([...this.inFlight, ...this.waiting].map(({ batch }) => batch));
    this.inFlight.length = 0;
    this.waiting.length = 0;
    for (const batch of batches) batch.reject(error);
  }

  private finished(chunk: Chunk): void {
    this.inFlight.splice(this.inFlight.indexOf(chunk), 1);
    const { batch } = chunk;
    if (--batch.unanswered === 0) batch.resolve(batch.failures);
    this.pump();
  }

  private pump(): void {
    while (this.inFlight.length < DATAGRAMS_IN_FLIGHT) {
      const chunk = this.waiting.shift();
      if (!chunk) return;
      chunk.first = this.takeSequence(chunk.requests.length);
      this.inFlight.push(chunk);
      this.send(encode(chunk));
    }
  }
}

/** Start and end of each datagram's requests. Without iterators, as is what follows: 100,000 routes come in one burst. */
function cuts(requests: readonly NetlinkRequest[]): [number, number][] {
  const found: [number, number][] = [];
  let start = 0;
  let octets = 0;
  for (let index = 0; index < requests.length; index++) {
    const length = octetsOf(requests[index]!.payload);
    if (index > start && (index - start === MESSAGES_PER_DATAGRAM || octets + length > OCTETS_PER_DATAGRAM)) {
      found.push([start, index]);
      start = index;
      octets = 0;
    }
    octets += length;
  }
  found.push([start, requests.length]);
  return found;
}

function encode({ requests, first }: Chunk): Uint8Array {
  let octets = 0;
  for (let place = 0; place < requests.length; place++) octets += octetsOf(requests[place]!.payload);
  const datagram = new DatagramWriter(octets);
  const last = requests.length - 1;
  for (let place = 0; place <= last; place++)
    datagram.append(requests[place]!, first + place, place === last ? FLAG.ack : 0);
  return datagram.bytes;
}
