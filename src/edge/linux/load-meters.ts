/** The load meters of this host, over rtnetlink: two or three dumps a reading. */
import type { LinkLoad, LoadMeters, LoadReading } from '../../core/ports/load-meters.js';
import {
  groupCountersRequest,
  linkCountersHeader,
  parseGroupCounters,
  parseLinkCounters,
  parseRootQdisc,
  type QdiscState,
  qdiscDumpHeader,
} from './load-messages.js';
import { MESSAGE } from './rtnetlink/message.js';
import { RouteNetlink } from './rtnetlink/route-netlink.js';

export class LinuxLoadMeters implements LoadMeters {
  readonly #netlink = new RouteNetlink();
  /** The kernel knows no counters of group members: not asked again. */
  #groupsUncounted = false;

  async read({ groups }: { readonly groups: boolean }): Promise<LoadReading> {
    const queues = new Map<number, QdiscState>();
    for (const { payload } of await this.#netlink.dump(MESSAGE.getQdisc, qdiscDumpHeader())) {
      const queue = parseRootQdisc(payload);
      if (queue) queues.set(queue.interfaceIndex, queue);
    }
    const links: LinkLoad[] = [];
    for (const { payload } of await this.#netlink.dump(MESSAGE.getStatistics, linkCountersHeader())) {
      const counters = parseLinkCounters(payload);
      if (counters) links.push({ backlog: 0, ...queues.get(counters.interfaceIndex), ...counters });
    }
    return { links, groups: groups ? await this.#groups() : [] };
  }

  close(): void {
    this.#netlink.close();
  }

  async #groups(): Promise<LoadReading['groups']> {
    if (this.#groupsUncounted) return [];
    try {
      const messages = await this.#netlink.dump(MESSAGE.getNextHop, groupCountersRequest());
      return messages.map(({ payload }) => parseGroupCounters(payload)).filter((group) => group !== undefined);
    } catch (error) {
      // Before Linux 6.9 the attribute that asks for them is refused.
      if (!(error instanceof Error) || !/EINVAL/.test(error.message)) throw error;
      this.#groupsUncounted = true;
      return [];
    }
  }
}
