/**
 * The program that hears of links in the kernel: the filter of a socket that is sent the kernel's messages about links and IPv6 routes
 * (rtnetlink(7), RTNLGRP_LINK, RTNLGRP_IPV6_ROUTE) and lets none of them in. It runs where the message is made, before anybody is woken to
 * read it, and also while nobody would: a link that is not up, or gone, or that the kernel itself takes a route of ours away from, has its loss
 * counted, and its ports are taken out of use (carriers.ts). The routes of a link without carrier go before the link is told of, by the time
 * that the kernel waits for its other processors when their next hop goes.
 */
import { Assembler } from '../bpf/assembler.js';
import { type Program, R0, R1, R2, R3, R4, R6, R7, R8, R9, R10 } from '../bpf/instruction.js';
import { VERDICT } from '../bpf/interpreter/context.js';
import { ROUTE_PROTOCOL } from '../fib/ownership.js';
import { lookUpIndex } from './stack.js';
import { CARRIER, type PlaneTables } from './tables.js';

/** struct nlmsghdr and the struct ifinfomsg behind it: octets from the start of the message. */
export const LINK_MESSAGE = { type: 4, port: 12, family: 16, index: 20, flags: 24, octets: 32 } as const;
/** The struct rtmsg there, and where its attributes begin. */
export const ROUTE_MESSAGE = { protocol: 21, attributes: 28 } as const;
/** What it is called in the kernel. */
export const LINK_WATCH_NAME = 'heddle_links';

const NEW_LINK = 16;
const DELETE_LINK = 17;
const DELETE_ROUTE = 25;
const AF_INET6 = 10;
/** Of the route: its interface, or its next hops (struct rtnexthop, with the interface in its second four octets). */
const RTA = { interface: 4, nextHops: 9, mask: 0x3fff, header: 4 } as const;
/** Those of a next hop come behind destination, metric and identifier. */
const MOST_ATTRIBUTES = 12;
/** IFF_UP and IFF_LOWER_UP. */
const UP = 0x1_0001;
/** Above the key of a lookup. */
const MESSAGE = -40;
const ATTRIBUTE = -48;
const IGNORE = 'ignore';
const LOST = 'lost';
const ROUTE = 'route';

export function linkWatchProgram(tables: PlaneTables): Program {
  const a = new Assembler(LINK_WATCH_NAME);
  a.move(R9, R1).move(R7, 0);
  read(a, MESSAGE, LINK_MESSAGE.octets);
  a.load(2, R2, R10, MESSAGE + LINK_MESSAGE.type).load(1, R1, R10, MESSAGE + LINK_MESSAGE.family);
  a.jump('eq', R2, DELETE_ROUTE, ROUTE);
  // Of a bridge's port and the like the message says something else.
  a.jump('ne', R1, 0, IGNORE).jump('eq', R2, DELETE_LINK, LOST).jump('ne', R2, NEW_LINK, IGNORE);
  a.load(4, R1, R10, MESSAGE + LINK_MESSAGE.flags)
    .alu('and', R1, UP)
    .jump('eq', R1, UP, IGNORE)
    .label(LOST);
  a.load(4, R1, R10, MESSAGE + LINK_MESSAGE.index);
  lookUpIndex(a, tables.carriers, R1, IGNORE);
  a.move(R1, 1).atomicFetch('add', 8, R0, CARRIER.losses, R1).load(8, R6, R0, CARRIER.ports);
  a.loadMapValue(R1, tables.lost).atomicFetch('or', 8, R1, 0, R6);
  a.label(IGNORE).move(R0, VERDICT.socket.drop).exit();
  a.label(ROUTE);
  interfaceOfRoute(a);
  return a.program();
}

/** Octets from R7 on to this place of the stack. */
function read(a: Assembler, place: number, octets: number): void {
  a.move(R1, R9).move(R2, R7).move(R3, R10).alu('add', R3, place).move(R4, octets).call('skb_load_bytes');
  a.jump('ne', R0, 0, IGNORE);
}

/** R1 is the family. A route of ours that nobody asked the kernel to delete: the interface takes the place that it has in a message about a link. */
function interfaceOfRoute(a: Assembler): void {
  const [attribute, found] = ['attribute', 'found'].map((name) => a.freshLabel(name));
  a.jump('ne', R1, AF_INET6, IGNORE)
    .load(4, R1, R10, MESSAGE + LINK_MESSAGE.port)
    .jump('ne', R1, 0, IGNORE);
  a.load(1, R1, R10, MESSAGE + ROUTE_MESSAGE.protocol).jump('ne', R1, ROUTE_PROTOCOL, IGNORE);
  a.move(R7, ROUTE_MESSAGE.attributes).move(R8, 0).label(attribute!);
  read(a, ATTRIBUTE, RTA.header);
  a.load(2, R1, R10, ATTRIBUTE + 2)
    .alu('and', R1, RTA.mask)
    .jump('eq', R1, RTA.interface, found!);
  a.load(2, R2, R10, ATTRIBUTE).alu('add', R2, 3).alu('and', R2, ~3).alu('add', R7, R2);
  a.alu('add', R8, 1)
    .jump('eq', R1, RTA.nextHops, 'next-hops')
    .jump('lt', R8, MOST_ATTRIBUTES, attribute!)
    .goto(IGNORE);
  // Back to its beginning, and past the first half of the first next hop.
  a.label('next-hops').alu('sub', R7, R2).alu('add', R7, 4).label(found!).alu('add', R7, RTA.header);
  read(a, MESSAGE + LINK_MESSAGE.index, 4);
  a.goto(LOST);
}
