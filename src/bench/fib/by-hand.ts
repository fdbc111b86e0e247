/** The kernel alone: the routes that heddle would write, by `ip`, and nobody who looks after them. */
import { ipBatch } from '../../app/lab/namespaces.js';
import { AGGREGATE, type StageNames, spineAddress, type Uplink, uplinkInterface } from './plan.js';

export const KERNEL = 'kernel';

/** Ids of next-hop objects are the numbers of the uplinks; this is their group. */
const GROUP = 100;

/** One prefix: metric 20 over the first uplink, metric 30 over a group of the others. */
export function installByHand(names: StageNames, [first, ...others]: readonly [Uplink, ...Uplink[]]): Promise<void> {
  const nextHop = (uplink: Uplink) =>
    `nexthop add id ${uplink} via ${spineAddress(uplink)} dev ${uplinkInterface(uplink)}`;
  return ipBatch(
    [
      ...[first, ...others].map(nextHop),
      `nexthop add id ${GROUP} group ${others.join('/')}`,
      `route add ${AGGREGATE} nhid ${first} metric 20`,
      `route add ${AGGREGATE} nhid ${GROUP} metric 30`,
    ],
    names.leaf,
  );
}
