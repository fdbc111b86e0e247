/** What is in the kernel's tables of routes, next hops and neighbours, for who looks before a daemon runs: dumps, nothing is changed. */
import type { Address } from '../../../core/net/address.js';
import { AF_INET, AF_INET6, routeDumpHeader, TABLE_MAIN } from '../fib-messages.js';
import { NEIGHBOUR_HEADER, parseNeighbour } from '../neighbour-messages.js';
import { MESSAGE } from '../rtnetlink/message.js';
import { RouteNetlink } from '../rtnetlink/route-netlink.js';

const NEXT_HOP_HEADER = 8;
/** ndm_flags of struct ndmsg: the neighbour is a router. */
const NTF_ROUTER = 0x80;

export interface LinkNeighbour {
  readonly interfaceIndex: number;
  readonly address: Address;
  readonly router: boolean;
  /** Its link-layer address is known. */
  readonly known: boolean;
}

export interface RoutingTables {
  /** Routes of the main tables by `rtm_protocol`. */
  readonly routes: ReadonlyMap<number, number>;
  readonly neighbours: readonly LinkNeighbour[];
  /** Why there are no next-hop objects (Linux 5.3), or no resilient groups of them (5.13); absent where there are. */
  readonly nextHopObstacle?: string;
  readonly resilientObstacle?: string;
}

/** Rejects with a plain error when rtnetlink cannot be used. */
export async function readRoutingTables(): Promise<RoutingTables> {
  const netlink = new RouteNetlink();
  try {
    const routes = await countRoutes(netlink);
    const neighbours = await readNeighbours(netlink);
    const nextHopObstacle = await refusal(netlink, MESSAGE.getNextHop);
    const resilientObstacle = await refusal(netlink, MESSAGE.getBucket);
    return {
      routes,
      neighbours,
      ...(nextHopObstacle !== undefined && { nextHopObstacle }),
      ...(resilientObstacle !== undefined && { resilientObstacle }),
    };
  } finally {
    netlink.close();
  }
}

async function countRoutes(netlink: RouteNetlink): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  for (const family of [AF_INET6, AF_INET]) {
    await netlink.dump(MESSAGE.getRoute, routeDumpHeader(family, 'all'), ({ payload }) => {
      const protocol = payload[5] ?? 0;
      if (payload[4] === TABLE_MAIN) counts.set(protocol, (counts.get(protocol) ?? 0) + 1);
      return undefined;
    });
  }
  return counts;
}

function readNeighbours(netlink: RouteNetlink): Promise<readonly LinkNeighbour[]> {
  const header = new Uint8Array(NEIGHBOUR_HEADER);
  header[0] = AF_INET6;
  return netlink.dump(MESSAGE.getNeighbour, header, ({ payload }) => {
    const entry = parseNeighbour(payload);
    if (!entry) return undefined;
    const { interfaceIndex, address, known } = entry;
    return { interfaceIndex, address, known, router: (payload[10]! & NTF_ROUTER) !== 0 };
  });
}

/** A kernel that has a table gives it out, if only empty. */
async function refusal(netlink: RouteNetlink, type: number): Promise<string | undefined> {
  try {
    await netlink.dump(type, new Uint8Array(NEXT_HOP_HEADER));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
