/** Which class of service a flow's packets are in, by what they are marked with. */
import {
  classOf,
  classOfPriority,
  LOSSLESS_CLASS,
  TRAFFIC_CLASSES,
  type TrafficClass,
} from '../network/traffic-classes.js';
import type { Flow } from './flow-list.js';

/** The class of service in which switches put the flow's packets. */
export function serviceClassOf(
  { dscp, pcp }: Pick<Flow, 'dscp' | 'pcp'>,
  classes: readonly TrafficClass[] = TRAFFIC_CLASSES,
): number {
  if (pcp !== undefined) return classOfPriority(pcp, classes);
  return dscp === undefined ? LOSSLESS_CLASS : classOf(dscp, classes);
}
