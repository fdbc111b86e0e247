/**
 * A switch's table of flowlets: packets of one entry that follow each other without a gap longer than the table's are one flowlet and stay on one port;
 * the first after a longer gap may take another (CONGA, section 3.4). Entries are found by a flow's hash, so flows may share one, as in hardware.
 * Time passes by itself: an entry is looked at when a packet comes, never by an event. Memory of entries that were never used is not touched.
 */

const NONE = -1;

export class FlowletTable {
  private readonly mask: number;
  private readonly gap: number;
  private readonly lastSeen: Float64Array;
  /** The port of an entry, plus one; 0: none. */
  private readonly ports: Int32Array;

  /**
   * @param size entries, a power of two
   * @param gap the longest time between two packets of a flowlet, picoseconds
   */
  constructor(size: number, gap: number) {
    this.mask = size - 1;
    this.gap = gap;
    this.lastSeen = new Float64Array(size);
    this.ports = new Int32Array(size);
  }

  /** The entry of a flow, by its hash (any integer). */
  entryOf(hash: number): number {
    return hash & this.mask;
  }

  /** A packet of an entry comes: the port of its flowlet, which goes on, or -1: a new flowlet begins, `assign` says where. */
  arrive(entry: number, now: number): number {
    const silence = now - this.lastSeen[entry]!;
    this.lastSeen[entry] = now;
    return silence > this.gap ? NONE : this.ports[entry]! - 1;
  }

  /** The port of an entry's last flowlet, however long ago; -1: none yet. */
  portOf(entry: number): number {
    return this.ports[entry]! - 1;
  }

  assign(entry: number, port: number): void {
    this.ports[entry] = port + 1;
  }
}

/** Tables of equal size and gap, each made when it is first asked for: one a group of ports, or one a switch. */
export class FlowletTables {
  private readonly tables: FlowletTable[] = [];
  private readonly size: number;
  private readonly gap: number;

  /** As of `FlowletTable`. */
  constructor(size: number, gap: number) {
    this.size = size;
    this.gap = gap;
  }

  /** The table of a small whole number, a group's or a node's. */
  of(number: number): FlowletTable {
    return this.tables[number] ?? this.make(number);
  }

  private make(number: number): FlowletTable {
    const table = new FlowletTable(this.size, this.gap);
    this.tables[number] = table;
    return table;
  }
}

/** What is wrong with a number of entries; undefined: nothing. */
export function refusesTableSize(option: string, size: number): string | undefined {
  const isPower = Number.isInteger(size) && size >= 2 && size <= 2 ** 24 && (size & (size - 1)) === 0;
  return isPower ? undefined : `${option} ${size}: not a power of two from 2 to 16777216`;
}
