/** The tables of the eBPF plane without a kernel: for programs in the interpreter. */
import type { Table } from '../bpf/interpreter/tables.js';
import { AtomicWords, Carriers } from './carriers.js';
import { TableWriter } from './table-writer.js';
import { type EgressPort, indexKey } from './tables.js';

export class MemoryPlaneTables extends TableWriter {
  readonly carriers: Carriers;

  /** By their names in the kernel. */
  constructor(private readonly tables: ReadonlyMap<string, Table>) {
    super();
    this.carriers = new Carriers(this.shared('carriers'), this.shared('lost'));
  }

  table(name: string): Table {
    return this.tables.get(name)!;
  }

  /** The value as 64-bit words. */
  words(table: string, index: number): readonly bigint[] {
    return this.sum(table, indexKey(index));
  }

  /** An array's values, all of them, as the programs have them. */
  private shared(name: string): AtomicWords {
    const { buffer } = this.table(name).lookup(indexKey(0))!;
    return new AtomicWords(new BigUint64Array(buffer as ArrayBuffer));
  }

  protected update(table: string, key: Uint8Array, value: Uint8Array): void {
    this.table(table).update(key, value);
  }

  protected delete(table: string, key: Uint8Array): void {
    this.table(table).delete(key);
  }

  protected clear(table: string, key: Uint8Array): void {
    this.update(table, key, new Uint8Array(this.table(table).definition.valueSize));
  }

  protected sum(table: string, key: Uint8Array): readonly bigint[] {
    const value = this.table(table).lookup(key)!.slice();
    return [...new BigUint64Array(value.buffer, 0, value.length >> 3)];
  }

  protected setDevice(number: number, { interfaceIndex }: EgressPort): void {
    this.update('devices', indexKey(number), indexKey(interfaceIndex));
  }
}
