/** Follows the page's stream, again and again: a daemon may restart, a laptop may sleep. What it told last stays, and is said to be old. */
import type { PageMessage } from '../../edge/control/page/shapes.js';
import { EMPTY, type Model, next, restarted } from '../model.js';

/** Milliseconds: the server says something every four seconds. */
const PATIENCE = 10_000;
const RETRY = 1500;

export interface Connection {
  readonly state: 'connecting' | 'live' | 'lost';
  /** Of the last message; milliseconds since 1970. */
  readonly heardAt: number | undefined;
}

export interface Followed {
  readonly model: Model;
  readonly connection: Connection;
}

/** `tell` is called at most once for each picture that the screen shows. */
export function follow(tell: (followed: Followed) => void): void {
  let followed: Followed = { model: EMPTY, connection: { state: 'connecting', heardAt: undefined } };
  let waiting = false;
  const change = (part: Partial<Followed>): void => {
    followed = { ...followed, ...part };
    if (waiting) return;
    waiting = true;
    // A hidden page is drawn no frames; it is to be right when it is looked at again.
    const later = document.hidden ? (work: () => void) => setTimeout(work, 250) : requestAnimationFrame;
    later(() => {
      waiting = false;
      tell(followed);
    });
  };
  const begin = (): void => {
    const source = new EventSource('/page/stream');
    let patience: ReturnType<typeof setTimeout>;
    const lose = (): void => {
      clearTimeout(patience);
      source.close();
      change({ connection: { ...followed.connection, state: 'lost' } });
      setTimeout(begin, RETRY);
    };
    const wait = (): void => {
      clearTimeout(patience);
      patience = setTimeout(lose, PATIENCE);
    };
    wait();
    source.onopen = () => change({ model: restarted(followed.model) });
    source.onerror = lose;
    source.onmessage = ({ data }: MessageEvent<string>) => {
      wait();
      const message: PageMessage = JSON.parse(data);
      if (isOther(followed.model, message)) return location.reload();
      change({ model: next(followed.model, message), connection: { state: 'live', heardAt: Date.now() } });
    };
  };
  begin();
}

/** The server is another version, which has another page. */
function isOther({ fabric }: Model, message: PageMessage): boolean {
  return message.kind === 'fabric' && fabric !== undefined && fabric.version !== message.version;
}
