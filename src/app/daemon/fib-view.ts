/** `show fib`: wanted forwarding entries and what the kernel made of them. */

import type { FibEntryView } from '../../core/fib/fib-view.js';
import type { FibNextHop } from '../../core/fib/types.js';
import { formatAddress } from '../../core/net/address.js';
import { familyOfAddress } from '../../core/net/family.js';
import { formatPrefix } from '../../core/net/prefix.js';
import type { Speaker } from '../../core/speaker/speaker.js';
import type { FibEntry } from '../../edge/control/schema.js';
import { interfaceNames } from './interface-names.js';

export function* fibEntries(speaker: Speaker): Iterable<FibEntry> {
  const nameOf = interfaceNames(speaker);
  const shown = (hops: readonly FibNextHop[]) =>
    hops.map(({ interfaceIndex, gateway, weight }) => ({
      interface: nameOf(interfaceIndex),
      gateway: formatAddress(gateway),
      ...(weight !== undefined && { weight }),
    }));
  for (const entry of speaker.fib.entries()) {
    yield {
      prefix: formatPrefix(entry.prefix),
      family: familyOfAddress(entry.prefix.address),
      colour: entry.colour ?? null,
      ...entryState(entry),
      primary: shown(entry.primary.nextHops),
      primaryGroup: entry.primary.group ?? null,
      fallback: shown(entry.fallback?.nextHops ?? []),
      fallbackGroup: entry.fallback?.group ?? null,
    };
  }
}

/** An entry is installed when both of its routes are. */
export function entryState({ primary, fallback }: FibEntryView): Pick<FibEntry, 'state' | 'error'> {
  const [worst] = [primary, fallback].filter((route) => route !== undefined && route.state !== 'installed');
  return { state: worst?.state ?? 'installed', error: worst?.error ?? null };
}
