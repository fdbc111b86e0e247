/** A table shared with programs in the kernel. */
import { readFileSync } from 'node:fs';
import type { MapDefinition } from '../../../core/bpf/map-definition.js';
import { MAP_TYPE } from '../../../core/bpf/map-definition.js';
import { Mapping } from './mapping.js';
import { Attributes, BpfError, bpf, COMMAND, Descriptor, tryBpf } from './system-call.js';

const NO_PREALLOCATION = 1;
const MAPPABLE = 1024;

export class BpfMap {
  private readonly descriptor: Descriptor;

  constructor(readonly definition: MapDefinition) {
    const { name, type, keySize, valueSize, maxEntries, mapped } = definition;
    const attributes = new Attributes().number32(0, MAP_TYPE[type]).number32(4, keySize).number32(8, valueSize);
    // A trie cannot be allocated beforehand: its flag is not an option.
    attributes
      .number32(12, maxEntries)
      .number32(16, (type === 'lpm-trie' ? NO_PREALLOCATION : 0) | (mapped ? MAPPABLE : 0))
      .text(28, name);
    this.descriptor = new Descriptor(bpf(COMMAND.createMap, attributes, `eBPF table ${name} cannot be made`));
  }

  get fileDescriptor(): number {
    return this.descriptor.number;
  }

  /** Throws BpfError: E2BIG when it is full. */
  update(key: Uint8Array, value: Uint8Array): void {
    const attributes = this.element(key);
    attributes.pointer(16, value);
    bpf(COMMAND.update, attributes, `eBPF table ${this.definition.name} does not take an entry`);
  }

  /** False when there was none. */
  delete(key: Uint8Array): boolean {
    const result = tryBpf(COMMAND.delete, this.element(key));
    if (result === 0) return true;
    if (result === 'ENOENT') return false;
    throw new BpfError(String(result), `eBPF table ${this.definition.name} does not give up an entry`);
  }

  /** Of a per-CPU table: the values of all processors, one after the other. */
  lookUp(key: Uint8Array): Uint8Array | undefined {
    const attributes = this.element(key);
    const value = attributes.pointer(16, new Uint8Array(this.lookUpOctets()));
    const result = tryBpf(COMMAND.lookUp, attributes);
    if (result === 0) return value;
    if (result === 'ENOENT') return undefined;
    throw new BpfError(String(result), `eBPF table ${this.definition.name} cannot be read`);
  }

  /** The words of a per-CPU table's value, summed over the processors. */
  sum(key: Uint8Array): readonly bigint[] {
    const { valueSize } = this.definition;
    const value = this.lookUp(key) ?? new Uint8Array(valueSize);
    const view = new DataView(value.buffer, value.byteOffset, value.length);
    const sums = new Array<bigint>(valueSize / 8).fill(0n);
    for (let at = 0; at < value.length; at += 8) {
      const word = (at % valueSize) / 8;
      sums[word] = sums[word]! + view.getBigUint64(at, true);
    }
    return sums;
  }

  /** Zeros, for all processors. */
  clear(key: Uint8Array): void {
    this.update(key, new Uint8Array(this.lookUpOctets()));
  }

  /** The values of a table that is to be mapped, in memory until the result is closed. */
  mapping(): Mapping {
    const { maxEntries, valueSize } = this.definition;
    return new Mapping({
      fileDescriptor: this.fileDescriptor,
      offset: 0,
      length: maxEntries * valueSize,
      writable: true,
    });
  }

  close(): void {
    this.descriptor.close();
  }

  private lookUpOctets(): number {
    const { type, valueSize } = this.definition;
    return type === 'per-cpu-array' ? valueSize * possibleProcessors() : valueSize;
  }

  private element(key: Uint8Array): Attributes {
    const attributes = new Attributes().number32(0, this.fileDescriptor);
    attributes.pointer(8, key);
    return attributes;
  }
}

let processors: number | undefined;

/** The kernel keeps a value for each that could be plugged in: `0-3` or `0`. */
function possibleProcessors(): number {
  processors ??= 1 + Number(/(\d+)\s*$/.exec(readFileSync('/sys/devices/system/cpu/possible', 'latin1'))![1]);
  return processors;
}
