/**
 * One client of server-sent events (WHATWG HTML, section 9.2) that holds up nobody: what it does not take is refused here, and it is left when it takes
 * nothing for a minute.
 */
import type { ServerResponse } from 'node:http';
import { ALIVE_FRAME } from './events.js';

/** Octets that wait for a client. */
const MOST_WAITING = 262_144;
/** Milliseconds between two signs of life, well below the patience of clients. */
const ALIVE_INTERVAL = 4000;
/** Of those, in which nothing was taken. */
const MOST_STUCK = 15;

export interface StreamOptions {
  /** It takes again, after something was refused or not. */
  readonly onDrain: () => void;
  readonly aliveFrame?: string;
}

export class ServerSentStream {
  readonly #timer: NodeJS.Timeout;
  #stuck = 0;

  constructor(
    private readonly response: ServerResponse,
    { onDrain, aliveFrame = ALIVE_FRAME }: StreamOptions,
  ) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.flushHeaders();
    this.#timer = setInterval(() => this.#lives(aliveFrame), ALIVE_INTERVAL).unref();
    response.on('error', () => response.destroy());
    response.on('drain', () => {
      this.#stuck = 0;
      onDrain();
    });
    response.once('close', () => clearInterval(this.#timer));
  }

  get isBehind(): boolean {
    return this.response.writableLength > MOST_WAITING;
  }

  write(frame: string): void {
    this.response.write(frame);
  }

  end(): void {
    this.response.end();
  }

  #lives(frame: string): void {
    if (this.response.writableLength === 0) {
      this.#stuck = 0;
      this.response.write(frame);
    } else if (++this.#stuck >= MOST_STUCK) this.response.destroy();
  }
}
