/**
 * Reads the frame: Ethernet, IPv6 (RFC 8200), UDP or TCP, and the base transport header of RoCEv2. What is not plainly a packet to be
 * forwarded is left to the kernel as it came. Leaves the hash, the length and the opcode on the stack.
 */
import type { Assembler } from '../bpf/assembler.js';
import { R0, R1, R2, R3, R4, R5, R10 } from '../bpf/instruction.js';
import { type Hook, SKB_CONTEXT, XDP_CONTEXT } from '../bpf/interpreter/context.js';
import { CONTEXT, FRAME, lookUpIndex, OPCODE_NONE, passLabel, STACK } from './stack.js';
import type { PlaneTables } from './tables.js';

/** Offsets in the frame. */
export const OFFSET = {
  etherType: 12,
  version: 14,
  payloadLength: 18,
  nextHeader: 20,
  hopLimit: 21,
  source: 22,
  destination: 38,
  transport: 54,
  destinationPort: 56,
  opcode: 62,
  destinationQp: 66,
} as const;

const IPV6_HEADER = 40;
const ETHERNET_HEADER = 14;
const UDP_END = OFFSET.transport + 8;
const BASE_HEADER_END = UDP_END + 12;
const TCP_END = OFFSET.transport + 20;
/** That are looked at. */
const MOST_HEADERS = Math.max(BASE_HEADER_END, TCP_END);
const UDP = 17;
const TCP = 6;
/** As a little-endian machine loads them. */
const IPV6_LOADED = 0xdd86;
const ROCE_PORT_LOADED = 0xb712;

/** Odd numbers without a pattern: the fractions of square roots, as SHA-512 uses them. */
const MULTIPLIERS = [
  0x6a09e667f3bcc909n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
] as const;

export function parseFrame(a: Assembler, hook: Hook, tables: PlaneTables): void {
  arrivalChecks(a, hook, tables);
  networkHeader(a, hook);
  transportHeader(a);
  hashAddresses(a);
}

/** From here on R2 is the end of the octets that may be read. */
function arrivalChecks(a: Assembler, hook: Hook, tables: PlaneTables): void {
  a.move(CONTEXT, R1);
  if (hook === 'tc') {
    a.load(4, R3, CONTEXT, SKB_CONTEXT.vlanPresent).jump('ne', R3, 0, passLabel('vlan'));
    a.load(4, R3, CONTEXT, SKB_CONTEXT.packetType).jump('ne', R3, 0, passLabel('other-host'));
  }
  readBounds(a, hook);
  if (hook === 'tc') bringHeaders(a);
  a.move(R3, FRAME).alu('add', R3, OFFSET.transport).jump('gt', R3, R2, passLabel('short'));
  a.load(2, R3, FRAME, OFFSET.etherType).jump('ne', R3, IPV6_LOADED, passLabel('not-ipv6'));
  if (hook === 'xdp') ownAddress(a, tables);
}

function readBounds(a: Assembler, hook: Hook): void {
  const fields = hook === 'xdp' ? XDP_CONTEXT : SKB_CONTEXT;
  a.load(4, FRAME, CONTEXT, fields.data).load(4, R2, CONTEXT, fields.dataEnd);
}

/** The kernel may have what a large frame begins with in other pages, where no program looks: it brings the headers here. */
function bringHeaders(a: Assembler): void {
  const [here, large, bring] = ['here', 'large', 'bring'].map((name) => a.freshLabel(`headers.${name}`));
  a.move(R3, FRAME).alu('add', R3, MOST_HEADERS).jump('le', R3, R2, here!);
  a.load(4, R4, CONTEXT, SKB_CONTEXT.length).jump('ge', R4, MOST_HEADERS, large!);
  a.move(R3, FRAME).alu('add', R3, R4).jump('le', R3, R2, here!).goto(bring!);
  a.label(large!).move(R4, MOST_HEADERS).label(bring!);
  a.move(R1, CONTEXT).move(R2, R4).call('skb_pull_data');
  readBounds(a, 'tc');
  a.label(here!);
}

/** Frames to other stations are seen too while an interface is promiscuous; a multicast is nobody's address. */
function ownAddress(a: Assembler, tables: PlaneTables): void {
  a.load(4, R3, CONTEXT, XDP_CONTEXT.ingressInterface);
  lookUpIndex(a, tables.interfaces, R3, passLabel('other-host'));
  a.load(4, R3, FRAME, 0).load(2, R4, FRAME, 4).alu('lsh', R4, 32).alu('or', R3, R4);
  a.load(8, R4, R0, 0).jump('ne', R3, R4, passLabel('other-host'));
  // The call has destroyed R2.
  a.load(4, R2, CONTEXT, XDP_CONTEXT.dataEnd);
}

function networkHeader(a: Assembler, hook: Hook): void {
  a.load(1, R3, FRAME, OFFSET.version).alu('rsh', R3, 4).jump('ne', R3, 6, passLabel('not-ipv6'));
  a.load(1, R3, FRAME, OFFSET.hopLimit).jump('le', R3, 1, passLabel('hop-limit'));
  for (const address of [OFFSET.source, OFFSET.destination]) {
    // Unspecified, loopback and mapped (00), link-local (fe), multicast (ff).
    a.load(1, R3, FRAME, address).alu('add', R3, 2).alu('and', R3, 0xff).jump('le', R3, 2, passLabel('address'));
  }
  a.load(2, R4, FRAME, OFFSET.payloadLength).toBigEndian(R4, 16).jump('eq', R4, 0, passLabel('short'));
  a.alu('add', R4, IPV6_HEADER + ETHERNET_HEADER).store(8, R10, STACK.length, R4);
  wholeFrame(a, hook);
}

/** A frame that says it is longer than it is, is the kernel's to drop. R4 is what it says. */
function wholeFrame(a: Assembler, hook: Hook): void {
  const whole = a.freshLabel('whole');
  if (hook === 'tc') {
    a.load(4, R3, CONTEXT, SKB_CONTEXT.length).jump('gt', R4, R3, passLabel('short'));
    return;
  }
  a.move(R3, FRAME).alu('add', R3, R4).jump('le', R3, R2, whole);
  // The rest may lie in other pages.
  a.move(R1, CONTEXT).call('xdp_get_buff_len').load(8, R4, R10, STACK.length);
  a.jump('gt', R4, R0, passLabel('short')).load(4, R2, CONTEXT, XDP_CONTEXT.dataEnd).label(whole);
}

/** R5 becomes ports and queue pair, R0 the next header. */
function transportHeader(a: Assembler): void {
  const done = a.freshLabel('transport');
  const roce = a.freshLabel('roce');
  const udp = a.freshLabel('udp');
  a.move(R3, OPCODE_NONE).store(8, R10, STACK.opcode, R3);
  a.load(1, R0, FRAME, OFFSET.nextHeader).jump('eq', R0, UDP, udp).jump('ne', R0, TCP, passLabel('protocol'));
  a.move(R3, FRAME).alu('add', R3, TCP_END).jump('gt', R3, R2, passLabel('short'));
  a.load(4, R5, FRAME, OFFSET.transport).goto(done);
  a.label(udp).move(R3, FRAME).alu('add', R3, UDP_END).jump('gt', R3, R2, passLabel('short'));
  a.load(4, R5, FRAME, OFFSET.transport).load(2, R3, FRAME, OFFSET.destinationPort);
  a.jump('eq', R3, ROCE_PORT_LOADED, roce).goto(done);
  a.label(roce).move(R3, FRAME).alu('add', R3, BASE_HEADER_END).jump('gt', R3, R2, passLabel('short'));
  a.load(1, R3, FRAME, OFFSET.opcode).store(8, R10, STACK.opcode, R3);
  // The octet before the queue pair's three is congestion bits.
  a.load(4, R3, FRAME, OFFSET.destinationQp).alu('rsh', R3, 8).alu('lsh', R3, 32).alu('or', R5, R3).label(done);
}

/** Multilinear in the words, so that the multiplications run side by side, and mixed once. */
function hashAddresses(a: Assembler): void {
  const [forPorts, ...forAddresses] = MULTIPLIERS;
  a.loadNumber(R3, forPorts).alu('add', R5, R0).alu('mul', R5, R3);
  for (const [word, multiplier] of forAddresses.slice(0, 4).entries()) {
    a.load(8, R1, FRAME, OFFSET.source + 8 * word)
      .loadNumber(R3, multiplier)
      .alu('mul', R1, R3)
      .alu('xor', R5, R1);
  }
  a.move(R1, R5).alu('rsh', R1, 32).alu('xor', R5, R1).loadNumber(R3, MULTIPLIERS[5]).alu('mul', R5, R3);
  a.move(R1, R5).alu('rsh', R1, 29).alu('xor', R5, R1).store(8, R10, STACK.hash, R5);
}
