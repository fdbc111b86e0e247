/**
 * The program that hears of links in the kernel: the filter of a socket that is sent the kernel's messages about links (rtnetlink(7),
 * RTNLGRP_LINK) and lets none of them in. It runs where the message is made, before anybody is woken to read it, and also while nobody
 * would: a link that is not up, or gone, has its loss counted, and its ports are taken out of use (carriers.ts).
 */
import { Assembler } from '../bpf/assembler.js';
import { type Program, R0, R1, R2, R3, R4, R6, R10 } from '../bpf/instruction.js';
import { VERDICT } from '../bpf/interpreter/context.js';
import { lookUpIndex } from './stack.js';
import { CARRIER, type PlaneTables } from './tables.js';

/** struct nlmsghdr and the struct ifinfomsg behind it: octets from the start of the message. */
export const LINK_MESSAGE = { type: 4, family: 16, index: 20, flags: 24, octets: 32 } as const;
/** What it is called in the kernel. */
export const LINK_WATCH_NAME = 'heddle_links';

const NEW_LINK = 16;
const DELETE_LINK = 17;
/** IFF_UP and IFF_LOWER_UP. */
const UP = 0x1_0001;
/** Above the key of a lookup. */
const MESSAGE = -40;
const IGNORE = 'ignore';
const LOST = 'lost';

export function linkWatchProgram(tables: PlaneTables): Program {
  const a = new Assembler(LINK_WATCH_NAME);
  a.move(R2, 0).move(R3, R10).alu('add', R3, MESSAGE).move(R4, LINK_MESSAGE.octets).call('skb_load_bytes');
  a.jump('ne', R0, 0, IGNORE);
  // Of a bridge's port and the like the message says something else.
  a.load(1, R1, R10, MESSAGE + LINK_MESSAGE.family).jump('ne', R1, 0, IGNORE);
  a.load(2, R1, R10, MESSAGE + LINK_MESSAGE.type)
    .jump('eq', R1, DELETE_LINK, LOST)
    .jump('ne', R1, NEW_LINK, IGNORE);
  a.load(4, R1, R10, MESSAGE + LINK_MESSAGE.flags)
    .alu('and', R1, UP)
    .jump('eq', R1, UP, IGNORE)
    .label(LOST);
  a.load(4, R1, R10, MESSAGE + LINK_MESSAGE.index);
  lookUpIndex(a, tables.carriers, R1, IGNORE);
  a.move(R1, 1).atomicFetch('add', 8, R0, CARRIER.losses, R1).load(8, R6, R0, CARRIER.ports);
  a.loadMapValue(R1, tables.lost).atomicFetch('or', 8, R1, 0, R6);
  a.label(IGNORE).move(R0, VERDICT.socket.drop).exit();
  return a.program();
}
