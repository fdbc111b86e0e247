/**
 * The UDP source port of a queue pair, by which equal paths are hashed: as Linux picks it, rdma_calc_flow_label and
 * rdma_flow_label_to_udp_sport of include/rdma/ib_verbs.h. Both ends find the same port.
 */

export const ROCE_PORT = 4791;
const LOWEST_PORT = 0xc000;
const FLOW_LABEL_BITS = 20n;
const FLOW_LABEL_MASK = (1n << FLOW_LABEL_BITS) - 1n;

/** The flow label of a queue pair that was given none: the product of both numbers, folded to 20 bits. */
export function flowLabelOf(queuePair: number, otherQueuePair: number): number {
  let value = BigInt(queuePair) * BigInt(otherQueuePair);
  value ^= value >> FLOW_LABEL_BITS;
  value ^= value >> (2n * FLOW_LABEL_BITS);
  return Number(value & FLOW_LABEL_MASK);
}

/** From 0xC000 on: the lower 14 bits of the flow label, and the upper 6 mixed in. */
export function portOfFlowLabel(flowLabel: number): number {
  return LOWEST_PORT | ((flowLabel & 0x3fff) ^ (flowLabel >>> 14));
}

/** The source port of packets between two queue pairs, in either direction. */
export function entropyPort(queuePair: number, otherQueuePair: number): number {
  return portOfFlowLabel(flowLabelOf(queuePair, otherQueuePair));
}
