/** A plane without a kernel: the program in the interpreter, with tables, ports and frames to play with. */

import { CLASS, JUMP, type Program } from '../bpf/instruction.js';
import type { Arrival } from '../bpf/interpreter/context.js';
import { Machine, type Outcome } from '../bpf/interpreter/machine.js';
import { newTable, type RingTable, type Table } from '../bpf/interpreter/tables.js';
import { instructionText, placeOf } from '../bpf/listing.js';
import { type Address, parseAddress } from '../net/address.js';
import { parsePrefix } from '../net/prefix.js';
import { linkWatchProgram } from './link-watch.js';
import { MemoryPlaneTables } from './memory-tables.js';
import { type ProgramOptions, planeProgram } from './program.js';
import { NEVER } from './stack.js';
import {
  LEAVE_TO_KERNEL,
  type Move,
  PASS_REASONS,
  type PassReason,
  type PlaneTables,
  type PortPressure,
  planeTables,
  prefixKey,
  prefixValue,
  readMove,
} from './tables.js';

export const INGRESS = 9;
export const OWN_MAC = Uint8Array.of(2, 0, 0, 0, 0, 9);
export const neighbourMac = (port: number) => Uint8Array.of(2, 1, 0, 0, 0, port);
export const portMac = (port: number) => Uint8Array.of(2, 2, 0, 0, 0, port);
/** Interface of a port. */
export const interfaceOf = (port: number) => 100 + port;
export const MTU = 4200;
const FOR_EVER = 2n ** 63n - 1n;
/** Octets a second that a port takes. */
export const CAPACITY = 1e9;
export const FLOWSETS = 256;
export const QUALITY = { minimum: 20, maximum: 80, sampling: 16_000 } as const;
export const TABLES: PlaneTables = planeTables({ prefixes: 16, classes: 4, flowsets: FLOWSETS });
/** Prefix of class 0, which has port 0 before ports 1 to 3. */
export const TO = '2001:db8:1::1';

/** What has run. */
const seen: { readonly program: Program; readonly machine: Machine }[] = [];

export class PlaneOnPaper {
  now = 1_000_000_000n;
  /** What the program's lots come to. */
  lot = 0;
  private readonly machine: Machine;
  private readonly linkWatch: Machine;
  /** For what keeps the tables, too. */
  readonly writer: MemoryPlaneTables;
  private readonly written: [Uint8Array, Uint8Array][] = [];
  private passedBefore = PASS_REASONS.map(() => 0n);

  constructor(options: ProgramOptions, ports = 4, prepared = true) {
    const program = planeProgram(TABLES, options);
    const tables = new Map(Object.values(TABLES).map((definition) => [definition.name, newTable(definition)]));
    this.writer = new MemoryPlaneTables(tables);
    const world = { now: () => this.now, random: () => this.lot, tables };
    this.machine = new Machine(program, options.hook, world);
    const linkWatch = linkWatchProgram(TABLES);
    this.linkWatch = new Machine(linkWatch, 'socket', world);
    seen.push({ program, machine: this.machine }, { program: linkWatch, machine: this.linkWatch });
    this.writer.setInterface(INGRESS, OWN_MAC);
    if (!prepared) return;
    for (let port = 0; port < ports; port++) this.setPort(port);
    const all = (1n << BigInt(ports)) - 1n;
    this.setLinks(all, all, ports);
    this.setClass(0, 1n, all & ~1n);
    this.setPrefix('2001:db8:1::/64', 0, 0);
    this.setPrefix('2001:db8:1:0:ff::/80', LEAVE_TO_KERNEL, 0);
    this.setPressure(Array.from({ length: ports }, () => ({ capacity: CAPACITY, backlog: 0 })));
  }

  table(name: string): Table {
    return this.writer.table(name);
  }

  setPort(port: number, mtu = MTU): void {
    const [source, destination] = [portMac(port), neighbourMac(port)];
    this.writer.setPort(port, { interfaceIndex: interfaceOf(port), mtu, source, destination });
  }

  setLinks(usable: bigint, native = usable, ports = 4, deadline = FOR_EVER): void {
    this.writer.setLinks({ usable, native, ports, deadline });
  }

  setClass(number: number, primary: bigint, fallback: bigint): void {
    this.writer.setClass(number, primary, fallback);
  }

  setPrefix(prefix: string, classNumber: number, counter: number): void {
    const [key, value] = [prefixKey(parsePrefix(prefix)!), prefixValue(classNumber, counter)];
    this.table('prefixes').update(key, value);
    this.written.push([key, value]);
  }

  /** Keys and values of all prefixes. */
  prefixes(): readonly (readonly [Uint8Array, Uint8Array])[] {
    return this.written;
  }

  setPressure(ports: readonly PortPressure[], loadWeight = 50): void {
    this.writer.setPressure(ports, loadWeight);
  }

  send(frame: Uint8Array, arrival: Partial<Arrival> = {}): Outcome {
    this.passedBefore = this.passed();
    return this.machine.run({ frame, interfaceIndex: INGRESS, ...arrival });
  }

  /** The kernel tells those who listen of a link. */
  tell(message: Uint8Array): Outcome {
    return this.linkWatch.run({ frame: message, interfaceIndex: 0 });
  }

  /** The port that the frame left by; `undefined` when the kernel has it. */
  portOf(frame: Uint8Array): number | undefined {
    const { redirectedTo } = this.send(frame);
    return redirectedTo === undefined ? undefined : redirectedTo - interfaceOf(0);
  }

  /** Why the last frame was left to the kernel. */
  lastReason(): PassReason | undefined {
    const counts = this.passed();
    return PASS_REASONS.find((_, place) => counts[place]! > this.passedBefore[place]!);
  }

  words(table: string, index: number): readonly bigint[] {
    return this.writer.words(table, index);
  }

  moves(): readonly Move[] {
    return (this.table('moves') as RingTable).records.map(readMove);
  }

  private passed(): bigint[] {
    return [...this.words('passed', 0)];
  }
}

/**
 * Ways through the code that nothing has taken in any of the programs of this name that have run: `LABEL+OFFSET: instruction`, and which way a jump
 * never went. Programs have pieces in common, whose labels differ in their numbers only.
 */
export function unseenWays(name: string): readonly string[] {
  const ways = new Map<string, number>();
  for (const { program, machine } of seen.filter((one) => one.program.name === name))
    for (const [index, { code }] of program.instructions.entries()) {
      if (code === 0) continue;
      const text = instructionText(program, index);
      const key = `${placeOf(program, index)}: ${text}`.replaceAll(/\.\d+/g, '');
      const never = text.endsWith(`goto ${NEVER}`) || !isConditional(code) ? 3 : 0;
      const taken = machine.visited[index]!;
      ways.set(key, (ways.get(key) ?? 0) | taken | (taken === 0 ? 0 : never));
    }
  return [...ways].filter(([, taken]) => taken !== 3).map(([key, taken]) => `${key} (${taken})`);
}

function isConditional(code: number): boolean {
  const kind = code & 7;
  const operation = code & 0xf0;
  const jump = kind === CLASS.jmp || kind === CLASS.jmp32;
  return jump && operation !== JUMP.always && operation !== JUMP.call && operation !== JUMP.exit;
}

export interface FrameParts {
  readonly destination?: string;
  readonly source?: string;
  readonly hopLimit?: number;
  readonly nextHeader?: number;
  readonly sourcePort?: number;
  readonly destinationPort?: number;
  readonly opcode?: number;
  readonly queuePair?: number;
  /** Octets of UDP payload. */
  readonly payload?: number;
  readonly to?: Uint8Array;
}

const address = (text: string): Address => parseAddress(text)!;

/** A RoCEv2 frame, unless told otherwise. */
export function frameOf(parts: FrameParts = {}): Uint8Array {
  const { payload = 64, nextHeader = 17, hopLimit = 64, sourcePort = 0xc001, destinationPort = 4791 } = parts;
  const { opcode = 0x07, queuePair = 17, to = OWN_MAC } = parts;
  const frame = new Uint8Array(62 + payload);
  const view = new DataView(frame.buffer);
  frame.set(to, 0);
  frame.set([2, 0, 0, 0, 0, 1], 6);
  view.setUint16(12, 0x86dd);
  view.setUint32(14, 0x60000000);
  view.setUint16(18, 8 + payload);
  view.setUint8(20, nextHeader);
  view.setUint8(21, hopLimit);
  frame.set(address(parts.source ?? '2001:db8:2::1'), 22);
  frame.set(address(parts.destination ?? TO), 38);
  view.setUint16(54, sourcePort);
  view.setUint16(56, destinationPort);
  view.setUint16(58, 8 + payload);
  if (payload >= 12) {
    view.setUint8(62, opcode);
    view.setUint32(66, queuePair);
    // Congestion bits, beside the queue pair.
    view.setUint8(66, 0x40);
  }
  return frame;
}

/** The frame as it must leave by the port. */
export function rewritten(frame: Uint8Array, port: number): Uint8Array {
  const out = frame.slice();
  out.set(neighbourMac(port), 0);
  out.set(portMac(port), 6);
  out[21] = out[21]! - 1;
  return out;
}
