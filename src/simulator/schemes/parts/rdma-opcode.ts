/** The opcode that a packet has in the base transport header of RoCEv2 (InfiniBand Architecture 1.4, table 38): hosts here write, without immediate data. */
import { OPCODE } from '../../../core/wire/rocev2/opcode.js';
import { Flag, KIND_MASK, PacketKind } from '../../network/packets.js';

/** @param kind the first word of a packet */
export function rdmaOpcode(kind: number): number {
  switch (kind & KIND_MASK) {
    case PacketKind.data:
      break;
    case PacketKind.cnp:
      return OPCODE.congestionNotification;
    // A NAK is an acknowledgement of another syndrome.
    default:
      return OPCODE.acknowledge;
  }
  const isFirst = (kind & Flag.first) !== 0;
  const isLast = (kind & Flag.last) !== 0;
  if (isFirst) return isLast ? OPCODE.writeOnly : OPCODE.writeFirst;
  return isLast ? OPCODE.writeLast : OPCODE.writeMiddle;
}
