/**
 * A kernel table that is dumped once and followed by its events. Events that arrive while a dump is read may be newer than it: they
 * are held and applied after it. When events were lost the table is dumped again, and a second later when that fails.
 */
import type { NetlinkMessage } from './rtnetlink/message.js';
import type { NetlinkEvent } from './rtnetlink/route-netlink.js';

const RETRY_DELAY = 1000;

/** What is kept of the kernel's table, and how it is read. */
export interface TableCopy {
  /** Dumps all there is. */
  read(): Promise<readonly NetlinkMessage[]>;
  /** In place of all that was known. */
  replace(messages: readonly NetlinkMessage[]): void;
  change(message: NetlinkMessage): void;
}

export class FollowedTable {
  private held: NetlinkMessage[] | undefined;
  private readingWaits = false;
  private lastReading: Promise<unknown> = Promise.resolve();
  private retry: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(private readonly copy: TableCopy) {}

  /** For `RouteNetlink.subscribe`. */
  receive(event: NetlinkEvent): void {
    if (event.kind === 'overrun') this.readAgain();
    else if (this.held) this.held.push(event.message);
    else this.copy.change(event.message);
  }

  /** Resolves when all is known; rejects with the kernel's error. */
  async read(): Promise<void> {
    this.readingWaits = false;
    this.held = [];
    const messages = await this.copy.read();
    const { held } = this;
    this.held = undefined;
    this.copy.replace(messages);
    for (const message of held) this.copy.change(message);
  }

  /** After the reading under way, if there is one; asked for several times meanwhile, once. */
  readAgain(): void {
    if (this.readingWaits) return;
    this.readingWaits = true;
    this.lastReading = this.lastReading
      .then(() => this.read())
      .catch(() => {
        if (!this.closed) this.retry = setTimeout(() => this.readAgain(), RETRY_DELAY);
      });
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.retry);
  }
}
