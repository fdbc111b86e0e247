/**
 * The UPDATEs of one export group, in order, until every member that reads along has taken them. Positions count up for
 * ever; a member remembers the position of the next message it needs.
 */
import type { Family } from '../net/family.js';
import { objectList } from '../net/object-list.js';
import type { Audience } from './audience.js';

export interface LoggedMessage {
  readonly bytes: Uint8Array;
  /** Where the next-hop octets start; 0 in a withdrawal. */
  readonly nextHopOffset: number;
  readonly family: Family;
  readonly audience: Audience;
  /** The routes in it, held as long as the message is in the log. */
  readonly routes: Uint32Array;
}

export class MessageLog {
  octets = 0;
  #messages: LoggedMessage[] = objectList();
  #start = 0;
  readonly #dropped: (message: LoggedMessage) => void;

  /** `dropped` hears of every message that leaves the log. */
  constructor(dropped: (message: LoggedMessage) => void) {
    this.#dropped = dropped;
  }

  /** Position behind the last message. */
  get end(): number {
    return this.#start + this.#messages.length;
  }

  append(message: LoggedMessage): void {
    this.#messages.push(message);
    this.octets += message.bytes.length;
  }

  at(position: number): LoggedMessage {
    return this.#messages[position - this.#start]!;
  }

  /** Nobody needs what is before `position` any more. */
  trim(position: number): void {
    const count = position - this.#start;
    if (count <= 0) return;
    for (const message of this.#messages.splice(0, count)) {
      this.octets -= message.bytes.length;
      this.#dropped(message);
    }
    this.#start = position;
  }
}
