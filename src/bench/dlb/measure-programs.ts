/** The small programs around the one that is measured: what sends frames, what takes them in at the end, and what a decision is compared with. */
import { Assembler } from '../../core/bpf/assembler.js';
import { R0, R1, R2, R3, R4, R5, R10 } from '../../core/bpf/instruction.js';
import type { Hook } from '../../core/bpf/interpreter/context.js';
import type { MapDefinition } from '../../core/bpf/map-definition.js';
import type { PlaneTables } from '../../core/ebpf-plane/tables.js';
import { BpfProgram } from '../../edge/linux/bpf/bpf-program.js';
import type { PARTS } from './subjects.js';

/** XDP_DROP, TC_ACT_SHOT. */
const DROP: Readonly<Record<Hook, number>> = { xdp: 1, tc: 2 };
export const XDP_PASS = 2;
/** Of a test run: out by the interface that the frame is said to have come in by. */
export const XDP_TX = 3;
/** struct xdp_md. */
const DATA = 0;
const DATA_END = 4;
const HOP_LIMIT = { offset: 21, most: 255 } as const;
const KEY = -24;

/** What the kernel does for a decision, added to a bare redirect. */
export type Part = (typeof PARTS)[number];

/** Frames of a test run come round in the same pages: they get back the hop that they lost. XDP only; R1 is the context, R2 to R5 are destroyed. */
function restoreHops(a: Assembler): void {
  const short = a.freshLabel('short');
  a.load(4, R2, R1, DATA)
    .load(4, R3, R1, DATA_END)
    .move(R4, R2)
    .alu('add', R4, HOP_LIMIT.offset + 1)
    .jump('gt', R4, R3, short);
  a.move(R5, HOP_LIMIT.most).store(1, R2, HOP_LIMIT.offset, R5).label(short);
}

/** At XDP, for all frames the same. */
export function verdict(number: number): BpfProgram {
  const a = new Assembler('verdict');
  restoreHops(a);
  return BpfProgram.load(a.move(R0, number).exit().program(), 'xdp', () => 0);
}

/** Counts what comes, and throws it away. */
export function sink(hook: Hook, counter: MapDefinition, descriptorOf: (map: MapDefinition) => number): BpfProgram {
  const a = new Assembler('sink');
  if (hook === 'xdp') restoreHops(a);
  a.move(R1, 0).store(4, R10, KEY, R1).move(R2, R10).alu('add', R2, KEY);
  a.loadMap(R1, counter).call('map_lookup_elem').jump('eq', R0, 0, 'out');
  a.load(8, R1, R0).alu('add', R1, 1).store(8, R0, 0, R1).label('out').move(R0, DROP[hook]).exit();
  return BpfProgram.load(a.program(), hook, descriptorOf);
}

/** A redirect to one port without a look at the frame. */
export function bareRedirect(
  hook: Hook,
  { tables, interfaceIndex, part, destination }: BareParts,
  descriptorOf: (map: MapDefinition) => number,
): BpfProgram {
  const a = new Assembler('bare');
  if (part === 'clock') a.call('ktime_get_ns');
  if (part === 'route') lookUpRoute(a, tables, destination);
  if (hook === 'tc') a.move(R1, interfaceIndex).move(R2, 0).call('redirect');
  else a.loadMap(R1, tables.devices).move(R2, 0).move(R3, XDP_PASS).call('redirect_map');
  return BpfProgram.load(a.exit().program(), hook, descriptorOf);
}

export interface BareParts {
  readonly tables: PlaneTables;
  /** At traffic control: of the port. */
  readonly interfaceIndex: number;
  readonly part?: Part;
  /** That is looked up. */
  readonly destination: Uint8Array;
}

function lookUpRoute(a: Assembler, tables: PlaneTables, destination: Uint8Array): void {
  const words = new DataView(destination.buffer, destination.byteOffset);
  a.move(R1, 8 * destination.length).store(4, R10, KEY, R1);
  for (let at = 0; at < destination.length; at += 4)
    a.loadNumber(R1, BigInt(words.getUint32(at, true))).store(4, R10, KEY + 4 + at, R1);
  a.loadMap(R1, tables.prefixes).move(R2, R10).alu('add', R2, KEY).call('map_lookup_elem');
}
