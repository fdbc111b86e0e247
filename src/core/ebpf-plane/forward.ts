/** Sends the packet to the port that was chosen: asks for the redirect, counts, writes the next link's addresses and the hop limit. */
import type { Assembler } from '../bpf/assembler.js';
import { R0, R1, R2, R3, R8, R9, R10 } from '../bpf/instruction.js';
import { type Hook, VERDICT } from '../bpf/interpreter/context.js';
import { OFFSET } from './parse.js';
import { addWord, CANDIDATES, FRAME, lookUpIndex, NEVER, passLabel, STACK } from './stack.js';
import { MOST_PORTS, type PlaneTables, PORT, PORT_COUNT, PREFIX_COUNT, QUALITY } from './tables.js';

const ETHERNET_HEADER = 14;
/** Nobody needs the time or the class any more. */
const PORT_VALUE = R8;
const RESULT = R9;

export function forward(a: Assembler, hook: Hook, tables: PlaneTables): void {
  a.alu('and', CANDIDATES, MOST_PORTS - 1);
  lookUpIndex(a, tables.ports, CANDIDATES, NEVER);
  a.move(PORT_VALUE, R0).load(4, R2, PORT_VALUE, PORT.mtu).jump('eq', R2, 0, passLabel('unresolved'));
  a.alu('add', R2, ETHERNET_HEADER);
  // The kernel answers with Packet Too Big (RFC 4443 section 3.2).
  a.load(8, R1, R10, STACK.length).jump('gt', R1, R2, passLabel('too-big'));
  redirect(a, hook, tables);
  count(a, tables);
  rewrite(a);
  a.move(R0, RESULT).exit();
}

/** Before the frame is touched: without a port to redirect to it is the kernel's, as it came. */
function redirect(a: Assembler, hook: Hook, tables: PlaneTables): void {
  if (hook === 'xdp') {
    a.loadMap(R1, tables.devices).move(R2, CANDIDATES).move(R3, VERDICT.xdp.pass).call('redirect_map');
    a.jump('ne', R0, VERDICT.xdp.redirect, passLabel('no-port'));
  } else a.load(4, R1, PORT_VALUE, PORT.interfaceIndex).move(R2, 0).call('redirect');
  a.move(RESULT, R0);
}

function count(a: Assembler, tables: PlaneTables): void {
  a.load(4, R1, R10, STACK.counter);
  lookUpIndex(a, tables.prefixCounts, R1, NEVER);
  packetAndOctets(a, PREFIX_COUNT);
  a.load(8, R2, R10, STACK.fallback);
  addWord(a, PREFIX_COUNT.fallback);
  lookUpIndex(a, tables.portCounts, CANDIDATES, NEVER);
  packetAndOctets(a, PORT_COUNT);
  // Not atomic: two processors at once lose a packet of an estimate.
  a.loadMapValue(R1, tables.quality).move(R3, CANDIDATES).alu('lsh', R3, 3).alu('add', R1, R3);
  a.load(8, R3, R1, QUALITY.load).alu('add', R3, R2).store(8, R1, QUALITY.load, R3);
}

/** R2 becomes the octets. */
function packetAndOctets(a: Assembler, offsets: { readonly packets: number; readonly octets: number }): void {
  a.move(R2, 1);
  addWord(a, offsets.packets);
  a.load(8, R2, R10, STACK.length);
  addWord(a, offsets.octets);
}

function rewrite(a: Assembler): void {
  a.load(8, R1, PORT_VALUE, PORT.addresses).store(8, FRAME, 0, R1);
  a.load(4, R1, PORT_VALUE, PORT.addresses + 8).store(4, FRAME, 8, R1);
  a.load(1, R1, FRAME, OFFSET.hopLimit).alu('sub', R1, 1).store(1, FRAME, OFFSET.hopLimit, R1);
}
