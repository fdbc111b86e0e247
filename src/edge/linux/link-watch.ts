/**
 * Takes the ports of a link that is lost out of use where the kernel tells of it, whatever this process does meanwhile, and into use again
 * once the link was asked for and found up (core/ebpf-plane/link-watch.ts, carriers.ts). It is there for as long as its socket is.
 */
import type { LinkState } from '../../core/ports/links.js';
import type { LinuxPlaneTables } from './bpf/plane-tables.js';
import { LINK_HEADER, parseLink } from './link-messages.js';
import { GROUP, MESSAGE } from './rtnetlink/message.js';
import type { RouteNetlink } from './rtnetlink/route-netlink.js';
import { NetlinkSocket } from './rtnetlink/socket.js';

export class LinkWatch {
  readonly #tables: LinuxPlaneTables;
  readonly #netlink: RouteNetlink;
  readonly #socket: NetlinkSocket;
  #asking = false;
  #closed = false;

  /** Throws one line when the kernel refuses. Asks by `netlink`. */
  constructor(tables: LinuxPlaneTables, netlink: RouteNetlink) {
    this.#tables = tables;
    this.#netlink = netlink;
    const program = tables.loadLinkWatch();
    try {
      this.#socket = new NetlinkSocket({ message: () => {}, lost: () => {} }, [GROUP.link, GROUP.ipv6Route], program);
    } finally {
      // The socket keeps it.
      program.close();
    }
  }

  /** Of the links that seem to be up, asks for those that were lost since they were last found so. To be called again and again. */
  async confirm(links: Iterable<LinkState>): Promise<void> {
    if (this.#asking || this.#closed) return;
    const { carriers } = this.#tables;
    const losses = new Map<number, bigint>();
    for (const { index, adminUp, carrier } of links)
      if (adminUp && carrier && carriers.isInDoubt(index)) losses.set(index, carriers.losses(index));
    if (losses.size === 0) return;
    this.#asking = true;
    for (const { index, adminUp, carrier } of await this.#ask()) {
      const before = losses.get(index);
      if (adminUp && carrier && before !== undefined) carriers.confirm(index, before);
    }
    this.#asking = false;
  }

  /** The tables are not touched after. */
  close(): void {
    this.#closed = true;
    this.#socket.close();
  }

  /** Nothing when there is no answer: it is asked for again. */
  async #ask() {
    try {
      const links = await this.#netlink.dump(MESSAGE.getLink, new Uint8Array(LINK_HEADER), parseLink);
      return this.#closed ? [] : links;
    } catch {
      return [];
    }
  }
}
