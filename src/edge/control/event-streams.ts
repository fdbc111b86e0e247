/**
 * The clients that follow events. None of them holds up another or the daemon: what one does not take is counted, and it is told how much it
 * missed; one that takes nothing for a minute is left.
 */
import type { ServerResponse } from 'node:http';
import { type ControlEvent, type EventKind, eventFrame } from './events.js';
import type { ControlHandlers } from './schema.js';
import { ServerSentStream } from './server-sent-stream.js';

export const MOST_STREAMS = 32;

export class EventStreams {
  readonly #streams = new Set<EventStream>();

  constructor(private readonly handlers: Pick<ControlHandlers, 'watch'>) {}

  get full(): boolean {
    return this.#streams.size >= MOST_STREAMS;
  }

  /** Until the client leaves. */
  add(response: ServerResponse, kinds: readonly EventKind[]): void {
    const stream = new EventStream(response);
    this.#streams.add(stream);
    const wanted: ReadonlySet<string> = new Set([...kinds, 'lost']);
    const unwatch = this.handlers.watch((event) => {
      if (wanted.has(event.kind)) stream.tell(event);
    });
    response.once('close', () => {
      unwatch();
      this.#streams.delete(stream);
    });
  }

  /** Clients hear that it is the end. */
  close(): void {
    for (const stream of this.#streams) stream.end();
  }
}

class EventStream {
  readonly #stream: ServerSentStream;
  #lost = 0;

  constructor(response: ServerResponse) {
    this.#stream = new ServerSentStream(response, { onDrain: () => this.#tellLost() });
  }

  tell(event: ControlEvent): void {
    if (this.#stream.isBehind) {
      this.#lost++;
      return;
    }
    this.#tellLost();
    this.#stream.write(eventFrame(event));
  }

  end(): void {
    this.#stream.end();
  }

  #tellLost(): void {
    if (this.#lost === 0) return;
    const event = { kind: 'lost', at: new Date().toISOString(), of: 'any', events: this.#lost } as const;
    this.#lost = 0;
    this.#stream.write(eventFrame(event));
  }
}
