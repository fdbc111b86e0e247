/**
 * Flows as hosts with RDMA-aware load balancing send them: each message is cut into a segment for every uplink of the leaf, each segment goes over a
 * queue pair of its own from and to the addresses of that uplink's prefixes. A message that is too short for so many segments of a packet each has
 * fewer, and begins at another uplink each time.
 */
import { segmentsOf } from '../../core/rlb/segments.js';
import type { Endpoints } from '../hosts/queue-pairs.js';
import type { Cut, Flow } from './flow-list.js';

/** The ends of segment `plane` of a flow. */
export type PlaneAddressing = (flow: Flow, index: number, plane: number) => Endpoints;

/**
 * @param planes addresses of a host, and uplinks of its leaf
 * @param least octets of the shortest segment that is worth a queue pair: a packet's payload
 */
export function subflows(planes: number, least: number, addressing: PlaneAddressing): Cut {
  return (flow, index) => {
    const segments = segmentsOf(flow.octets, Math.min(planes, Math.max(1, Math.floor(flow.octets / least))));
    const first = segments.length === planes ? 0 : index % planes;
    return segments.map(({ length }, place) => ({
      ends: addressing(flow, index, (first + place) % planes),
      octets: length,
    }));
  };
}
