/**
 * What every router has told each neighbour in the session that is up, from the UPDATEs that it sent: kept beside the tables of the router,
 * to be held against what the neighbour has. Some things are wrong the moment they are said.
 */
import { formatAddress } from '../core/net/address.js';
import type { AsNumber } from '../core/net/as-number.js';
import type { SessionWatcher, WatchedSession } from '../core/speaker/session-watcher.js';
import { hex, type UpdateContents, updateContents } from './update-contents.js';
import type { Violation } from './violation.js';

const HEADER = 19;
const UPDATE = 2;
const ROUTE_REFRESH = 5;
const AS_PATH = 2;
const AIGP = 26;
/** MULTI_EXIT_DISC of ours, LOCAL_PREF, ORIGINATOR_ID, CLUSTER_LIST: not for external neighbours (RFC 4271 section 5.1, RFC 4456 section 8). */
const INTERNAL = [4, 5, 9, 10];

export interface LedgerOptions {
  asnOf(router: string): AsNumber;
  found(violation: Violation): void;
}

/** One direction of a session. */
export interface Told {
  readonly remoteAs: AsNumber;
  /** By prefix, what was said with it. */
  readonly routes: Map<string, string>;
  /** Of these the neighbour has asked for once more. */
  asked: Set<string>;
}

export class Ledger {
  private readonly told = new Map<string, Told>();
  updates = 0;

  constructor(private readonly options: LedgerOptions) {}

  /** What a router has told the neighbour on an interface; absent without a session. */
  of(router: string, session: WatchedSession): Told | undefined {
    return this.told.get(keyOf(router, session));
  }

  watcher(router: string): SessionWatcher {
    return {
      established: (session, { remoteAs }) =>
        void this.told.set(keyOf(router, session), { remoteAs, routes: new Map(), asked: new Set() }),
      down: (session) => void this.told.delete(keyOf(router, session)),
      received: (session, type) => {
        const told = type === ROUTE_REFRESH ? this.of(router, session) : undefined;
        if (told) told.asked = new Set(told.routes.keys());
      },
      sent: (session, message) => {
        if (message[HEADER - 1] === UPDATE) this.take(router, session, message.subarray(HEADER));
      },
    };
  }

  private take(router: string, session: WatchedSession, body: Uint8Array): void {
    const told = this.of(router, session);
    const place = `${router} to ${session.name}`;
    this.updates++;
    if (!told) return this.options.found({ invariant: 'told-once', place, detail: 'an UPDATE without a session' });
    const contents = updateContents(body);
    for (const prefix of contents.withdrawn)
      if (!told.routes.delete(prefix))
        this.options.found({ invariant: 'told-once', place, detail: `${prefix} withdrawn, which was not announced` });
    if (contents.announced.length === 0) return;
    const said = textOf(contents);
    for (const prefix of contents.announced) {
      if (told.routes.get(prefix) === said && !told.asked.delete(prefix))
        this.options.found({ invariant: 'told-once', place, detail: `${prefix} announced twice alike: ${said}` });
      told.routes.set(prefix, said);
    }
    const wrong = this.wrong(router, session, { contents, told });
    if (wrong !== undefined) this.options.found({ invariant: 'told-rightly', place, detail: wrong });
  }

  private wrong(
    router: string,
    session: WatchedSession,
    { contents: { attributes }, told }: { readonly contents: UpdateContents; readonly told: Told },
  ): string | undefined {
    const internal = INTERNAL.find((type) => attributes.has(type));
    if (internal !== undefined) return `attribute ${internal} to an external neighbour`;
    const { config } = session.place as { readonly config: { readonly aigp?: boolean | 'internal' } };
    if (attributes.has(AIGP) && config.aigp !== true) return 'AIGP on a session without (RFC 7311 section 3.2)';
    const path = asPath(attributes.get(AS_PATH));
    const own = this.options.asnOf(router);
    if (path[0] !== own) return `AS_PATH ${path.join(' ')} does not begin with ${own}`;
    if (path.indexOf(own, 1) > 0 || path.includes(told.remoteAs))
      return `AS_PATH ${path.join(' ')} to AS ${told.remoteAs}`;
    return undefined;
  }
}

function keyOf(router: string, { name, address }: WatchedSession): string {
  return `${router} ${name} ${formatAddress(address)}`;
}

function textOf({ attributes }: UpdateContents): string {
  return [...attributes].map(([type, value]) => `${type}:${hex(value)}`).join(' ');
}

function asPath(octets: Uint8Array = new Uint8Array(0)): number[] {
  const path: number[] = [];
  for (let at = 0; at < octets.length; ) {
    const count = octets[at + 1]!;
    for (let index = 0; index < count; index++) {
      const start = at + 2 + 4 * index;
      path.push(new DataView(octets.buffer, octets.byteOffset + start, 4).getUint32(0));
    }
    at += 2 + 4 * count;
  }
  return path;
}
