/**
 * Numbers for the single paths that sessions with path identifiers are told (RFC 7911 section 3). A path keeps its number, and by it
 * the identifier, as long as it lives and as long as its withdrawal is unsent anywhere; all groups see the same. Where a session has
 * identifiers for one family only, a prefix of the other has one number as a whole.
 *
 * Records in a typed array, chained per prefix, found by the place of the path in the RIB; a place that serves another path by
 * now is told by who sent that one, and with which identifier.
 */
import { grown } from '../net/grown.js';
import type { PathIndex } from './path-store.js';
import type { Rib } from './rib.js';
import type { RouteNumber, RouteNumbers } from './route-numbers.js';
import type { PrefixId } from './types.js';

const WORDS = 7;
const PREFIX = 0;
const HOLDS = 1;
/** Neighbours in the prefix's chain plus one; the free list goes by NEXT. */
const NEXT = 2;
const PREVIOUS = 3;
/** Who sent the path, and the identifier that it came with. */
const PEER = 4;
const RECEIVED_ID = 5;
/** The path plus one while a group goes through what it has chosen. */
const CHOSEN = 6;

/** PEER of a number that stands for a prefix as a whole, and of one that stands for nothing. */
const NO_PEER = 0xffffffff;

export class PathNumbers implements RouteNumbers {
  readonly #rib: Rib;
  #records = new Uint32Array(WORDS * 64);
  #end = 0;
  /** Plus one. */
  #free = 0;
  /** By prefix: the first number of its chain, and the one it has as a whole, plus one. */
  #heads = new Uint32Array(64);
  #wholes = new Uint32Array(64);
  /** By path of the RIB: the number it had when it was last chosen, plus one. */
  #byPath = new Uint32Array(64);

  constructor(rib: Rib) {
    this.#rib = rib;
  }

  /** The identifier on the wire; 0 is not used, for some take it as none. */
  identifier(route: RouteNumber): number {
    return route + 1;
  }

  isIpv6(route: RouteNumber): boolean {
    return this.#rib.isIpv6(this.#records[route * WORDS + PREFIX]!);
  }

  copyAddress(route: RouteNumber, target: Uint8Array): number {
    return this.#rib.copyAddress(this.#records[route * WORDS + PREFIX]!, target);
  }

  hold(route: RouteNumber): void {
    this.#records[route * WORDS + HOLDS]!++;
  }

  release(route: RouteNumber): void {
    this.#records[route * WORDS + HOLDS]!--;
    this.forgetUnheld(route);
  }

  /** The first number of the paths of a prefix plus one, 0 for none; then `next`. */
  first(prefix: PrefixId): number {
    return this.#heads[prefix] ?? 0;
  }

  next(route: RouteNumber): number {
    return this.#records[route * WORDS + NEXT]!;
  }

  /** The numbers of the paths of a prefix. */
  of(prefix: PrefixId): RouteNumber[] {
    const routes: RouteNumber[] = [];
    for (let next = this.first(prefix); next !== 0; next = this.next(next - 1)) routes.push(next - 1);
    return routes;
  }

  hasWhole(prefix: PrefixId): boolean {
    return (this.#wholes[prefix] ?? 0) !== 0;
  }

  /** The number of a prefix as a whole. Without a hold it is to be followed by `forgetUnheld`. */
  whole(prefix: PrefixId): RouteNumber {
    if (prefix >= this.#wholes.length) this.#wholes = grown(this.#wholes, prefix + 1);
    if (this.#wholes[prefix] === 0) this.#wholes[prefix] = this.#make(prefix, NO_PEER, 0) + 1;
    return this.#wholes[prefix]! - 1;
  }

  /** Marks the number of a path as chosen; a path without one gets one, to be followed by `forgetUnheld`. */
  choose(prefix: PrefixId, path: PathIndex): void {
    const route = this.#find(prefix, path) ?? this.#number(prefix, path);
    this.#records[route * WORDS + CHOSEN] = path + 1;
  }

  /** The path that the number is chosen for, once. */
  takeChosen(route: RouteNumber): PathIndex | undefined {
    const chosen = this.#records[route * WORDS + CHOSEN]!;
    this.#records[route * WORDS + CHOSEN] = 0;
    return chosen === 0 ? undefined : chosen - 1;
  }

  forgetUnheld(route: RouteNumber): void {
    const base = route * WORDS;
    const records = this.#records;
    if (records[base + HOLDS] !== 0) return;
    const prefix = records[base + PREFIX]!;
    if (this.#wholes[prefix] === route + 1) this.#wholes[prefix] = 0;
    else this.#unlink(base, prefix);
    records[base + PEER] = NO_PEER;
    records[base + NEXT] = this.#free;
    this.#free = route + 1;
    this.#rib.release(prefix);
  }

  #find(prefix: PrefixId, path: PathIndex): RouteNumber | undefined {
    const found = this.#byPath[path] ?? 0;
    if (found === 0) return undefined;
    const records = this.#records;
    const base = (found - 1) * WORDS;
    const same =
      records[base + PREFIX] === prefix &&
      records[base + PEER] === this.#rib.pathPeer(path) &&
      records[base + RECEIVED_ID] === this.#rib.receivedPathId(path);
    return same ? found - 1 : undefined;
  }

  #number(prefix: PrefixId, path: PathIndex): RouteNumber {
    const route = this.#make(prefix, this.#rib.pathPeer(path), this.#rib.receivedPathId(path));
    if (path >= this.#byPath.length) this.#byPath = grown(this.#byPath, path + 1);
    if (prefix >= this.#heads.length) this.#heads = grown(this.#heads, prefix + 1);
    const head = this.#heads[prefix]!;
    this.#records[route * WORDS + NEXT] = head;
    if (head !== 0) this.#records[(head - 1) * WORDS + PREVIOUS] = route + 1;
    this.#heads[prefix] = route + 1;
    this.#byPath[path] = route + 1;
    return route;
  }

  #make(prefix: PrefixId, peer: number, receivedId: number): RouteNumber {
    let route = this.#free - 1;
    if (route >= 0) this.#free = this.#records[route * WORDS + NEXT]!;
    else {
      route = this.#end++;
      if (this.#end * WORDS > this.#records.length) this.#records = grown(this.#records, this.#end * WORDS);
    }
    const base = route * WORDS;
    this.#records.fill(0, base, base + WORDS);
    this.#records[base + PREFIX] = prefix;
    this.#records[base + PEER] = peer;
    this.#records[base + RECEIVED_ID] = receivedId;
    this.#rib.hold(prefix);
    return route;
  }

  #unlink(base: number, prefix: PrefixId): void {
    const records = this.#records;
    const next = records[base + NEXT]!;
    const previous = records[base + PREVIOUS]!;
    if (previous === 0) this.#heads[prefix] = next;
    else records[(previous - 1) * WORDS + NEXT] = next;
    if (next !== 0) records[(next - 1) * WORDS + PREVIOUS] = previous;
  }
}
