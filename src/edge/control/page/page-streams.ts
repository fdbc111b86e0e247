/** The browsers that follow a page. One that is slow misses what came in between, and is told how things are when it takes again. */
import type { ServerResponse } from 'node:http';
import { ServerSentStream } from '../server-sent-stream.js';
import type { PageBoard } from './page-board.js';
import type { PageLinkState, PageMessage, RouterState } from './shapes.js';

export const MOST_PAGES = 32;

export class PageStreams {
  readonly #streams = new Set<PageStream>();

  get full(): boolean {
    return this.#streams.size >= MOST_PAGES;
  }

  /** Until the browser leaves; `leave` is called then. */
  add(response: ServerResponse, board: PageBoard, leave: () => void): void {
    const stream = new PageStream(response);
    this.#streams.add(stream);
    for (const message of board.whole()) stream.write(message);
    const unwatch = board.watch((message) => stream.tell(message));
    response.once('close', () => {
      unwatch();
      this.#streams.delete(stream);
      leave();
    });
  }

  close(): void {
    for (const stream of this.#streams) stream.end();
  }
}

class PageStream {
  readonly #stream: ServerSentStream;
  readonly #routers = new Map<string, RouterState>();
  readonly #links = new Map<string, PageLinkState>();
  #lost = 0;

  constructor(response: ServerResponse) {
    const aliveFrame = frameOf({ kind: 'alive' });
    this.#stream = new ServerSentStream(response, { onDrain: () => this.#catchUp(), aliveFrame });
  }

  write(message: PageMessage): void {
    this.#stream.write(frameOf(message));
  }

  tell(message: PageMessage): void {
    if (!this.#stream.isBehind || message.kind === 'fabric') {
      this.#catchUp();
      return this.write(message);
    }
    if (message.kind === 'event') this.#lost++;
    if (message.kind !== 'update') return;
    for (const router of message.routers) this.#routers.set(router.name, router);
    for (const link of message.links) this.#links.set(link.name, link);
  }

  end(): void {
    this.#stream.end();
  }

  #catchUp(): void {
    if (this.#routers.size + this.#links.size > 0) {
      this.write({ kind: 'update', routers: [...this.#routers.values()], links: [...this.#links.values()] });
      this.#routers.clear();
      this.#links.clear();
    }
    if (this.#lost > 0) {
      const event = { kind: 'lost', at: new Date().toISOString(), of: 'any', events: this.#lost } as const;
      this.#lost = 0;
      this.write({ kind: 'event', router: null, event });
    }
  }
}

function frameOf(message: PageMessage): string {
  return `data: ${JSON.stringify(message)}\n\n`;
}
