/**
 * The programs of the eBPF plane on any frames: the kernel runs them (BPF_PROG_TEST_RUN) and so does our interpreter, over tables that say the
 * same, and both must give the same verdict, the same octets and the same counts. Needs the rights that bpf(2) needs.
 */
import type { Hook } from '../core/bpf/interpreter/context.js';
import { Machine } from '../core/bpf/interpreter/machine.js';
import { newTable } from '../core/bpf/interpreter/tables.js';
import type { ChoiceOptions } from '../core/ebpf-plane/choose.js';
import { MemoryPlaneTables } from '../core/ebpf-plane/memory-tables.js';
import { type ProgramOptions, planeProgram } from '../core/ebpf-plane/program.js';
import { LEAVE_TO_KERNEL, PASS_REASONS, type PassReason } from '../core/ebpf-plane/tables.js';
import { parsePrefix } from '../core/net/prefix.js';
import type { BpfProgram } from '../edge/linux/bpf/bpf-program.js';
import { LinuxPlaneTables } from '../edge/linux/bpf/plane-tables.js';
import { Dice } from './dice.js';
import type { Finds } from './finds.js';
import { draftFrame } from './frame-draft.js';

const SIZES = { prefixes: 16, classes: 4, flowsets: 256 };
const PORTS = 4;
const MTU = 1280;
/** Test runs seem to come in by it; redirects lead there, and are not done. */
const LOOPBACK = 1;
const XDP_STATION = Uint8Array.of(2, 0, 0, 0, 0, 9);
const LOOPBACK_STATION = new Uint8Array(6);
/** What the kernel takes for a frame: the link's header, and at traffic control the packet's. */
const LEAST = { xdp: 14, tc: 55 } as const;
const FOR_EVER = 2n ** 63n - 1n;
/** No load is seen on ports of such capacity, so time makes no difference. */
const CAPACITY = 1e12;
const QUALITY = { minimum: 20, maximum: 80, sampling: 10_000_000 } as const;
/** Nanoseconds; no flowlet ends while a busy machine is elsewhere. */
const INACTIVITY = 2_000_000_000;
const WAYS: readonly (ChoiceOptions & { readonly opcodes?: readonly number[] })[] = [
  { ...QUALITY, mode: 'flowlet', inactivity: INACTIVITY },
  { ...QUALITY, mode: 'flowlet', inactivity: INACTIVITY, opcodes: [0x06, 0x07, 0x08, 0x0a] },
  { ...QUALITY, mode: 'assigned-flow' },
  { ...QUALITY, mode: 'per-packet' },
];
const HOOKS: readonly Hook[] = ['xdp', 'tc'];

export class PlaneFuzzer {
  count = 0;
  /** Frames that were sent on. */
  forwarded = 0;
  private readonly twins: readonly Twin[];
  private readonly dice: Dice;

  /** Throws BpfError where the kernel refuses programs or tables. */
  constructor(
    seed: number,
    private readonly finds: Finds,
  ) {
    this.dice = new Dice(seed);
    this.twins = HOOKS.flatMap((hook) => WAYS.map((way) => new Twin({ ...way, hook })));
  }

  run(count: number): void {
    for (let left = count; left > 0; left--) this.one(this.dice.pick(this.twins));
    for (const { name, counts } of this.twins) {
      const [kernel, paper] = counts();
      if (kernel !== paper)
        this.finds.add('other counts', name, { detail: `kernel ${kernel}\ninterpreter ${paper}`, input: '' });
    }
  }

  /** Why frames were left to the kernel. */
  reasons(): ReadonlySet<PassReason> {
    const seen = this.twins.map((twin) => twin.passed());
    return new Set(PASS_REASONS.filter((_, place) => seen.some((counts) => counts[place]! > 0n)));
  }

  close(): void {
    for (const twin of this.twins) twin.close();
  }

  private one(twin: Twin): void {
    const { dice } = this;
    const station = twin.hook === 'xdp' && dice.once(20) ? dice.octets(6) : twin.station;
    const frame = draftFrame(dice, station, LEAST[twin.hook]);
    this.count++;
    try {
      const [kernel, paper] = twin.outcomes(frame);
      if (kernel !== paper)
        this.finds.add('another outcome', twin.name, {
          detail: `kernel ${kernel}\ninterpreter ${paper}`,
          input: frame,
        });
      else if (!kernel.endsWith(` ${textOf(frame)}`)) this.forwarded++;
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      this.finds.add('an exception', twin.name, { detail, input: frame });
    }
  }
}

/** One program twice. */
class Twin {
  readonly hook: Hook;
  readonly name: string;
  readonly station: Uint8Array;
  private readonly kernel = new LinuxPlaneTables(SIZES);
  private readonly program: BpfProgram;
  private readonly paper: MemoryPlaneTables;
  private readonly machine: Machine;

  constructor(options: ProgramOptions) {
    const { hook, mode, opcodes } = options;
    this.hook = hook;
    this.name = `eBPF plane at ${hook}, ${mode}${opcodes ? ' by opcode' : ''}`;
    this.station = hook === 'xdp' ? XDP_STATION : LOOPBACK_STATION;
    const { definitions } = this.kernel;
    const tables = new Map(Object.values(definitions).map((definition) => [definition.name, newTable(definition)]));
    this.paper = new MemoryPlaneTables(tables);
    this.machine = new Machine(planeProgram(definitions, options), hook, { now: () => 1n, random: () => 0, tables });
    for (const writer of [this.kernel, this.paper]) fill(writer);
    this.program = this.kernel.load(options);
  }

  /** Of the kernel and of the interpreter. */
  outcomes(frame: Uint8Array): readonly [string, string] {
    const inKernel = this.program.test(frame);
    const onPaper = this.machine.run({ frame, interfaceIndex: LOOPBACK });
    return [`${inKernel.verdict} ${textOf(inKernel.frame)}`, `${onPaper.verdict} ${textOf(onPaper.frame)}`];
  }

  passed(): readonly bigint[] {
    return this.paper.passed();
  }

  readonly counts = (): readonly [string, string] => [countsOf(this.kernel), countsOf(this.paper)];

  close(): void {
    this.program.close();
    this.kernel.close();
  }
}

type Filled = Pick<
  LinuxPlaneTables,
  'setPort' | 'setLinks' | 'setClass' | 'setPrefix' | 'setPressure' | 'setInterface' | 'portCounts' | 'passed'
>;

/** The first port, which is down, before others; over the last nobody answers yet. */
function fill(tables: Filled): void {
  for (let port = 0; port < PORTS; port++) {
    const [source, destination] = [Uint8Array.of(2, 2, 0, 0, 0, port), Uint8Array.of(2, 1, 0, 0, 0, port)];
    const mtu = port === PORTS - 1 ? 0 : MTU;
    tables.setPort(port, { interfaceIndex: LOOPBACK, mtu, source, destination });
  }
  tables.setInterface(LOOPBACK, XDP_STATION);
  tables.setLinks({ usable: 0b1110n, native: 0b1110n, ports: PORTS, deadline: FOR_EVER });
  tables.setPressure(
    Array.from({ length: PORTS }, () => ({ capacity: CAPACITY, backlog: 0 })),
    50,
  );
  tables.setClass(0, 0b0001n, 0b0110n);
  tables.setClass(1, 0b0010n, 0b1100n);
  tables.setClass(2, 0b0001n, 0b1000n);
  tables.setClass(3, 0b0001n, 0n);
  tables.setPrefix(parsePrefix('2001:db8:1::/64')!, 0, 0);
  tables.setPrefix(parsePrefix('2001:db8:1::8/128')!, 1, 1);
  tables.setPrefix(parsePrefix('2001:db8:1:0:ff::/80')!, LEAVE_TO_KERNEL, 0);
  tables.setPrefix(parsePrefix('2001:db8:2::/64')!, 2, 2);
  tables.setPrefix(parsePrefix('2001:db8:8::/64')!, 3, 3);
}

function countsOf(tables: Filled): string {
  const passed = tables.passed().map((count, place) => `${PASS_REASONS[place]} ${count}`);
  const ports = Array.from({ length: PORTS }, (_, port) => tables.portCounts(port).join('/'));
  return [...passed, ...ports].join(', ');
}

function textOf(frame: Uint8Array): string {
  return Buffer.from(frame).toString('hex');
}
