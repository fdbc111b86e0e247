/**
 * The two sets of next hops of a prefix, remembered by the peers that its selected paths come from. A leaf under 32 spines has thousands
 * of prefixes, no two with the same attributes, over 32 pairs of sets: made anew for each prefix, with a value for each path, they took
 * a sixth of a cold start.
 */
import type { Fib, ForwardingWay, Tiers } from '../fib/fib.js';
import type { ForwardingEntry } from '../fib/types.js';
import type { Rib } from '../rib/rib.js';
import type { KnownPeers, SelectedPeers } from '../rib/selected-peers.js';
import type { PrefixId, Selection } from '../rib/types.js';

interface Known extends KnownPeers {
  readonly tiers: Tiers;
}

/** Sets of peers that are remembered: in a fabric, one for each uplink. */
const MOST = 1024;

export class ForwardingTiers {
  /** By hash; of those with one hash the last. */
  private readonly known = new Map<number, Known>();
  private peers = 0;
  private sets = 0;

  constructor(
    private readonly rib: Rib,
    private readonly fib: Fib,
    private readonly nextHops: (selection: Selection) => Pick<ForwardingEntry, 'primary' | 'fallback'>,
  ) {}

  /** `undefined` where a prefix is not forwarded to. */
  wayOf(id: PrefixId): ForwardingWay | undefined {
    const selected = this.rib.selectedPeers(id);
    if (!selected) return this.wayLookedUp(this.rib.selection(id));
    const { attribute } = selected;
    const tiers = this.find(selected) ?? this.make(id, selected);
    return tiers && this.fib.way({ origin: this.rib.originOf(attribute), ...this.colour(attribute) }, tiers);
  }

  private wayLookedUp(selection: Selection): ForwardingWay | undefined {
    const { best, origin, colour } = selection;
    if (!best || best.local) return undefined;
    const tiers = this.fib.tiers(this.nextHops(selection));
    const onFallback = best.attributes.aigp === undefined;
    return tiers && this.fib.way({ origin, ...(colour === undefined ? {} : { colour, onFallback }) }, tiers);
  }

  private find(selected: SelectedPeers): Tiers | undefined {
    const { peerVersion } = this.rib;
    const { tiersVersion } = this.fib;
    if (peerVersion !== this.peers || tiersVersion !== this.sets || this.known.size > MOST) this.known.clear();
    this.peers = peerVersion;
    this.sets = tiersVersion;
    const known = this.known.get(selected.hash);
    return known && selected.isSame(known) ? known.tiers : undefined;
  }

  private make(id: PrefixId, selected: SelectedPeers): Tiers | undefined {
    const tiers = this.fib.tiers(this.nextHops(this.rib.selection(id)));
    if (tiers) this.known.set(selected.hash, { ...selected.copy(), tiers });
    return tiers;
  }

  /** The path of the colour is the one with AIGP. */
  private colour(attribute: number): Pick<ForwardingEntry, 'colour' | 'onFallback'> {
    const colour = this.rib.colourOf(attribute);
    return colour === undefined ? {} : { colour, onFallback: !this.rib.hasAigp(attribute) };
  }
}
