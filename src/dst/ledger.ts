/**
 * What every router has told each neighbour in the session that is up, from the UPDATEs that it sent: kept beside the tables of the router,
 * to be held against what the neighbour has. Some things are wrong the moment they are said.
 */
import { formatAddress } from '../core/net/address.js';
import type { AsNumber } from '../core/net/as-number.js';
import type { SessionWatcher, WatchedSession } from '../core/speaker/session-watcher.js';
import type { Heard, Misheard } from './bad-update.js';
import { hex, type UpdateContents, updateContents } from './update-contents.js';
import type { Violation } from './violation.js';

const HEADER = 19;
const UPDATE = 2;
const ROUTE_REFRESH = 5;
/** In the body of a ROUTE-REFRESH (RFC 7313 section 3.2): where its subtype is, a request, and the beginning of the answer. */
const SUBTYPE = 2;
const REQUEST = 0;
const BEGIN = 1;
const AS_PATH = 2;
const AIGP = 26;
/** MULTI_EXIT_DISC of ours, LOCAL_PREF, ORIGINATOR_ID, CLUSTER_LIST: not for external neighbours (RFC 4271 section 5.1, RFC 4456 section 8). */
const INTERNAL = [4, 5, 9, 10];

export interface LedgerOptions {
  asnOf(router: string): AsNumber;
  /** A neighbour's routes may come back to it over another way, where it does not use them (RFC 4271 section 9.1.2): it has several links, or there are superspines. */
  readonly returns: boolean;
  found(violation: Violation): void;
}

/** One direction of a session. */
export interface Told {
  readonly remoteAs: AsNumber;
  /** By prefix, what was said with it. */
  readonly routes: Map<string, string>;
  /** Of them those that the neighbour must not use, for its AS is in their path. */
  readonly refused: Set<string>;
  /** What the neighbour has heard of them, where that is something else, until they are told again. */
  readonly misheard: Map<string, Misheard>;
  /** Families (AFI) that the neighbour has asked for once more, and that are not begun again yet. */
  readonly owed: Set<number>;
  /** Of the routes those that are due once more. */
  again: Set<string>;
}

interface Said {
  readonly contents: UpdateContents;
  readonly path: readonly AsNumber[];
  readonly isRefused: boolean;
}

export class Ledger {
  private readonly told = new Map<string, Told>();
  updates = 0;
  /** Grows when something was misheard, or is not any more. */
  mishearings = 0;

  constructor(private readonly options: LedgerOptions) {}

  /** What a router has told the neighbour on an interface; absent without a session. */
  of(router: string, session: WatchedSession): Told | undefined {
    return this.told.get(keyOf(router, session));
  }

  hears(told: Told, prefix: string, heard: Heard): void {
    if (heard === 'told') this.heard(told, prefix);
    else {
      told.misheard.set(prefix, heard);
      this.mishearings++;
    }
  }

  private heard({ misheard }: Told, prefix: string): void {
    if (misheard.delete(prefix)) this.mishearings++;
  }

  /** A process that was killed says nothing of its sessions' end: it is known when the next are up. */
  private forget(router: string, session: WatchedSession): void {
    if ((this.of(router, session)?.misheard.size ?? 0) > 0) this.mishearings++;
    this.told.delete(keyOf(router, session));
  }

  watcher(router: string): SessionWatcher {
    return {
      established: (session, { remoteAs }) => {
        this.forget(router, session);
        const told = {
          remoteAs,
          routes: new Map(),
          refused: new Set<string>(),
          misheard: new Map(),
          owed: new Set<number>(),
          again: new Set<string>(),
        };
        this.told.set(keyOf(router, session), told);
      },
      down: (session) => this.forget(router, session),
      received: (session, type, body) => {
        if (type === ROUTE_REFRESH && body[SUBTYPE] === REQUEST) this.of(router, session)?.owed.add(afiOf(body));
      },
      sent: (session, message) => {
        const body = message.subarray(HEADER);
        if (message[HEADER - 1] === UPDATE) this.take(router, session, body);
        else if (message[HEADER - 1] === ROUTE_REFRESH) this.marks(router, session, body);
      },
    };
  }

  /** What a neighbour asks for before the first table is through comes behind that (RFC 7313 section 4): all of it is told twice. */
  private marks(router: string, session: WatchedSession, body: Uint8Array): void {
    const told = this.of(router, session);
    if (told && body[SUBTYPE] === BEGIN && told.owed.delete(afiOf(body))) told.again = new Set(told.routes.keys());
  }

  private take(router: string, session: WatchedSession, body: Uint8Array): void {
    const told = this.of(router, session);
    const place = `${router} to ${session.name}`;
    this.updates++;
    if (!told) return this.options.found({ invariant: 'told-once', place, detail: 'an UPDATE without a session' });
    const contents = updateContents(body);
    for (const prefix of [...contents.withdrawn, ...contents.announced]) this.heard(told, prefix);
    for (const prefix of contents.withdrawn) {
      told.refused.delete(prefix);
      if (!told.routes.delete(prefix))
        this.options.found({ invariant: 'told-once', place, detail: `${prefix} withdrawn, which was not announced` });
    }
    if (contents.announced.length === 0) return;
    const said = textOf(contents);
    const path = asPath(contents.attributes.get(AS_PATH));
    const isRefused = path.includes(told.remoteAs);
    for (const prefix of contents.announced) {
      if (isRefused) told.refused.add(prefix);
      else told.refused.delete(prefix);
      if (told.routes.get(prefix) === said && !told.again.delete(prefix))
        this.options.found({ invariant: 'told-once', place, detail: `${prefix} announced twice alike: ${said}` });
      told.routes.set(prefix, said);
    }
    const wrong = this.wrong(router, session, { contents, path, isRefused });
    if (wrong !== undefined) this.options.found({ invariant: 'told-rightly', place, detail: wrong });
  }

  private wrong(
    router: string,
    session: WatchedSession,
    { contents: { attributes }, path, isRefused }: Said,
  ): string | undefined {
    const internal = INTERNAL.find((type) => attributes.has(type));
    if (internal !== undefined) return `attribute ${internal} to an external neighbour`;
    const { config } = session.place as { readonly config: { readonly aigp?: boolean | 'internal' } };
    if (attributes.has(AIGP) && config.aigp !== true) return 'AIGP on a session without (RFC 7311 section 3.2)';
    const own = this.options.asnOf(router);
    if (path[0] !== own) return `AS_PATH ${path.join(' ')} does not begin with ${own}`;
    if (path.indexOf(own, 1) > 0 || (isRefused && !this.options.returns))
      return `AS_PATH ${path.join(' ')} to ${session.name}`;
    return undefined;
  }
}

/** Kept: it is asked for with every UPDATE. A session's address stays, and its name does where it is one of a link. */
const keys = new WeakMap<WatchedSession, string>();

function keyOf(router: string, session: WatchedSession): string {
  const known = keys.get(session) ?? `${router} ${session.name} ${formatAddress(session.address)}`;
  keys.set(session, known);
  return known;
}

function afiOf(body: Uint8Array): number {
  return (body[0]! << 8) | body[1]!;
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
