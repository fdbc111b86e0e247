/**
 * The least that a Node program can do when an UPDATE comes: no table, no decision, no policy; a route into the kernel for each prefix of it, and
 * its octets passed on as they came. What that takes is Node's and the kernel's part in the delays of whatever router is written for Node.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { NEXT_HOP_IDS } from '../../core/fib/ownership.js';
import { PRIMARY_METRIC } from '../../core/fib/types.js';
import { parseAddress } from '../../core/net/address.js';
import type { KernelOperation } from '../../core/ports/kernel-tables.js';
import { MessageFramer } from '../../core/wire/bgp/framer.js';
import { encodeKeepalive } from '../../core/wire/bgp/keepalive.js';
import { MESSAGE_TYPE } from '../../core/wire/bgp/message.js';
import { encodeMessage } from '../../core/wire/bgp/message-header.js';
import { read16 } from '../../core/wire/bgp/octets.js';
import { encodeOpen } from '../../core/wire/bgp/open.js';
import { requestOf } from '../../edge/linux/fib-messages.js';
import { DatagramWriter, octetsOf } from '../../edge/linux/rtnetlink/message.js';
import { NetlinkSocket } from '../../edge/linux/rtnetlink/socket.js';
import { eachPrefixes, prefixOctets } from './count-routes.js';
import { LINK, ROUTER_AS } from './plan.js';

const PORT = 179;
const ADDRESS_OCTETS = 16;
/** In an OPEN's body (RFC 4271 section 4.2). */
const HOLD_TIME_AT = 3;
const OPEN = { version: 4, asn: ROUTER_AS, asField: ROUTER_AS, identifier: 1, capabilities: [] } as const;

const interfaceIndex = Number(readFileSync(`/sys/class/net/${LINK}/ifindex`, 'utf8'));
const keepalive = encodeKeepalive();
const sessions = new Set<Socket>();
const netlink = new NetlinkSocket({ message: () => undefined, lost: () => process.exit(1) });
let requests = 0;
let nextHops = NEXT_HOP_IDS;

function write(operation: KernelOperation): void {
  const request = requestOf(operation);
  const datagram = new DatagramWriter(octetsOf(request.payload));
  datagram.append(request, ++requests);
  netlink.send(datagram.bytes);
}

function routes(body: Uint8Array, nextHop: number): void {
  const announced = (_: Uint8Array, from: number, to: number) => {
    for (let at = from; at < to; at += prefixOctets(body[at]!)) {
      const address = new Uint8Array(ADDRESS_OCTETS);
      address.set(body.subarray(at + 1, at + prefixOctets(body[at]!)));
      const prefix = { address, length: body[at]! };
      write({ kind: 'set-route', prefix, metric: PRIMARY_METRIC, nextHop, replace: false });
    }
  };
  eachPrefixes(body, { announced, withdrawn: () => undefined });
}

function passOn(body: Uint8Array, from: Socket): void {
  const message = encodeMessage(MESSAGE_TYPE.update, body);
  for (const socket of sessions) if (socket !== from && socket.remoteFamily === 'IPv6') socket.write(message);
}

/** Of who connects, an object that routes name. */
function nextHopTo({ remoteAddress }: Socket): number {
  const gateway = parseAddress(remoteAddress!)!;
  const id = nextHops++;
  write({ kind: 'set-next-hop', id, interfaceIndex, gateway, replace: false });
  return id;
}

function hear(socket: Socket): void {
  const framer = new MessageFramer();
  const nextHop = nextHopTo(socket);
  let timer: NodeJS.Timeout | undefined;

  socket.on('data', (octets) =>
    framer.push(octets, (type, body) => {
      if (type === MESSAGE_TYPE.open) {
        const holdTime = read16(body, HOLD_TIME_AT);
        socket.write(encodeOpen({ ...OPEN, holdTime }));
        socket.write(keepalive);
        timer = setInterval(() => socket.write(keepalive), (holdTime * 1000) / 3);
        sessions.add(socket);
      } else if (type === MESSAGE_TYPE.update) {
        routes(body, nextHop);
        passOn(body, socket);
      }
    }),
  );
  socket.on('error', () => undefined);
  socket.on('close', () => {
    clearInterval(timer);
    sessions.delete(socket);
  });
}

for (const host of ['::', '0.0.0.0'])
  createServer({ noDelay: true }, hear).listen({ port: PORT, host, ipv6Only: host === '::' });
process.on('SIGTERM', () => process.exit(0));
