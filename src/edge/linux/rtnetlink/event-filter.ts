/**
 * Classic BPF programs for event sockets. The first lets through what another program asked for that takes something from
 * us: deletions of routes and next hops of our protocol, and routes put in the place of whatever had one of our metrics; and
 * what makes room for us: routes of others with such a metric that went away, also by the kernel's own hand.
 * Without it every route that heddle writes, and every IPv6 route that the kernel deletes with a link, would come as an
 * event: 100,000 of them are more than the socket's buffer takes.
 */
import { BPF, encodeInstructions, FIND_ATTRIBUTE, type Instruction } from '../classic-bpf.js';
import { LITTLE_ENDIAN } from './attributes.js';
import { FLAG, HEADER, MESSAGE } from './message.js';

const TYPE_OFFSET = 4;
const FLAGS_OFFSET = 6;
const PORT_OFFSET = 12;
const KERNEL_PORT = 0;
/** nh_protocol in struct nhmsg, rtm_table and rtm_protocol in struct rtmsg. */
const NEXT_HOP_PROTOCOL = HEADER + 2;
const ROUTE_TABLE = HEADER + 4;
const ROUTE_PROTOCOL = HEADER + 5;
const ROUTE_ATTRIBUTES = HEADER + 12;
const RTA_PRIORITY = 6;
const ATTRIBUTE_HEADER = 4;

/** The program as an array of struct sock_filter. `port` is the requesting socket's. */
export function lossesByOthers(ours: {
  readonly protocol: number;
  readonly metrics: readonly [number, number];
  readonly port: number;
}): Uint8Array {
  const { protocol, metrics, port } = ours;
  const loadMetric: Instruction[] = [
    [BPF.loadIndex, 0, 0, RTA_PRIORITY],
    [BPF.loadNumber, 0, 0, ROUTE_ATTRIBUTES],
    [BPF.loadWord, 0, 0, FIND_ATTRIBUTE],
    [BPF.toIndex, 0, 0, 0],
    [BPF.loadIndexedWord, 0, 0, ATTRIBUTE_HEADER],
  ];
  const program: Instruction[] = [
    [BPF.loadHalf, 0, 0, TYPE_OFFSET],
    [BPF.jumpIfEqual, 3, 0, half(MESSAGE.deleteNextHop)],
    [BPF.jumpIfEqual, 4, 0, half(MESSAGE.deleteRoute)],
    [BPF.jumpIfEqual, 5, 0, half(MESSAGE.newRoute)],
    [BPF.return, 0, 0, 0],
    [BPF.loadOctet, 0, 0, NEXT_HOP_PROTOCOL],
    [BPF.jumpIfEqual, 11, 14, protocol],
    [BPF.loadOctet, 0, 0, ROUTE_PROTOCOL],
    [BPF.jumpIfEqual, 9, 14, protocol],
    [BPF.loadHalf, 0, 0, FLAGS_OFFSET],
    [BPF.jumpIfSet, 0, 10, half(FLAG.replace)],
    ...loadMetric,
    [BPF.jumpIfEqual, 1, 0, word(metrics[0])],
    [BPF.jumpIfEqual, 0, 3, word(metrics[1])],
    [BPF.loadWord, 0, 0, PORT_OFFSET],
    [BPF.jumpIfEqual, 1, 0, word(port)],
    [BPF.jumpIfEqual, 0, 1, KERNEL_PORT],
    [BPF.return, 0, 0, 0],
    [BPF.return, 0, 0, 0xffffffff],
    ...loadMetric,
    [BPF.jumpIfEqual, 2, 0, word(metrics[0])],
    [BPF.jumpIfEqual, 1, 0, word(metrics[1])],
    [BPF.return, 0, 0, 0],
    [BPF.return, 0, 0, 0xffffffff],
  ];
  return encodeInstructions(program);
}

/** The other lets through the routes of one table, and deleted next-hop objects, that do not carry our protocol. */
export function routesOfOthers({
  protocol,
  table,
}: {
  readonly protocol: number;
  /** Absent: of any. */
  readonly table?: number;
}): Uint8Array {
  const ofTable: readonly Instruction[] =
    table === undefined
      ? []
      : [
          [BPF.loadOctet, 0, 0, ROUTE_TABLE],
          [BPF.jumpIfEqual, 0, 1, table],
        ];
  const more = ofTable.length;
  const program: Instruction[] = [
    [BPF.loadHalf, 0, 0, TYPE_OFFSET],
    [BPF.jumpIfEqual, 4, 0, half(MESSAGE.newRoute)],
    [BPF.jumpIfEqual, 3, 0, half(MESSAGE.deleteRoute)],
    [BPF.jumpIfEqual, 0, 5 + more, half(MESSAGE.deleteNextHop)],
    [BPF.loadOctet, 0, 0, NEXT_HOP_PROTOCOL],
    [BPF.jumpIfEqual, 3 + more, 2 + more, protocol],
    [BPF.loadOctet, 0, 0, ROUTE_PROTOCOL],
    [BPF.jumpIfEqual, 1 + more, 0, protocol],
    ...ofTable,
    [BPF.return, 0, 0, 0xffffffff],
    [BPF.return, 0, 0, 0],
  ];
  return encodeInstructions(program);
}

/** A filter loads in network order what netlink wrote in the host's. */
function half(value: number): number {
  return LITTLE_ENDIAN ? ((value & 0xff) << 8) | (value >> 8) : value;
}

function word(value: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, value, LITTLE_ENDIAN);
  return view.getUint32(0);
}
