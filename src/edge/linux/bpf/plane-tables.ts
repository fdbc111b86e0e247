/** The tables of the eBPF plane in the kernel, and programs over them (core/ebpf-plane). */
import type { MapDefinition } from '../../../core/bpf/map-definition.js';
import { AtomicWords, Carriers } from '../../../core/ebpf-plane/carriers.js';
import { linkWatchProgram } from '../../../core/ebpf-plane/link-watch.js';
import { type ProgramOptions, planeProgram } from '../../../core/ebpf-plane/program.js';
import { TableWriter } from '../../../core/ebpf-plane/table-writer.js';
import {
  type EgressPort,
  indexKey,
  type Move,
  type PlaneSizes,
  type PlaneTables,
  planeTables,
  readMove,
} from '../../../core/ebpf-plane/tables.js';
import { BpfMap } from './bpf-map.js';
import { BpfProgram } from './bpf-program.js';
import type { Mapping } from './mapping.js';
import { RingReader } from './ring-reader.js';
import { BpfError } from './system-call.js';

export class LinuxPlaneTables extends TableWriter {
  readonly definitions: PlaneTables;
  private readonly maps = new Map<string, BpfMap>();
  readonly carriers: Carriers;
  private readonly mappings: Mapping[] = [];
  private ring: RingReader | undefined;

  /** Throws one line; nothing is left then. */
  constructor(sizes: PlaneSizes) {
    super();
    this.definitions = planeTables(sizes);
    try {
      for (const definition of Object.values(this.definitions)) this.maps.set(definition.name, new BpfMap(definition));
      this.carriers = new Carriers(this.shared('carriers'), this.shared('lost'));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  load(options: ProgramOptions): BpfProgram {
    return BpfProgram.load(planeProgram(this.definitions, options), options.hook, this.descriptorOf);
  }

  /** For the socket that hears of links. */
  loadLinkWatch(): BpfProgram {
    return BpfProgram.load(linkWatchProgram(this.definitions), 'socket', this.descriptorOf);
  }

  /** For programs that use some of the tables. */
  readonly descriptorOf = ({ name }: MapDefinition): number => this.map(name).fileDescriptor;

  /** Moves of flowsets since the last call: those that the ring still had room for. */
  takeMoves(): Move[] {
    const { moves } = this.definitions;
    this.ring ??= new RingReader(this.descriptorOf(moves), moves.maxEntries);
    return this.ring.read().map(readMove);
  }

  /** Neither moves nor carriers may be asked for after. */
  close(): void {
    this.ring?.close();
    for (const mapping of this.mappings) mapping.close();
    for (const map of this.maps.values()) map.close();
  }

  protected update(table: string, key: Uint8Array, value: Uint8Array): void {
    this.map(table).update(key, value);
  }

  protected delete(table: string, key: Uint8Array): void {
    this.map(table).delete(key);
  }

  protected clear(table: string, key: Uint8Array): void {
    this.map(table).clear(key);
  }

  protected sum(table: string, key: Uint8Array): readonly bigint[] {
    return this.map(table).sum(key);
  }

  /** An interface that is gone, of which we are still to hear, is no device: the kernel has the packets then. */
  protected setDevice(number: number, { mtu, interfaceIndex }: EgressPort): void {
    if (mtu === 0) return;
    try {
      this.update('devices', indexKey(number), indexKey(interfaceIndex));
    } catch (error) {
      if (!(error instanceof BpfError) || error.code !== 'EINVAL') throw error;
      this.delete('devices', indexKey(number));
    }
  }

  private shared(table: string): AtomicWords {
    const mapping = this.map(table).mapping();
    this.mappings.push(mapping);
    return new AtomicWords(new BigUint64Array(mapping.memory));
  }

  private map(name: string): BpfMap {
    return this.maps.get(name)!;
  }
}
