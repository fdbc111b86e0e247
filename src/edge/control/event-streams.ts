/**
 * The clients that follow events. None of them holds up another or the daemon: what one does not take is counted, and it is told how much it
 * missed; one that takes nothing for a minute is left.
 */
import type { ServerResponse } from 'node:http';
import { ALIVE_FRAME, type ControlEvent, type EventKind, eventFrame } from './events.js';
import type { ControlHandlers } from './schema.js';

export const MOST_STREAMS = 32;
/** Octets that wait for a client. */
const MOST_WAITING = 262_144;
/** Milliseconds between two signs of life, well below the patience of clients. */
const ALIVE_INTERVAL = 4000;
/** Of those, in which nothing was taken. */
const MOST_STUCK = 15;

export class EventStreams {
  readonly #streams = new Set<EventStream>();

  constructor(private readonly handlers: Pick<ControlHandlers, 'watch'>) {}

  get full(): boolean {
    return this.#streams.size >= MOST_STREAMS;
  }

  /** Until the client leaves. */
  add(response: ServerResponse, kinds: readonly EventKind[]): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.flushHeaders();
    const stream = new EventStream(response);
    this.#streams.add(stream);
    const wanted: ReadonlySet<string> = new Set([...kinds, 'lost']);
    const unwatch = this.handlers.watch((event) => {
      if (wanted.has(event.kind)) stream.tell(event);
    });
    response.once('close', () => {
      unwatch();
      stream.ended();
      this.#streams.delete(stream);
    });
  }

  /** Clients hear that it is the end. */
  close(): void {
    for (const stream of this.#streams) stream.end();
  }
}

class EventStream {
  readonly #timer: NodeJS.Timeout;
  #lost = 0;
  #stuck = 0;

  constructor(private readonly response: ServerResponse) {
    this.#timer = setInterval(() => this.#lives(), ALIVE_INTERVAL).unref();
    response.on('error', () => response.destroy());
    response.on('drain', () => {
      this.#stuck = 0;
      this.#tellLost();
    });
  }

  tell(event: ControlEvent): void {
    if (this.response.writableLength > MOST_WAITING) {
      this.#lost++;
      return;
    }
    this.#tellLost();
    this.response.write(eventFrame(event));
  }

  end(): void {
    this.response.end();
  }

  ended(): void {
    clearInterval(this.#timer);
  }

  #tellLost(): void {
    if (this.#lost === 0) return;
    const event = { kind: 'lost', at: new Date().toISOString(), of: 'any', events: this.#lost } as const;
    this.#lost = 0;
    this.response.write(eventFrame(event));
  }

  #lives(): void {
    if (this.response.writableLength === 0) {
      this.#stuck = 0;
      this.response.write(ALIVE_FRAME);
    } else if (++this.#stuck >= MOST_STUCK) this.response.destroy();
  }
}
