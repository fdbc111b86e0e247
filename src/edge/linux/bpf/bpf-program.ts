/** A program in the kernel: verified when it is loaded, run on a frame of ours for a test, attached to an interface. */

import { encodeProgram, INSTRUCTION_OCTETS, type Program } from '../../../core/bpf/instruction.js';
import type { ProgramKind } from '../../../core/bpf/interpreter/context.js';
import type { MapDefinition } from '../../../core/bpf/map-definition.js';
import { explainRefusal } from '../../../core/bpf/verifier-log.js';
import type { Attachment } from '../../../core/ebpf-plane/plane-options.js';
import { ClsactFilter } from './clsact.js';
import { Attributes, BpfError, bpf, COMMAND, Descriptor, tryBpf } from './system-call.js';

const PROGRAM_TYPE = { socket: 1, tc: 3, xdp: 6 } as const;
/** enum bpf_attach_type: BPF_TCX_INGRESS (Linux 6.6), BPF_XDP. */
const ATTACH_TYPE = { socket: 0, tc: 46, xdp: 37 } as const;
/** XDP_FLAGS_*. */
const XDP_FLAGS = { generic: 2, native: 4 } as const;
/** The program looks at the first octets only, and frames may lie in several pages. */
const HAS_FRAGMENTS = 32;
const LICENSE = new TextEncoder().encode('Dual MIT/GPL\0');
const LOG_OCTETS = 1 << 20;
const VERBOSE = 1;
const LIVE_FRAMES = 2;
const LIVE_BATCH = 64;

export interface TestRun {
  /** 32 bits, signed. */
  readonly verdict: number;
  readonly frame: Uint8Array;
  /** Nanoseconds a run, as the kernel measured. */
  readonly duration: number;
}

export class BpfProgram {
  private constructor(
    readonly kind: ProgramKind,
    private readonly descriptor: Descriptor,
  ) {}

  /** Throws BpfError, with what the verifier says and where in the program. */
  static load(program: Program, kind: ProgramKind, descriptorOf: (map: MapDefinition) => number): BpfProgram {
    const octets = encodeProgram(program, descriptorOf);
    const result = tryBpf(COMMAND.loadProgram, loadAttributes(program, kind, octets));
    if (typeof result === 'number') return new BpfProgram(kind, new Descriptor(result));
    // Once more for the verifier's log, which costs too much to ask for when all is well.
    const attributes = loadAttributes(program, kind, octets).number32(24, VERBOSE).number32(28, LOG_OCTETS);
    const log = attributes.pointer(32, new Uint8Array(LOG_OCTETS));
    tryBpf(COMMAND.loadProgram, attributes);
    const why = explainRefusal(program, new TextDecoder().decode(log.subarray(0, log.indexOf(0))));
    throw new BpfError(result, `the kernel refuses the program ${program.name}${why ? ` (${why})` : ''}`);
  }

  get fileDescriptor(): number {
    return this.descriptor.number;
  }

  /** Runs it on a frame that seems to come in at the loopback interface of this network namespace. */
  test(frame: Uint8Array, repeat = 1): TestRun {
    const attributes = new Attributes().number32(0, this.fileDescriptor).number32(8, frame.length).number32(32, repeat);
    attributes.pointer(16, frame);
    const out = attributes.pointer(24, new Uint8Array(frame.length + 256));
    attributes.number32(12, out.length);
    bpf(COMMAND.testRun, attributes, 'a program cannot be tested');
    const verdict = attributes.read32(4) | 0;
    return { verdict, frame: out.slice(0, attributes.read32(12)), duration: attributes.read32(36) };
  }

  /** Sends the frame on `repeat` times as the verdict says, as if it had come in at the interface, which runs an XDP program. XDP only. */
  sendLive(frame: Uint8Array, repeat: number, interfaceIndex: number): void {
    const attributes = new Attributes().number32(0, this.fileDescriptor).number32(8, frame.length).number32(32, repeat);
    attributes.pointer(16, frame);
    const context = new Uint8Array(Uint32Array.of(0, frame.length, 0, interfaceIndex, 0, 0).buffer);
    attributes.number32(40, context.length).pointer(48, context);
    attributes.number32(64, LIVE_FRAMES).number32(72, LIVE_BATCH);
    bpf(COMMAND.testRun, attributes, 'frames cannot be sent');
  }

  /** Of XDP or traffic control: it runs on what comes in at the interface until the attachment is closed or, but for clsact, the process ends. */
  attach(interfaceIndex: number, how: Attachment): BpfAttachment {
    if (how === 'clsact') return new ClsactFilter(this, interfaceIndex);
    const attributes = new Attributes().number32(0, this.fileDescriptor).number32(4, interfaceIndex);
    attributes.number32(8, ATTACH_TYPE[this.kind]);
    if (how !== 'tc') attributes.number32(12, XDP_FLAGS[how]);
    const what = `a program cannot be attached to interface ${interfaceIndex} (${how})`;
    return new BpfLink(new Descriptor(bpf(COMMAND.createLink, attributes, what)), how);
  }

  close(): void {
    this.descriptor.close();
  }
}

function loadAttributes(program: Program, kind: ProgramKind, octets: Uint8Array): Attributes {
  const attributes = new Attributes().number32(0, PROGRAM_TYPE[kind]);
  attributes.number32(4, octets.length / INSTRUCTION_OCTETS);
  attributes.pointer(8, octets);
  attributes.pointer(16, LICENSE);
  if (kind === 'xdp') attributes.number32(44, HAS_FRAGMENTS);
  return attributes.text(48, program.name).number32(68, kind === 'xdp' ? ATTACH_TYPE.xdp : 0);
}

export interface BpfAttachment {
  readonly how: Attachment;
  /** From the next packet on the other program runs; none is lost in between. */
  replace(program: BpfProgram): void;
  close(): void;
}

class BpfLink implements BpfAttachment {
  constructor(
    private readonly descriptor: Descriptor,
    readonly how: Attachment,
  ) {}

  replace(program: BpfProgram): void {
    const attributes = new Attributes().number32(0, this.descriptor.number).number32(4, program.fileDescriptor);
    bpf(COMMAND.updateLink, attributes, 'a program cannot take the place of another');
  }

  close(): void {
    this.descriptor.close();
  }
}
