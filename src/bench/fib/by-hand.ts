/** The kernel alone: the routes that heddle would write, by `ip`, and nobody who looks after them. */
import { ipBatch } from '../../app/lab/namespaces.js';
import { prefixText, type StageNames, spineAddress, type Uplink, uplinkInterface } from './plan.js';

/** Ids of next-hop objects are the numbers of the uplinks; this is their group. */
const GROUP = 100;
/** Whole seconds are what `ip` takes; weights do not change, so that nothing waits for them. */
const RESILIENT = ' type resilient buckets 128 idle_timer 1';

/** Every prefix: metric 20 over the first uplink, metric 30 over a group of the others. */
export function installByHand(
  names: StageNames,
  [first, ...others]: readonly [Uplink, ...Uplink[]],
  count: number,
  kind: 'plain' | 'resilient' = 'plain',
): Promise<void> {
  const nextHop = (uplink: Uplink) =>
    `nexthop add id ${uplink} via ${spineAddress(uplink)} dev ${uplinkInterface(uplink)}`;
  const routes = Array.from({ length: count }, (_, index) => `route add ${prefixText(index)} nhid`);
  return ipBatch(
    [
      ...[first, ...others].map(nextHop),
      `nexthop add id ${GROUP} group ${others.join('/')}${kind === 'resilient' ? RESILIENT : ''}`,
      ...routes.map((route) => `${route} ${first} metric 20`),
      ...routes.map((route) => `${route} ${GROUP} metric 30`),
    ],
    names.leaf,
  );
}
