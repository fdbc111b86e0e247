/**
 * The next hops of peers that are not on one link with us (RFC 4271 section 9.1.2.1): an entry for each distinct address, with how
 * it is reached, shared by all sets of attributes that have it. Paths cost nothing here; link-local sessions make no entry.
 */
import { type Address, equalBytes } from '../net/address.js';
import { grown } from '../net/grown.js';
import type { Reach, Reachability, Resolution } from '../ports/reachability.js';
import type { AttributeId, AttributeTable } from '../route/attribute-table.js';
import { ByteInterner } from '../route/byte-interner.js';
import { DEFAULT_ONLY, ELIGIBLE, OFF_LINK, OWN_NEXT_HOP, UNRESOLVED } from './eligibility.js';
import type { RibPeerInfo } from './types.js';

interface Entry {
  readonly address: Address;
  /** ELIGIBLE with a resolution, or why there is none. */
  reason: number;
  resolution: Resolution | undefined;
}

/** For a RIB that nobody told how addresses are reached. */
const NOWHERE: Reachability = {
  resolve: () => undefined,
  isOwn: () => false,
  onlyByDefault: () => false,
  watch: () => () => {},
};

export class NextHopTable {
  readonly #attributes: AttributeTable;
  readonly #reachability: Reachability;
  /** Gives an address its entry's index. */
  readonly #interner = new ByteInterner();
  readonly #entries: (Entry | undefined)[] = [];
  /** By entry: sets of attributes that have it, ... */
  #users = new Uint32Array(64);
  /** ... the cost of the way, ... */
  #costs = new Uint32Array(64);
  /** ... and 1 while paths over it wait to be judged again. */
  #changed = new Uint8Array(64);
  /** By set of attributes: index of its entry plus one. */
  #entryOf = new Uint32Array(128);

  constructor(attributes: AttributeTable, reachability: Reachability = NOWHERE) {
    this.#attributes = attributes;
    this.#reachability = reachability;
  }

  /** Distinct next hops. */
  get size(): number {
    return this.#interner.size;
  }

  /** Every index in use is below this. */
  get end(): number {
    return this.#interner.end;
  }

  /** Why paths with these attributes, which have a global next hop, cannot be used, or ELIGIBLE. */
  reason(id: AttributeId, { nextHops }: RibPeerInfo): number {
    const { reason, resolution } = this.#obtain(id);
    // RFC 4271 section 6.3: a neighbour one hop away names itself, or somebody of a subnet that we share.
    return nextHops === 'subnet' && resolution?.onLink === false ? OFF_LINK : reason;
  }

  resolution(id: AttributeId): Resolution | undefined {
    const entry = this.#entryOf[id] ?? 0;
    return entry === 0 ? undefined : this.#entries[entry - 1]?.resolution;
  }

  /** Asked in the decision, for each candidate. 0 for attributes without an entry. */
  cost(id: AttributeId): number {
    const entry = this.#entryOf[id] ?? 0;
    return entry === 0 ? 0 : this.#costs[entry - 1]!;
  }

  isChanged(id: AttributeId): boolean {
    const entry = this.#entryOf[id] ?? 0;
    return entry !== 0 && this.#changed[entry - 1] === 1;
  }

  /** Resolves entry `index` again; true when paths over it must be judged again. */
  refresh(index: number): boolean {
    const entry = this.#entries[index];
    if (!entry) return false;
    const { reason, resolution } = entry;
    this.#resolve(index, entry);
    if (reason === entry.reason && sameResolution(resolution, entry.resolution)) return false;
    this.#changed[index] = 1;
    return true;
  }

  allJudged(): void {
    this.#changed.fill(0);
  }

  #obtain(id: AttributeId): Entry {
    const known = this.#entryOf[id] ?? 0;
    if (known !== 0) return this.#entries[known - 1]!;
    const address = this.#attributes.attributes(id).nextHop!.global!;
    const found = this.#interner.find(address, address.length);
    const index = found === -1 ? this.#add(address) : found;
    if (id >= this.#entryOf.length) this.#entryOf = grown(this.#entryOf, id + 1);
    this.#entryOf[id] = index + 1;
    this.#users[index]!++;
    return this.#entries[index]!;
  }

  #add(address: Address): number {
    this.#attributes.onForgotten.add(this.#release);
    const index = this.#interner.add(address, address.length);
    if (index >= this.#users.length) {
      this.#users = grown(this.#users, index + 1);
      this.#costs = grown(this.#costs, index + 1);
      const changed = new Uint8Array(this.#users.length);
      changed.set(this.#changed);
      this.#changed = changed;
    }
    const entry: Entry = { address: address.slice(), reason: ELIGIBLE, resolution: undefined };
    this.#entries[index] = entry;
    this.#resolve(index, entry);
    return index;
  }

  #resolve(index: number, entry: Entry): void {
    const { address } = entry;
    const isOwn = this.#reachability.isOwn(address);
    entry.resolution = isOwn ? undefined : this.#reachability.resolve(address);
    this.#costs[index] = entry.resolution?.cost ?? 0;
    if (entry.resolution) entry.reason = ELIGIBLE;
    // RFC 4271 section 5.1.3: a route with our own address for its next hop is not used.
    else if (isOwn) entry.reason = OWN_NEXT_HOP;
    else entry.reason = this.#reachability.onlyByDefault(address) ? DEFAULT_ONLY : UNRESOLVED;
  }

  readonly #release = (id: AttributeId): void => {
    const index = (this.#entryOf[id] ?? 0) - 1;
    if (index === -1) return;
    this.#entryOf[id] = 0;
    if (--this.#users[index]! > 0) return;
    this.#entries[index] = undefined;
    this.#changed[index] = 0;
    this.#interner.remove(index);
  };
}

type Way = Pick<Reach, 'interfaceIndex' | 'gateway'>;

export function sameReach(a: Way, b: Way): boolean {
  return a.interfaceIndex === b.interfaceIndex && equalBytes(a.gateway, b.gateway);
}

function sameResolution(a: Resolution | undefined, b: Resolution | undefined): boolean {
  if (!a || !b) return a === b;
  if (a.onLink !== b.onLink || a.cost !== b.cost || a.reaches.length !== b.reaches.length) return false;
  return a.reaches.every((reach, place) => sameReach(reach, b.reaches[place]!));
}
