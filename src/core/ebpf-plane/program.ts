/**
 * The program of the eBPF plane, for one hook and one way of balancing: another way is another program over the same tables, which takes
 * the place of the first between two packets.
 *
 *     frame -> longest prefix -> class -> primary ports that are up, or else fallback ports that are up -> one of them -> out
 *
 * Whatever does not go that way is the kernel's, unchanged, and counted by reason.
 */
import { Assembler } from '../bpf/assembler.js';
import { type Program, R0, R1, R2, R3, R4, R6, R10 } from '../bpf/instruction.js';
import { type Hook, VERDICT } from '../bpf/interpreter/context.js';
import { type ChoiceOptions, choosePort, hashPort, unlessOpcode } from './choose.js';
import { forward } from './forward.js';
import { OFFSET, parseFrame } from './parse.js';
import { CANDIDATES, CLASS_VALUE, FRAME, lookUpIndex, lowestBit, NEVER, passLabel, STACK } from './stack.js';
import { CLASS_SET, LEAVE_TO_KERNEL, LINKS, PASS_REASONS, type PlaneTables, PREFIX } from './tables.js';

export type ProgramOptions = ChoiceOptions & {
  readonly hook: Hook;
  /** RDMA operations that are balanced by quality, everything else by its hash; absent: all packets are. */
  readonly opcodes?: readonly number[];
};

/** What it is called in the kernel. */
export const PROGRAM_NAME = 'heddle_plane';

const FORWARD = 'forward';
const ADDRESS_BITS = 128;

export function planeProgram(tables: PlaneTables, options: ProgramOptions): Program {
  const a = new Assembler(PROGRAM_NAME);
  parseFrame(a, options.hook, tables);
  findClass(a, tables);
  findCandidates(a, options.hook, tables);
  onlyOne(a);
  if (options.opcodes) {
    unlessOpcode(a, options.opcodes, 'by-hash');
    choosePort(a, tables, options);
    a.goto(FORWARD).label('by-hash');
    hashPort(a);
  } else choosePort(a, tables, options);
  a.label(FORWARD);
  forward(a, options.hook, tables);
  leaveToKernel(a, options.hook, tables);
  return a.program();
}

function findClass(a: Assembler, tables: PlaneTables): void {
  const ours = a.freshLabel('class');
  a.move(R1, ADDRESS_BITS).store(4, R10, STACK.prefix, R1);
  for (const half of [0, 8]) a.load(8, R1, FRAME, OFFSET.destination + half).store(8, R10, STACK.prefix + 4 + half, R1);
  a.loadMap(R1, tables.prefixes).move(R2, R10).alu('add', R2, STACK.prefix).call('map_lookup_elem');
  a.jump('eq', R0, 0, passLabel('no-route')).load(4, R1, R0, PREFIX.class).load(4, R2, R0, PREFIX.counter);
  a.jump32('ne', R1, LEAVE_TO_KERNEL | 0, ours)
    .goto(passLabel('other-route'))
    .label(ours);
  a.store(4, R10, STACK.counter, R2).store(4, R10, STACK.class, R1);
  lookUpIndex(a, tables.classes, R1, NEVER);
  a.move(CLASS_VALUE, R0);
}

function findCandidates(a: Assembler, hook: Hook, tables: PlaneTables): void {
  const found = a.freshLabel('candidates');
  // The kernel's last tick is near enough, and costs a tenth of the clock.
  a.call('ktime_get_coarse_ns').loadMapValue(R1, tables.links).load(8, R2, R1, LINKS.deadline);
  a.jump('gt', R0, R2, passLabel('stale')).load(8, R2, R1, LINKS.usable);
  a.loadMapValue(R4, tables.lost).load(8, R4, R4).alu('xor', R4, -1).alu('and', R2, R4);
  a.load(8, CANDIDATES, CLASS_VALUE, CLASS_SET.primary).alu('and', CANDIDATES, R2).move(R3, 0);
  a.jump('ne', CANDIDATES, 0, found);
  a.load(8, CANDIDATES, CLASS_VALUE, CLASS_SET.fallback).alu('and', CANDIDATES, R2).move(R3, 1);
  a.jump('eq', CANDIDATES, 0, passLabel('no-port')).label(found).store(8, R10, STACK.fallback, R3);
  if (hook !== 'xdp') return;
  a.load(8, R4, R1, LINKS.native).alu('xor', R4, -1).alu('and', R4, CANDIDATES);
  a.jump('ne', R4, 0, passLabel('not-native'));
}

/** A class with one port up needs no balancing: its packets know the way. */
function onlyOne(a: Assembler): void {
  const several = a.freshLabel('several');
  a.move(R1, CANDIDATES).alu('sub', R1, 1).alu('and', R1, CANDIDATES).jump('ne', R1, 0, several);
  a.move(R1, CANDIDATES);
  lowestBit(a, CANDIDATES, R1, R2);
  a.goto(FORWARD).label(several);
}

function leaveToKernel(a: Assembler, hook: Hook, tables: PlaneTables): void {
  for (const [number, reason] of PASS_REASONS.entries()) {
    if (!a.isJumpedTo(passLabel(reason))) continue;
    a.label(passLabel(reason))
      .move(R6, number * 8)
      .goto('leave');
  }
  a.label('leave');
  lookUpIndex(a, tables.passed, 0, NEVER);
  a.alu('add', R0, R6).load(8, R1, R0, 0).alu('add', R1, 1).store(8, R0, 0, R1);
  a.label(NEVER).move(R0, VERDICT[hook].pass).exit();
}
