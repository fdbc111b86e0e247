/**
 * When the kernel told of new routes, seen by a process of its own in the router's namespace: rtnetlink events, of which the kernel
 * lets through those of one block of prefixes alone, so that a whole table beside them costs nothing here.
 */
import { createInterface } from 'node:readline';
import { now } from '../../app/lab/monotonic.js';
import { BPF, encodeInstructions, FIND_ATTRIBUTE } from '../../edge/linux/classic-bpf.js';
import { loadNetlink } from '../../edge/linux/native.js';
import { ROUTE_HEADER } from '../../edge/linux/route-messages.js';
import { parseAttributes } from '../../edge/linux/rtnetlink/attributes.js';
import { GROUP, HEADER, MESSAGE, parseMessages } from '../../edge/linux/rtnetlink/message.js';
import { NETLINK_ROUTE, prepareSocket, RECEIVE_BUFFER } from '../../edge/linux/rtnetlink/socket-options.js';
import type { RouteEventsAnswer, RouteEventsCommand, RouteEventsTask } from './route-events-protocol.js';
import { numberInBlock } from './table-stream.js';

const { block }: RouteEventsTask = JSON.parse(process.argv[2] ?? '{}');
const RTA_DESTINATION = 1;
const ATTRIBUTE_HEADER = 4;
const times = new Map<number, number>();

function say(answer: RouteEventsAnswer): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

/** Lets through messages whose destination begins with the block. */
const filter = encodeInstructions([
  [BPF.loadIndex, 0, 0, RTA_DESTINATION],
  [BPF.loadNumber, 0, 0, HEADER + ROUTE_HEADER],
  [BPF.loadWord, 0, 0, FIND_ATTRIBUTE],
  [BPF.jumpIfEqual, 3, 0, 0],
  [BPF.toIndex, 0, 0, 0],
  [BPF.loadIndexedHalf, 0, 0, ATTRIBUTE_HEADER],
  [BPF.jumpIfEqual, 1, 0, block],
  [BPF.return, 0, 0, 0],
  [BPF.return, 0, 0, 0xffffffff],
]);

// The package itself: the time is taken where it hands over, before anything of ours runs.
const { RawNetlinkSocket } = loadNetlink();
const socket = new RawNetlinkSocket(NETLINK_ROUTE, { recvBufferSize: RECEIVE_BUFFER });
prepareSocket(socket.address().port, filter);
socket.on('message', (datagram) => {
  const at = now();
  for (const { type, payload } of parseMessages(datagram)) {
    const destination = type === MESSAGE.newRoute && parseAttributes(payload, ROUTE_HEADER).get(RTA_DESTINATION);
    const number = destination ? numberInBlock(block, destination, 0) : -1;
    if (number >= 0 && !times.has(number)) times.set(number, at);
  }
});
socket.addMembership(GROUP.ipv6Route);
say({ kind: 'ready' });

for await (const line of createInterface({ input: process.stdin })) {
  const command: RouteEventsCommand = JSON.parse(line);
  if (command.kind === 'times') say({ kind: 'times', times: [...times] });
}
process.exit(0);
