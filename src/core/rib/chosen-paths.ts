/** The paths of a prefix that one export group with path identifiers (RFC 7911) tells its members, by their numbers. */
import type { Family } from '../net/family.js';
import type { PathNumbers } from './path-numbers.js';
import type { PathSelection } from './path-selection.js';
import type { PathIndex } from './path-store.js';
import type { Rib } from './rib.js';
import type { RouteNumber } from './route-numbers.js';
import type { PrefixId } from './types.js';

/** Families with path identifiers. */
export type PathSelections = Readonly<Partial<Record<Family, PathSelection>>>;

export interface ChosenPathsParts {
  readonly rib: Rib;
  readonly numbers: PathNumbers;
  readonly selections: PathSelections;
  /** Session mode, on a session with a colour. */
  readonly colour: number | undefined;
  /** The one path of a prefix whose family has no identifiers. */
  readonly only: (prefix: PrefixId) => PathIndex | undefined;
  /** Hears of every number of a prefix: the path that it is chosen for, or `undefined`. */
  readonly visit: (route: RouteNumber, prefix: PrefixId, path: PathIndex | undefined) => void;
}

export class ChosenPaths {
  readonly #parts: ChosenPathsParts;
  #prefix: PrefixId = 0;
  readonly #choose = (path: PathIndex): void => this.#parts.numbers.choose(this.#prefix, path);

  constructor(parts: ChosenPathsParts) {
    this.#parts = parts;
  }

  visit(prefix: PrefixId): void {
    const { rib, numbers, selections, colour, visit } = this.#parts;
    const selection = selections[rib.isIpv6(prefix) ? 'ipv6-unicast' : 'ipv4-unicast'];
    if (selection === undefined) return this.#visitWhole(prefix);
    this.#prefix = prefix;
    rib.choosePaths(prefix, { selection, colour }, this.#choose);
    for (let next = numbers.first(prefix); next !== 0; ) {
      const route = next - 1;
      next = numbers.next(route);
      visit(route, prefix, numbers.takeChosen(route));
      numbers.forgetUnheld(route);
    }
  }

  #visitWhole(prefix: PrefixId): void {
    const { numbers, only, visit } = this.#parts;
    const path = only(prefix);
    if (path === undefined && !numbers.hasWhole(prefix)) return;
    const route = numbers.whole(prefix);
    visit(route, prefix, path);
    numbers.forgetUnheld(route);
  }
}
