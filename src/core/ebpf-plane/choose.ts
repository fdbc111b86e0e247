/**
 * Chooses one of several ports: per flowlet, for good, per packet, or by the hash alone (docs/ebpf-plane.md). CANDIDATES becomes the
 * number of the port.
 */
import type { Assembler } from '../bpf/assembler.js';
import { R0, R1, R2, R3, R4, R5, R10 } from '../bpf/instruction.js';
import { bestCandidates, type QualityOptions, sampleQuality } from './quality.js';
import { addWord, CANDIDATES, CLASS_VALUE, lookUpIndex, lowestBit, NEVER, NOW, STACK } from './stack.js';
import { CLASS_SET, FLOWSET, MOST_PORTS, MOVE, type PlaneTables, PORT_COUNT, QUALITY } from './tables.js';

export interface ReactiveOptions {
  /** Bands that the best port must be ahead. */
  readonly qualityDelta: number;
  /** Of 256 packets that could move, how many do. */
  readonly probability: number;
}

export type ChoiceOptions = QualityOptions &
  (
    | { readonly mode: 'per-packet' }
    | { readonly mode: 'assigned-flow' }
    | {
        readonly mode: 'flowlet';
        /** Nanoseconds without a packet after which the next may go elsewhere. */
        readonly inactivity: number;
        readonly reactive?: ReactiveOptions;
      }
  );

/** Below 2^31, and far from 2^32 / small numbers: classes share the table without following each other. */
const CLASS_MULTIPLIER = 0x61c88647;
const RING_NO_WAKEUP = 1;
const CLOCK_TURNS = 8;

export function choosePort(a: Assembler, tables: PlaneTables, options: ChoiceOptions): void {
  if (options.mode === 'per-packet') return byPacket(a, tables, options);
  a.call('ktime_get_ns').move(NOW, R0);
  sampleQuality(a, tables, options);
  byFlowset(a, tables, options);
}

/** The clock is a third of what a packet costs: every eighth looks at it. */
function byPacket(a: Assembler, tables: PlaneTables, options: QualityOptions): void {
  const sampled = a.freshLabel('sampled');
  a.load(4, R1, CLASS_VALUE, CLASS_SET.turns).move(R2, R1).alu('add', R2, 1);
  a.store(4, CLASS_VALUE, CLASS_SET.turns, R2)
    .alu('and', R1, CLOCK_TURNS - 1)
    .jump('ne', R1, 0, sampled);
  a.call('ktime_get_ns').move(NOW, R0);
  sampleQuality(a, tables, options);
  a.label(sampled);
  pickBest(a, tables);
  a.move(CANDIDATES, R4);
}

function byFlowset(a: Assembler, tables: PlaneTables, options: Exclude<ChoiceOptions, { mode: 'per-packet' }>): void {
  findFlowset(a, tables);
  const labels = { keep: 'flowset.keep', move: 'flowset.move', assign: 'flowset.assign', done: 'flowset.done' };
  a.load(8, R3, R0, FLOWSET.last).store(8, R0, FLOWSET.last, NOW).move(R2, NOW).alu('sub', R2, R3);
  a.store(8, R10, STACK.move + MOVE.gap, R2);
  a.load(8, R5, R0, FLOWSET.port).jump('eq', R5, 0, labels.assign);
  a.alu('sub', R5, 1)
    .alu('and', R5, MOST_PORTS - 1)
    .store(4, R10, STACK.move + MOVE.from, R5);
  a.move(R1, CANDIDATES).alu('rsh', R1, R5).alu('and', R1, 1).jump('eq', R1, 0, labels.move);
  if (options.mode === 'flowlet') considerMove(a, tables, options, labels);
  a.label(labels.keep).move(CANDIDATES, R5).goto(labels.done);
  a.label(labels.move);
  pickBest(a, tables);
  assign(a);
  recordMove(a, tables, options.mode === 'flowlet' ? options.inactivity : 0);
  a.goto(labels.done).label(labels.assign);
  pickBest(a, tables);
  assign(a);
  a.label(labels.done);
}

/** R0 becomes the address of the flowset. */
function findFlowset(a: Assembler, tables: PlaneTables): void {
  a.load(8, R1, R10, STACK.hash).load(4, R2, R10, STACK.class).alu('mul', R2, CLASS_MULTIPLIER).alu('add', R1, R2);
  a.alu32('mov', R1, R1).alu('mul', R1, tables.flowsets.maxEntries).alu('rsh', R1, 32);
  a.store(4, R10, STACK.move + MOVE.flowset, R1);
  lookUpIndex(a, tables.flowsets, R1, NEVER);
  a.store(8, R10, STACK.flowset, R0);
}

/** R2 is the gap, R5 the port so far, which is still a candidate: falls through to keep it. */
function considerMove(
  a: Assembler,
  tables: PlaneTables,
  { inactivity, reactive }: { readonly inactivity: number; readonly reactive?: ReactiveOptions },
  labels: { readonly keep: string; readonly move: string },
): void {
  const paused = a.freshLabel('flowset.paused');
  // Signed: another processor may have seen the flowset a moment later than this one.
  a.jump('sgt', R2, inactivity, paused);
  if (reactive) {
    bestCandidates(a, tables);
    a.loadMapValue(R3, tables.quality).alu('add', R3, R5).load(1, R2, R3, QUALITY.band);
    a.alu('add', R2, reactive.qualityDelta).jump('gt', R2, R4, labels.keep);
    a.call('get_prandom_u32').alu('and', R0, 0xff).jump('lt', R0, reactive.probability, labels.move);
    a.load(4, R5, R10, STACK.move + MOVE.from);
  }
  a.goto(labels.keep).label(paused);
  bestCandidates(a, tables);
  a.alu('rsh', R1, R5).alu('and', R1, 1).jump('eq', R1, 0, labels.move);
}

/** R4 becomes a port of the best band; those that are equal take turns. */
function pickBest(a: Assembler, tables: PlaneTables): void {
  const ahead = a.freshLabel('pick');
  bestCandidates(a, tables);
  a.load(4, R2, CLASS_VALUE, CLASS_SET.cursor).move(R3, R1).alu('rsh', R3, R2).alu('lsh', R3, R2);
  a.jump('ne', R3, 0, ahead).move(R3, R1).label(ahead);
  lowestBit(a, R4, R3, R2);
  a.move(R2, R4)
    .alu('add', R2, 1)
    .alu('and', R2, MOST_PORTS - 1)
    .store(4, CLASS_VALUE, CLASS_SET.cursor, R2);
}

/** The flowset gets the port in R4. */
function assign(a: Assembler): void {
  a.move(CANDIDATES, R4).load(8, R0, R10, STACK.flowset).alu('add', R4, 1).store(8, R0, FLOWSET.port, R4);
}

/** Counts the move, and as a risk when packets of before may still be on their way; tells it to whoever reads the ring. */
function recordMove(a: Assembler, tables: PlaneTables, inactivity: number): void {
  const safe = a.freshLabel('move.safe');
  a.store(8, R10, STACK.move + MOVE.time, NOW).store(4, R10, STACK.move + MOVE.to, CANDIDATES);
  a.load(4, R1, R10, STACK.class).store(4, R10, STACK.move + MOVE.class, R1);
  lookUpIndex(a, tables.portCounts, CANDIDATES, NEVER);
  a.move(R2, 1);
  addWord(a, PORT_COUNT.moves);
  a.load(8, R1, R10, STACK.move + MOVE.gap);
  if (inactivity > 0) a.jump('sgt', R1, inactivity, safe);
  addWord(a, PORT_COUNT.risks);
  if (inactivity > 0) a.label(safe);
  a.loadMap(R1, tables.moves).move(R2, R10).alu('add', R2, STACK.move).move(R3, MOVE.octets);
  a.move(R4, RING_NO_WAKEUP).call('ringbuf_output');
}

/** Jumps unless the packet is RDMA with one of the opcodes. */
export function unlessOpcode(a: Assembler, opcodes: readonly number[], otherwise: string): void {
  const balanced = a.freshLabel('opcode');
  a.load(8, R1, R10, STACK.opcode);
  for (let word = 0; word < 4; word++) {
    const bits = opcodes
      .filter((opcode) => opcode >> 6 === word)
      .reduce((set, opcode) => set | (1n << BigInt(opcode & 63)), 0n);
    if (bits === 0n) continue;
    const next = a.freshLabel('opcode.word');
    a.move(R2, R1).alu('rsh', R2, 6).jump('ne', R2, word, next);
    a.loadNumber(R3, bits).alu('and', R1, 63).alu('rsh', R3, R1).alu('and', R3, 1).jump('ne', R3, 0, balanced);
    a.goto(otherwise).label(next);
  }
  a.goto(otherwise).label(balanced);
}

/** The candidate that the hash says, whatever their quality: hash x count / 2^32 candidates are left out. */
export function hashPort(a: Assembler): void {
  const [count, counted, skip, chosen] = ['count', 'counted', 'skip', 'chosen'].map((name) =>
    a.freshLabel(`hash.${name}`),
  );
  a.move(R1, CANDIDATES).move(R2, 0).label(count!).jump('ge', R2, MOST_PORTS, counted!).jump('eq', R1, 0, counted!);
  a.move(R3, R1).alu('sub', R3, 1).alu('and', R1, R3).alu('add', R2, 1).goto(count!).label(counted!);
  a.load(8, R3, R10, STACK.hash).alu('rsh', R3, 32).alu('mul', R3, R2).alu('rsh', R3, 32);
  a.move(R1, CANDIDATES).move(R2, 0).label(skip!).jump('ge', R2, MOST_PORTS, NEVER).jump('ge', R2, R3, chosen!);
  a.move(R4, R1).alu('sub', R4, 1).alu('and', R1, R4).alu('add', R2, 1).goto(skip!).label(chosen!);
  lowestBit(a, R4, R1, R2);
  a.move(CANDIDATES, R4);
}
