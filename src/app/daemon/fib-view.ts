/** `show fib`: wanted forwarding entries and what the kernel made of them. */

import { NO_RESILIENT_GROUPS } from '../../core/fib/fib-log.js';
import type { FibEntryView } from '../../core/fib/fib-view.js';
import { adviceOn, describeForeign } from '../../core/fib/foreign-objects.js';
import type { FibNextHop } from '../../core/fib/types.js';
import { formatAddress } from '../../core/net/address.js';
import { familyOfAddress } from '../../core/net/family.js';
import { formatPrefix } from '../../core/net/prefix.js';
import type { Speaker } from '../../core/speaker/speaker.js';
import type { FibEntry } from '../../edge/control/schema.js';
import { interfaceNames } from './interface-names.js';

export function* fibEntries(speaker: Speaker): Iterable<FibEntry> {
  const shown = nextHopViews(speaker);
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

/** What concerns no single prefix. */
export function fibNotes(speaker: Speaker): string[] {
  const plain = plainGroupsReason(speaker);
  const foreign = [...speaker.fib.foreign()].map((one) => `${describeForeign(one)}; ${adviceOn(one)}`);
  return [
    ...(speaker.config.fib.install === false ? ['no route is put into the kernel (fib: { install: false })'] : []),
    ...(plain === undefined ? [] : [`plain next-hop groups: ${plain}`]),
    ...foreign,
  ];
}

/** `undefined` where groups are resilient. */
export function plainGroupsReason({ fib }: Speaker): string | undefined {
  if (fib.groupKind === 'resilient') return undefined;
  return fib.groupKind === 'plain' ? 'load balancing assigns flows' : NO_RESILIENT_GROUPS;
}

export function nextHopViews(speaker: Speaker): (hops: readonly FibNextHop[]) => FibEntry['primary'] {
  const nameOf = interfaceNames(speaker);
  return (hops) =>
    hops.map(({ interfaceIndex, gateway, weight }) => ({
      interface: nameOf(interfaceIndex),
      gateway: formatAddress(gateway),
      ...(weight !== undefined && { weight }),
    }));
}

/** An entry is installed when both of its routes are. */
export function entryState({ primary, fallback }: FibEntryView): Pick<FibEntry, 'state' | 'error'> {
  const [worst] = [primary, fallback].filter((route) => route !== undefined && route.state !== 'installed');
  return { state: worst?.state ?? 'installed', error: worst?.error ?? null };
}
