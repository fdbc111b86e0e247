/**
 * Neighbor Discovery on real interfaces: one raw ICMPv6 socket each (RFC 3542), bound to its interface, so that what is
 * delivered arrived there. The kernel verifies and fills in checksums; a filter in the kernel drops what does not come with
 * hop limit 255 (RFC 4861 sections 6.1.1 and 6.1.2), since Node cannot read the hop limit itself.
 */
import { formatAddress, parseAddress } from '../../core/net/address.js';
import type { NdPacket, NdSocket, NdSockets } from '../../core/ports/nd-socket.js';
import { HOP_LIMIT, withHopLimitFilter } from './hop-limit-filter.js';
import { type KoffiPackage, loadKoffi, loadRawSocket, type RawSocket } from './native.js';

const FAMILY_IPV6 = 2;
const IPPROTO_ICMPV6 = 58;
const SOL_SOCKET = 1;
const SO_BINDTODEVICE = 25;
const SO_ATTACH_FILTER = 26;
const IPPROTO_IPV6 = 41;
const IPV6_UNICAST_HOPS = 16;
const IPV6_MULTICAST_IF = 17;
const IPV6_MULTICAST_HOPS = 18;
const IPV6_MULTICAST_LOOP = 19;
const IPV6_JOIN_GROUP = 20;
const ICMPV6_FILTER = 1;

const ROUTER_SOLICITATION = 133;
const ROUTER_ADVERTISEMENT = 134;
const ALL_ROUTERS = parseAddress('ff02::2')!;
/** Holds any message on a link with jumbo frames. */
const RECEIVE_OCTETS = 16 * 1024;

type Receive = (packet: NdPacket) => void;

export class LinuxNdSockets implements NdSockets {
  /** The native socket is closed when it is collected as garbage: keep it while it is open. */
  private readonly sockets = new Set<RawSocket>();

  open(link: { name: string; index: number }, receive: Receive, sendFailed?: (reason: string) => void): NdSocket {
    const koffi = loadKoffi();
    const socket = createSocket(link.name);
    try {
      configure(socket, link, koffi);
    } catch (error) {
      socket.close();
      throw new Error(`Neighbor Discovery cannot be set up on ${link.name}: ${reasonOf(error)}`);
    }
    discardQueued(socket);
    // Reception errors (such as the interface going down) need no action: the link's state is watched.
    socket.on('error', () => undefined);
    socket.on('message', (message, source) => deliver(message, source, receive));
    this.sockets.add(socket);
    return {
      send: (destination, message) => {
        const refused = send(socket, destination, message);
        if (refused) sendFailed?.(refused);
      },
      close: () => {
        if (this.sockets.delete(socket)) socket.close();
      },
    };
  }
}

function createSocket(interfaceName: string): RawSocket {
  const { createSocket } = loadRawSocket();
  try {
    return createSocket({ addressFamily: FAMILY_IPV6, protocol: IPPROTO_ICMPV6, bufferSize: RECEIVE_OCTETS });
  } catch (error) {
    const reason = reasonOf(error);
    const hint = reason === 'Operation not permitted' ? '; run heddle as root or with CAP_NET_RAW' : '';
    throw new Error(`no raw ICMPv6 socket for ${interfaceName}: ${reason}${hint}`);
  }
}

function configure(socket: RawSocket, link: { name: string; index: number }, koffi: KoffiPackage): void {
  const set = (level: number, option: number, value: Uint8Array) =>
    socket.setOption(level, option, value, value.length);
  withHopLimitFilter(koffi, (value) => set(SOL_SOCKET, SO_ATTACH_FILTER, value));
  set(IPPROTO_ICMPV6, ICMPV6_FILTER, messageFilter());
  set(SOL_SOCKET, SO_BINDTODEVICE, new TextEncoder().encode(`${link.name}\0`));
  socket.setOption(IPPROTO_IPV6, IPV6_UNICAST_HOPS, HOP_LIMIT);
  socket.setOption(IPPROTO_IPV6, IPV6_MULTICAST_HOPS, HOP_LIMIT);
  socket.setOption(IPPROTO_IPV6, IPV6_MULTICAST_LOOP, 0);
  socket.setOption(IPPROTO_IPV6, IPV6_MULTICAST_IF, link.index);
  set(IPPROTO_IPV6, IPV6_JOIN_GROUP, membership(ALL_ROUTERS, link.index));
}

/** struct ipv6_mreq. */
function membership(group: Uint8Array, interfaceIndex: number): Uint8Array {
  const request = new Uint8Array(20);
  request.set(group);
  new Uint32Array(request.buffer)[4] = interfaceIndex;
  return request;
}

/** struct icmp6_filter: a set bit blocks the type. */
function messageFilter(): Uint8Array {
  const blocked = new Uint32Array(8).fill(0xffffffff);
  for (const type of [ROUTER_SOLICITATION, ROUTER_ADVERTISEMENT]) blocked[type >> 5]! &= ~(1 << (type & 31));
  return new Uint8Array(blocked.buffer);
}

/** What was queued between the socket's creation and its filters may come from anywhere. */
function discardQueued(socket: RawSocket): void {
  const buffer = Buffer.alloc(RECEIVE_OCTETS);
  try {
    for (;;) socket.wrap.recv(buffer, () => undefined);
  } catch {
    // The queue is empty.
  }
}

/** The package hands out its one buffer: copy. */
function deliver(message: Uint8Array, sourceText: string, receive: Receive): void {
  const source = parseAddress(sourceText);
  if (source) receive({ source, message: Uint8Array.from(message) });
}

/** At once and not through the package's queue, which would drop a last advertisement when the socket is closed behind it. */
function send(socket: RawSocket, destination: Uint8Array, message: Uint8Array): string | undefined {
  try {
    socket.wrap.send(Buffer.from(message), 0, message.length, formatAddress(destination), () => undefined);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
