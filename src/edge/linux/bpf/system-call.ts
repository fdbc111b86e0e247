/**
 * bpf(2): one system call, a command and a struct of numbers and pointers (linux/bpf.h, union bpf_attr). Node has none, so it is called
 * through koffi.
 */
import { closeSync } from 'node:fs';
import { endianness } from 'node:os';
import { getSystemErrorName } from 'node:util';
import { type KoffiPackage, loadKoffi } from '../native.js';

export const COMMAND = {
  createMap: 0,
  lookUp: 1,
  update: 2,
  delete: 3,
  loadProgram: 5,
  testRun: 10,
  programById: 13,
  objectInfo: 15,
  query: 16,
  createLink: 28,
  updateLink: 29,
} as const;

/** Octets of the struct, more than any command here uses; the kernel takes zeros for what it does not know. */
const ATTRIBUTE_OCTETS = 128;
const SYSTEM_CALL: Readonly<Record<string, number>> = { x64: 321, arm64: 280, riscv64: 280, loong64: 280 };

export class BpfError extends Error {
  constructor(
    readonly code: string,
    what: string,
  ) {
    super(`${what}: ${HINTS[code] ?? code}`);
  }
}

const HINTS: Readonly<Record<string, string>> = {
  E2BIG: 'it is full (E2BIG)',
  ENOSPC: 'it is full (ENOSPC)',
  EPERM: 'not permitted (EPERM); it takes root, or CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON',
  ENOSYS: 'this kernel has no bpf(2) (ENOSYS)',
};

/** A struct that refers to memory, which it keeps alive for as long as itself. */
export class Attributes {
  readonly bytes = new Uint8Array(new ArrayBuffer(ATTRIBUTE_OCTETS));
  private readonly view = new DataView(this.bytes.buffer);
  private readonly referred: Uint8Array[] = [];

  number32(offset: number, value: number): this {
    this.view.setUint32(offset, value, true);
    return this;
  }

  /** Where `memory` is; what the kernel writes there is read from what this returns. */
  pointer(offset: number, memory: Uint8Array): Uint8Array {
    // Small typed arrays lie in the heap, where they are moved; a buffer of its own stays.
    const steady = new Uint8Array(new ArrayBuffer(memory.length));
    steady.set(memory);
    this.referred.push(steady);
    this.view.setBigUint64(offset, library().koffi.address(steady), true);
    return steady;
  }

  /** A name of up to 15 octets. */
  text(offset: number, value: string): this {
    this.bytes.set(new TextEncoder().encode(value.slice(0, 15)), offset);
    return this;
  }

  read32(offset: number): number {
    return this.view.getUint32(offset, true);
  }
}

interface Library {
  readonly koffi: KoffiPackage;
  call(command: number, attributes: Uint8Array): number;
}

let loaded: Library | undefined;

function library(): Library {
  loaded ??= open();
  return loaded;
}

function open(): Library {
  const number = SYSTEM_CALL[process.arch];
  if (number === undefined || endianness() !== 'LE')
    throw new BpfError('ENOSYS', `eBPF on ${process.arch} is not known here`);
  const koffi = loadKoffi();
  const call = koffi.load(null).func('long syscall(long number, int command, void *attributes, unsigned int size)');
  return { koffi, call: (command, attributes) => Number(call(number, command, attributes, attributes.length)) };
}

/** The result, which is a descriptor or 0. Throws BpfError, whose message begins with `what`. */
export function bpf(command: number, attributes: Attributes, what: string): number {
  const result = tryBpf(command, attributes);
  if (typeof result === 'string') throw new BpfError(result, what);
  return result;
}

/** The same, with the name of the error for a result. */
export function tryBpf(command: number, attributes: Attributes): number | string {
  const { call, koffi } = library();
  const result = call(command, attributes.bytes);
  return result < 0 ? getSystemErrorName(-koffi.errno()) : result;
}

/** Something of the kernel's that lives as long as its descriptor: when the process ends, however it ends, it is gone. */
export class Descriptor {
  private open = true;

  constructor(readonly number: number) {}

  close(): void {
    if (this.open) closeSync(this.number);
    this.open = false;
  }
}
