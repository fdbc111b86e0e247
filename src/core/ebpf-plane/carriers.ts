/**
 * Carriers as the kernel and user space know them together. A program in the kernel (link-watch.ts) takes the ports of a link that is lost
 * out of use and counts the loss; nobody but user space takes them into use again. It knows of links by messages, which may be old: so it
 * reads the count, asks how the link is, and takes its ports into use for as long as the count is what it was before it asked.
 *
 *     losses -> "is it up?" -> yes -> confirm(losses)
 *
 * Both sides change words atomically, in one order for all processors. The program counts first and takes out of use then; user space takes
 * into use first and looks at the count then, so that of two at once the program has the last word.
 */
import { CARRIER, MOST_INTERFACES } from './tables.js';

/** Words of 64 bits that others write to at the same time. */
export interface Words {
  load(index: number): bigint;
  store(index: number, value: bigint): void;
  set(index: number, bits: bigint): void;
  clear(index: number, bits: bigint): void;
}

export class AtomicWords implements Words {
  constructor(private readonly words: BigUint64Array) {}

  load(index: number): bigint {
    return Atomics.load(this.words, index);
  }

  store(index: number, value: bigint): void {
    Atomics.store(this.words, index, value);
  }

  set(index: number, bits: bigint): void {
    Atomics.or(this.words, index, bits);
  }

  clear(index: number, bits: bigint): void {
    Atomics.and(this.words, index, BigInt.asUintN(64, ~bits));
  }
}

const WORDS = CARRIER.octets / 8;
const LOST = 0;

export class Carriers {
  /** How many losses of an interface there were when it was found up. */
  private readonly confirmed = new Map<number, bigint>();
  private ports: ReadonlyMap<number, bigint> = new Map();

  /** The tables of these names. */
  constructor(
    private readonly carriers: Words,
    private readonly lost: Words,
  ) {}

  /** Ports of each interface that has any, in place of those before. Says so again and again: what a change crossed with is put right then. */
  setPorts(ports: ReadonlyMap<number, bigint>): void {
    for (const index of this.ports.keys()) if (!ports.has(index)) this.writePorts(index, 0n);
    this.ports = new Map(ports);
    for (const [index, bits] of ports) {
      this.writePorts(index, bits);
      this.refresh(index);
    }
  }

  /** Losses of the interface so far. To be read before the kernel is asked how the link is. */
  losses(interfaceIndex: number): bigint {
    return isWatched(interfaceIndex) ? this.carriers.load(interfaceIndex * WORDS + CARRIER.losses / 8) : 0n;
  }

  /** There was a loss since the link was last found up. */
  isInDoubt(interfaceIndex: number): boolean {
    return this.losses(interfaceIndex) !== (this.confirmed.get(interfaceIndex) ?? 0n);
  }

  /** The link was found up after there had been so many losses. */
  confirm(interfaceIndex: number, losses: bigint): void {
    this.confirmed.set(interfaceIndex, losses);
    this.refresh(interfaceIndex);
  }

  /** The port is out of use, whatever user space says. */
  isLost(port: number): boolean {
    return ((this.lost.load(LOST) >> BigInt(port)) & 1n) === 1n;
  }

  private writePorts(interfaceIndex: number, bits: bigint): void {
    if (isWatched(interfaceIndex)) this.carriers.store(interfaceIndex * WORDS + CARRIER.ports / 8, bits);
  }

  private refresh(interfaceIndex: number): void {
    const ports = this.ports.get(interfaceIndex);
    if (ports === undefined) return;
    if (!this.isInDoubt(interfaceIndex)) this.lost.clear(LOST, ports);
    // Also when it was lost between the two.
    if (this.isInDoubt(interfaceIndex)) this.lost.set(LOST, ports);
  }
}

/** Of others the kernel's program says nothing. */
function isWatched(interfaceIndex: number): boolean {
  return interfaceIndex < MOST_INTERFACES;
}
