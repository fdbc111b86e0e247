/**
 * Where the prefixes of one change go. Thousands of them have the same paths, so what was made for one of them is used for those like
 * it: a selection as values costs a hundred times what a look at its paths does, most of all before it has run often enough to be fast,
 * which is when a far link fails after days without an event.
 */
import type { ForwardingWay } from '../fib/fib.js';
import type { Rib } from '../rib/rib.js';
import type { PrefixId } from '../rib/types.js';

/** Colours whose prefixes come mixed up. */
const REMEMBERED = 8;

export class ForwardingWays {
  private readonly known: { readonly like: PrefixId; readonly way: ForwardingWay | undefined }[] = [];
  private replaced = 0;

  /** For one turn: nothing may be decided in between. */
  constructor(
    private readonly rib: Pick<Rib, 'isSelectedAlike'>,
    private readonly make: (id: PrefixId) => ForwardingWay | undefined,
  ) {}

  /** `undefined` where a prefix is not forwarded to. */
  of(id: PrefixId): ForwardingWay | undefined {
    for (const { like, way } of this.known) if (this.rib.isSelectedAlike(id, like)) return way;
    const way = this.make(id);
    this.known[this.replaced] = { like: id, way };
    this.replaced = (this.replaced + 1) % REMEMBERED;
    return way;
  }
}
