/** What a fabric does while it is looked at: UPDATEs and their octets, operations on forwarding tables, and when the last was. */
import type { SessionWatcher } from '../core/speaker/session-watcher.js';
import { MESSAGE_TYPE } from '../core/wire/bgp/message.js';
import type { VirtualNode } from '../simulator/virtual-node.js';

const TYPE_OFFSET = 18;

export class Meter {
  updates = 0;
  octets = 0;
  /** Operations on the forwarding tables of all nodes. */
  operations = 0;
  /** Virtual milliseconds of the last UPDATE or operation. */
  lastChange = 0;
  private readonly watcher: SessionWatcher = { sent: (_session, message) => this.sent(message) };

  constructor(private readonly now: () => number) {}

  /** Before the node starts. */
  watch(node: VirtualNode): void {
    node.watchers = [this.watcher];
    node.tables.hearOperations(() => {
      this.operations++;
      this.lastChange = this.now();
    });
  }

  private sent(message: Uint8Array): void {
    if (message[TYPE_OFFSET] !== MESSAGE_TYPE.update) return;
    this.updates++;
    this.octets += message.length;
    this.lastChange = this.now();
  }
}
