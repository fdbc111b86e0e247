/**
 * What other programs have under our protocol number or with an id of our range. It stays as it is: its ids are left out, and the
 * operator is told of it once, and once more when it is gone.
 */
import { formatPrefix } from '../net/prefix.js';
import type { DumpScope, ForeignObject, NextHopId } from '../ports/kernel-tables.js';
import { prefixKey } from './forwarding-objects.js';
import { GROUP_IDS, NEXT_HOP_IDS, ROUTE_PROTOCOL } from './ownership.js';

export class ForeignObjects {
  private known = new Map<string, ForeignObject>();

  constructor(private readonly say: (level: 'warn' | 'info', message: string) => void) {}

  /** `listed` is what a dump of this scope lists. */
  update(listed: readonly ForeignObject[], scope: DumpScope): void {
    const now = new Map<string, ForeignObject>();
    for (const one of listed) if (isTakenFromUs(one)) now.set(keyOf(one), one);
    if (scope === 'next-hops') for (const [key, one] of this.known) if (one.kind === 'route') now.set(key, one);
    for (const [key, one] of now)
      if (!this.known.has(key)) this.say('warn', `${describeForeign(one)}; ${adviceOn(one)}`);
    for (const [key, one] of this.known) if (!now.has(key)) this.say('info', `${describeForeign(one)} is gone`);
    this.known = now;
  }

  hasId(id: NextHopId): boolean {
    return this.known.size > 0 && this.known.has(String(id));
  }

  all(): Iterable<ForeignObject> {
    return this.known.values();
  }
}

/** `another program (protocol 4) has the next hop 1207959553, an id of heddle's range`. */
export function describeForeign(foreign: ForeignObject): string {
  const { protocol } = foreign;
  if (foreign.kind !== 'route') {
    const what = foreign.kind === 'group' ? 'group' : 'next hop';
    return `another program (protocol ${protocol}) has the ${what} ${foreign.id}, an id of heddle's range`;
  }
  const { prefix, metric } = foreign;
  const whose = protocol === ROUTE_PROTOCOL ? `under heddle's protocol number ${protocol}` : `(protocol ${protocol})`;
  return `another program has the route ${formatPrefix(prefix)} metric ${metric} ${whose}`;
}

/** What the operator can do. */
export function adviceOn(foreign: ForeignObject): string {
  if (foreign.kind !== 'route')
    return `it is left alone: let that program use ids below ${NEXT_HOP_IDS} or from ${2 * GROUP_IDS - NEXT_HOP_IDS} on`;
  if (foreign.protocol === ROUTE_PROTOCOL)
    return `it is left alone: let that program use another protocol number, or delete it: ${deletion(foreign)}`;
  return `it is left alone, and heddle's route is written as soon as it is gone: ${deletion(foreign)}`;
}

/** Without its protocol it is whichever of the prefix and metric Linux finds first: ours, where it stands beside ours. */
function deletion({ prefix, metric, protocol }: Extract<ForeignObject, { kind: 'route' }>): string {
  const family = prefix.address.length === 4 ? '-4' : '-6';
  return `ip ${family} route del ${formatPrefix(prefix)} metric ${metric} proto ${protocol}`;
}

/** Not merely a route of others with a metric like ours. */
function isTakenFromUs(foreign: ForeignObject): boolean {
  return foreign.kind !== 'route' || foreign.protocol === ROUTE_PROTOCOL;
}

function keyOf(foreign: ForeignObject): string {
  return foreign.kind === 'route' ? `${foreign.metric}|${prefixKey(foreign.prefix)}` : String(foreign.id);
}
