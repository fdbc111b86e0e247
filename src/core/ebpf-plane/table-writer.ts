/** What the plane's tables say, in their own octets, whoever holds them: the kernel (edge/linux/bpf) or the interpreter (memory-tables.ts). */
import type { Prefix } from '../net/prefix.js';
import type { Carriers } from './carriers.js';
import type { PlaneWriter } from './plane-mirror.js';
import {
  classValue,
  type EgressPort,
  indexKey,
  interfaceValue,
  type LinkWords,
  linksValue,
  type PortPressure,
  portValue,
  prefixKey,
  prefixValue,
  pressureValue,
} from './tables.js';

/** Tables go by their names in the kernel. */
export abstract class TableWriter implements PlaneWriter {
  abstract readonly carriers: Carriers;
  protected abstract update(table: string, key: Uint8Array, value: Uint8Array): void;
  protected abstract delete(table: string, key: Uint8Array): void;
  protected abstract clear(table: string, key: Uint8Array): void;
  /** Words of a counter, over all processors. */
  protected abstract sum(table: string, key: Uint8Array): readonly bigint[];
  /** Where redirects to the port lead. */
  protected abstract setDevice(number: number, port: EgressPort): void;

  setPrefix(prefix: Prefix, classNumber: number, counter: number): void {
    this.update('prefixes', prefixKey(prefix), prefixValue(classNumber, counter));
  }

  deletePrefix(prefix: Prefix): void {
    this.delete('prefixes', prefixKey(prefix));
  }

  setClass(number: number, primary: bigint, fallback: bigint): void {
    this.update('classes', indexKey(number), classValue(primary, fallback));
  }

  setLinks(words: LinkWords): void {
    this.update('links', indexKey(0), linksValue(words));
  }

  setEgress(ports: ReadonlyMap<number, bigint>): void {
    this.carriers.setPorts(ports);
  }

  setPort(number: number, port: EgressPort): void {
    this.update('ports', indexKey(number), portValue(port));
    this.setDevice(number, port);
  }

  setInterface(interfaceIndex: number, linkAddress: Uint8Array): void {
    this.update('interfaces', indexKey(interfaceIndex), interfaceValue(linkAddress));
  }

  setPressure(ports: readonly PortPressure[], loadWeight: number): void {
    this.update('pressure', indexKey(0), pressureValue(ports, loadWeight));
  }

  clearCounter(counter: number): void {
    this.clear('prefix_counts', indexKey(counter));
  }

  clearPortCounter(port: number): void {
    this.clear('port_counts', indexKey(port));
  }

  prefixCounts(counter: number): readonly bigint[] {
    return this.sum('prefix_counts', indexKey(counter));
  }

  portCounts(port: number): readonly bigint[] {
    return this.sum('port_counts', indexKey(port));
  }

  passed(): readonly bigint[] {
    return this.sum('passed', indexKey(0));
  }
}
