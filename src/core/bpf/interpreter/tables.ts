/** Maps in memory, as the kernel's behave: what programs look up, and what user space writes and reads. */
import { compareBytes } from '../../net/address.js';
import type { MapDefinition } from '../map-definition.js';

export interface Table {
  readonly definition: MapDefinition;
  /** The octets of the value, which may be written to; `undefined` where there is none. */
  lookup(key: Uint8Array): Uint8Array | undefined;
  /** Copies the value in. False when the table is full or the key out of range. */
  update(key: Uint8Array, value: Uint8Array): boolean;
  delete(key: Uint8Array): boolean;
}

/** Of a ring buffer only: what programs put into it, oldest first. */
export class RingTable implements Table {
  readonly records: Uint8Array[] = [];

  constructor(readonly definition: MapDefinition) {}

  /** False when there is no room: each record takes eight octets more than its own. */
  output(record: Uint8Array): boolean {
    const used = this.records.reduce((sum, { length }) => sum + 8 + ((length + 7) & ~7), 0);
    if (used + 8 + record.length > this.definition.maxEntries) return false;
    this.records.push(record.slice());
    return true;
  }

  lookup(): undefined {}

  update(): boolean {
    return false;
  }

  delete(): boolean {
    return false;
  }
}

class ArrayTable implements Table {
  private readonly values: Uint8Array;

  constructor(readonly definition: MapDefinition) {
    this.values = new Uint8Array(definition.maxEntries * definition.valueSize);
  }

  lookup(key: Uint8Array): Uint8Array | undefined {
    return this.placeOf(key);
  }

  update(key: Uint8Array, value: Uint8Array): boolean {
    const place = this.placeOf(key);
    place?.set(value);
    return place !== undefined;
  }

  delete(_key: Uint8Array): boolean {
    return false;
  }

  private placeOf(key: Uint8Array): Uint8Array | undefined {
    const index = indexOf(key);
    const { valueSize, maxEntries } = this.definition;
    return index < maxEntries ? this.values.subarray(index * valueSize, (index + 1) * valueSize) : undefined;
  }
}

class HashTable implements Table {
  protected readonly entries = new Map<string, Uint8Array>();

  constructor(readonly definition: MapDefinition) {}

  lookup(key: Uint8Array): Uint8Array | undefined {
    return this.entries.get(key.join('.'));
  }

  update(key: Uint8Array, value: Uint8Array): boolean {
    const name = key.join('.');
    if (!this.entries.has(name) && this.entries.size >= this.definition.maxEntries) return false;
    this.entries.set(name, value.slice());
    return true;
  }

  delete(key: Uint8Array): boolean {
    return this.entries.delete(key.join('.'));
  }
}

/** Keys are a length in bits (32 bits) and an address; a lookup finds the longest that covers its own. */
class LongestPrefixTable extends HashTable {
  override lookup(key: Uint8Array): Uint8Array | undefined {
    for (let length = indexOf(key); length >= 0; length--) {
      const found = super.lookup(maskedKey(key, length));
      if (found) return found;
    }
    return undefined;
  }

  override update(key: Uint8Array, value: Uint8Array): boolean {
    return super.update(maskedKey(key, indexOf(key)), value);
  }

  override delete(key: Uint8Array): boolean {
    return super.delete(maskedKey(key, indexOf(key)));
  }
}

/** Ports to redirect to: an interface index each, 0 for none. */
class DeviceTable extends ArrayTable {
  override lookup(key: Uint8Array): Uint8Array | undefined {
    const value = super.lookup(key);
    return value && compareBytes(value, new Uint8Array(value.length)) !== 0 ? value : undefined;
  }

  override delete(key: Uint8Array): boolean {
    return super.update(key, new Uint8Array(this.definition.valueSize));
  }
}

export function newTable(definition: MapDefinition): Table {
  switch (definition.type) {
    case 'array':
    case 'per-cpu-array':
      return new ArrayTable(definition);
    case 'hash':
      return new HashTable(definition);
    case 'lpm-trie':
      return new LongestPrefixTable(definition);
    case 'device-map':
      return new DeviceTable(definition);
    case 'ring-buffer':
      return new RingTable(definition);
  }
}

function indexOf(key: Uint8Array): number {
  return new DataView(key.buffer, key.byteOffset, key.length).getUint32(0, true);
}

function maskedKey(key: Uint8Array, length: number): Uint8Array {
  const result = new Uint8Array(key.length);
  new DataView(result.buffer).setUint32(0, length, true);
  for (let bit = 0; bit < length; bit++) {
    const at = 4 + (bit >> 3);
    result[at] = result[at]! | (key[at]! & (0x80 >> (bit & 7)));
  }
  return result;
}
