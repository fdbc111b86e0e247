/** Runs inside the stage's namespace: prints one measurement a line, as JSON. Its argument is the rows to measure. */
import { readFileSync } from 'node:fs';
import type { Hook } from '../../core/bpf/interpreter/context.js';
import type { ChoiceOptions } from '../../core/ebpf-plane/choose.js';
import { indexKey } from '../../core/ebpf-plane/tables.js';
import { parseAddress } from '../../core/net/address.js';
import { parsePrefix } from '../../core/net/prefix.js';
import { BpfMap } from '../../edge/linux/bpf/bpf-map.js';
import type { BpfAttachment, BpfProgram } from '../../edge/linux/bpf/bpf-program.js';
import { LinuxPlaneTables } from '../../edge/linux/bpf/plane-tables.js';
import { FrameSender } from '../../edge/linux/frame-sender.js';
import { percentile } from '../common/statistics.js';
import { bareRedirect, type Part, sink, verdict, XDP_PASS, XDP_TX } from './measure-programs.js';
import { INGRESS, INGRESS_PEER, MTU, PORTS, PREFIX, portName, sinkName } from './stage.js';
import {
  COST,
  FLOWLET,
  KERNEL,
  NOBODY,
  PART_NAME,
  PARTS,
  PER_PACKET,
  PRIMARY,
  type RowName,
  rateFigure,
  receivedFigure,
  SENT_SIZES,
  SIZES,
  SUBJECTS,
  type Subject,
  sentFigure,
} from './subjects.js';

/** A test run works on one frame, whose hop limit gets less each time. What comes before the first run, and its cold caches, are in both. */
const RUNS = { few: 50, many: 250 } as const;
const BATCHES = 400;
/** Of the batches, how many are undisturbed by the rest of the machine. */
const UNDISTURBED = 0.25;
/**
 * Frames of a call of the test run. Each call also waits for the kernel's other processors (a grace period of RCU, 24 ms where it was measured),
 * as long for few frames as for many.
 */
const LIVE_FRAMES = { few: 64, many: 400_000 } as const;
const LIVE_CALLS = 4;
/** Frames of a socket. */
const SENT_FRAMES = 12_000;
const SENT_CALLS = 20;
const QUALITY = { minimum: 20, maximum: 80, sampling: 16_000 } as const;
const WAYS: Readonly<Partial<Record<Subject, ChoiceOptions>>> = {
  [PRIMARY]: { ...QUALITY, mode: 'flowlet', inactivity: 128_000 },
  [FLOWLET]: { ...QUALITY, mode: 'flowlet', inactivity: 128_000 },
  [PER_PACKET]: { ...QUALITY, mode: 'per-packet' },
};
const DESTINATION = parseAddress('2001:db8:1::1')!;
const ALL_PORTS = 0b1111n;
const FOR_EVER = 2n ** 63n - 1n;

const FAR_ENDS = PORTS.map((port) => indexOf(sinkName(port)));

type Sender = Subject | typeof NOBODY;

interface Programs {
  readonly hook: Hook;
  /** Interfaces where frames are counted. */
  readonly ends: readonly number[];
  /** Closed at the end. */
  readonly ingress?: BpfProgram;
}

class Measuring {
  private readonly plane = new LinuxPlaneTables({ prefixes: 1024, classes: 64, flowsets: 2048 });
  private readonly arrived = new BpfMap({
    name: 'arrived',
    type: 'per-cpu-array',
    keySize: 4,
    valueSize: 8,
    maxEntries: 1,
  });
  private readonly ingress = indexOf(INGRESS);

  constructor() {
    this.plane.setPrefix(parsePrefix(PREFIX)!, 0, 0);
    this.plane.setLinks({ usable: ALL_PORTS, native: ALL_PORTS, ports: PORTS.length, deadline: FOR_EVER });
    this.plane.setInterface(this.ingress, macOf(INGRESS));
    // A test run without live frames comes in at the loopback interface.
    this.plane.setInterface(1, macOf(INGRESS));
    this.plane.setPressure(
      PORTS.map(() => ({ capacity: 5e10, backlog: 0 })),
      60,
    );
    for (const port of PORTS) {
      const name = portName(port);
      this.plane.setPort(port, {
        interfaceIndex: indexOf(name),
        mtu: MTU,
        source: macOf(name),
        destination: macOf(INGRESS),
      });
    }
  }

  /** While frames go over the far ends' programs, which count and throw away; at the ingress is another. */
  private during<Result>({ hook, ends, ingress }: Programs, work: () => Result): Result {
    const how = hook === 'xdp' ? 'native' : 'tc';
    const end = sink(hook, this.arrived.definition, () => this.arrived.fileDescriptor);
    const attachments: BpfAttachment[] = [];
    try {
      for (const place of ends) attachments.push(end.attach(place, how));
      if (ingress) attachments.push(ingress.attach(this.ingress, how));
      return work();
    } finally {
      for (const one of [...attachments, end, ingress]) one?.close();
    }
  }

  /** What an undisturbed run takes, in nanoseconds: one more among many. */
  cost(subject: Subject): number {
    const program = this.programOf(subject, 'xdp');
    return program ? this.costOf(program) : 0;
  }

  /** What the kernel's part of it takes. */
  costOfPart(part: Part): number {
    return this.costOf(this.bare('xdp', part));
  }

  private costOf(program: BpfProgram): number {
    const frame = frameOf(SIZES[0]);
    const spent = (runs: number) => {
      const durations = Array.from({ length: BATCHES }, () => program.test(frame, runs).duration);
      return percentile(durations, UNDISTURBED) * runs;
    };
    const [few, many] = [spent(RUNS.few), spent(RUNS.many)];
    program.close();
    return Math.round((many - few) / (RUNS.many - RUNS.few));
  }

  /** Frames that came out at the far ends, in millions a second, without a sender: the program has them from the kernel's test run. */
  rate(subject: Subject, octets: number): number {
    const program = this.programOf(subject, 'xdp') ?? verdict(XDP_PASS);
    const work = () => this.flood(subject, octets, { program, from: this.ingress });
    const rate = this.during({ hook: 'xdp', ends: FAR_ENDS, ingress: verdict(XDP_PASS) }, work);
    program.close();
    return rate;
  }

  /** The same where the program is attached, and gets frames that the far end of the link sends. */
  receivedRate(subject: Subject, octets: number): number {
    const sender = verdict(XDP_TX);
    const work = () => this.flood(subject, octets, { program: sender, from: indexOf(INGRESS_PEER) });
    const ingress = this.programOf(subject, 'xdp') ?? verdict(XDP_PASS);
    const rate = this.during({ hook: 'xdp', ends: FAR_ENDS, ingress }, work);
    sender.close();
    return rate;
  }

  /**
   * The same at traffic control, where heddle's programs are on a veth, for frames of a socket. When nobody is to forward them they are
   * thrown away there.
   */
  sentRate(subject: Sender, octets: number): number {
    const ingress = subject === NOBODY ? undefined : this.programOf(subject, 'tc');
    const ends = subject === NOBODY ? [this.ingress] : FAR_ENDS;
    return this.during({ hook: 'tc', ends, ...(ingress && { ingress }) }, () => {
      const sender = new FrameSender(indexOf(INGRESS_PEER), frameOf(octets));
      try {
        return this.sending(subject, sender);
      } finally {
        sender.close();
      }
    });
  }

  private flood(
    subject: Subject,
    octets: number,
    { program, from }: { readonly program: BpfProgram; readonly from: number },
  ): number {
    const frame = frameOf(octets);
    const spent = (frames: number) => {
      const durations = Array.from({ length: LIVE_CALLS }, () => {
        const start = performance.now();
        program.sendLive(frame, frames, from);
        return performance.now() - start;
      });
      return percentile(durations, 0.5);
    };
    const before = this.count();
    const few = spent(LIVE_FRAMES.few);
    const many = spent(LIVE_FRAMES.many);
    this.expectArrival(subject, before, LIVE_CALLS * (LIVE_FRAMES.few + LIVE_FRAMES.many));
    return (LIVE_FRAMES.many - LIVE_FRAMES.few) / (many - few) / 1000;
  }

  /** Millions a second of the frames of a socket. */
  private sending(subject: Sender, sender: FrameSender): number {
    sender.send(SENT_FRAMES);
    const [before, start] = [this.count(), performance.now()];
    for (let call = 0; call < SENT_CALLS; call++) sender.send(SENT_FRAMES);
    const seconds = (performance.now() - start) / 1000;
    return this.expectArrival(subject, before, SENT_FRAMES * SENT_CALLS) / seconds / 1e6;
  }

  /** How many came out since. */
  private expectArrival(subject: Sender, before: number, sent: number): number {
    const arrived = this.count() - before;
    if (arrived < sent / 2) throw new Error(`${subject}: of ${sent} frames ${arrived} came out`);
    return arrived;
  }

  close(): void {
    this.plane.close();
    this.arrived.close();
  }

  /** `undefined` for the kernel, which forwards without one. */
  private programOf(subject: Subject, hook: Hook): BpfProgram | undefined {
    this.plane.setClass(0, subject === PRIMARY ? 1n : 0n, ALL_PORTS);
    if (subject === KERNEL) return undefined;
    const way = WAYS[subject];
    if (way) return this.plane.load({ ...way, hook });
    return this.bare(hook);
  }

  private bare(hook: Hook, part?: Part): BpfProgram {
    const { definitions, descriptorOf } = this.plane;
    const parts = { tables: definitions, interfaceIndex: indexOf(portName(0)), destination: DESTINATION };
    return bareRedirect(hook, { ...parts, ...(part && { part }) }, descriptorOf);
  }

  private count(): number {
    return Number(this.arrived.sum(indexKey(0))[0]);
  }
}

function indexOf(name: string): number {
  return Number(readFileSync(`/sys/class/net/${name}/ifindex`, 'latin1'));
}

function macOf(name: string): Uint8Array {
  const text = readFileSync(`/sys/class/net/${name}/address`, 'latin1').trim();
  return Uint8Array.from(text.split(':'), (octet) => Number.parseInt(octet, 16));
}

/** A middle of an RDMA write, of so many octets with all headers. */
function frameOf(octets: number): Uint8Array {
  const frame = new Uint8Array(octets);
  const view = new DataView(frame.buffer);
  frame.set(macOf(INGRESS), 0);
  view.setUint16(12, 0x86dd);
  view.setUint32(14, 0x60000000);
  view.setUint16(18, octets - 54);
  view.setUint8(20, 17);
  view.setUint8(21, 255);
  frame.set(parseAddress('2001:db8:2::1')!, 22);
  frame.set(DESTINATION, 38);
  view.setUint16(54, 0xc001);
  view.setUint16(56, 4791);
  view.setUint16(58, octets - 54);
  view.setUint8(62, 0x07);
  view.setUint32(66, 17);
  return frame;
}

function main(rows: readonly string[]): void {
  const measuring = new Measuring();
  const print = (row: RowName, figure: string, subject: string, value: number) =>
    console.log(JSON.stringify({ row, figure, subject, value }));
  try {
    if (rows.includes('cost'))
      for (const part of PARTS) print('cost', COST, PART_NAME[part], measuring.costOfPart(part));
    for (const subject of SUBJECTS) {
      if (rows.includes('cost') && subject !== KERNEL) print('cost', COST, subject, measuring.cost(subject));
      for (const octets of rows.includes('rate') ? SIZES : []) {
        print('rate', rateFigure(octets), subject, measuring.rate(subject, octets));
        print('rate', receivedFigure(octets), subject, measuring.receivedRate(subject, octets));
      }
    }
    for (const octets of rows.includes('rate') ? SENT_SIZES : [])
      for (const subject of [NOBODY, ...SUBJECTS] as const)
        print('rate', sentFigure(octets), subject, measuring.sentRate(subject, octets));
  } finally {
    measuring.close();
  }
}

try {
  main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
