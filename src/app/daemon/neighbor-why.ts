/**
 * Why a session is not up, or carries no routes: the likeliest cause in one sentence, and what to do about it. Every rule
 * looks at facts that `show neighbors` shows as well; the first rule that applies is the answer.
 */
import { counted } from '../../core/net/counted.js';
import type { Neighbor, ReasonCount } from '../../edge/control/schema.js';
import { downAdvice, type Facts, linkAdvice, silenceAdvice, unheardAdvice } from './down-advice.js';

export interface Diagnosis {
  readonly why: string | null;
  readonly next: string | null;
}

const WELL: Diagnosis = { why: null, next: null };

export function diagnose(facts: Facts): Diagnosis {
  if (facts.neighbor.state === 'established') return emptiness(facts);
  return absence(facts) ?? awaited(facts);
}

/** Nothing has failed yet. */
function awaited({ neighbor: { passive, address, localAddress } }: Facts): Diagnosis {
  if (!passive) return { why: 'the first attempt is under way', next: null };
  return {
    why: 'passive: we wait for the neighbour to connect',
    next: `at the neighbour: a session from ${address} to ${localAddress}, not passive as well`,
  };
}

/** Of a session that is not up. */
function absence(facts: Facts): Diagnosis | undefined {
  const { neighbor, linkReason } = facts;
  if (linkReason !== undefined) return { why: linkReason, next: linkAdvice(linkReason, neighbor.interface) };
  if (neighbor.hold) return held(neighbor.hold, neighbor);
  if (neighbor.address === null) return unheard(neighbor);
  return strictBfd(neighbor) ?? restarting(neighbor) ?? failed(facts);
}

function held(hold: NonNullable<Neighbor['hold']>, neighbor: Facts['neighbor']): Diagnosis {
  const enable = `heddle neighbor ${neighbor.name} enable`;
  return { why: hold.reason, next: hold.kind === 'shutdown' ? enable : `raise the limit, or look why; then ${enable}` };
}

function unheard({ interface: link, lastDown }: Facts['neighbor']): Diagnosis {
  const before = lastDown ? `; the last neighbour went: ${lastDown.message}` : '';
  return { why: `nobody is heard on ${link}: no router advertisement arrives${before}`, next: unheardAdvice() };
}

function strictBfd({ state, bfd }: Facts['neighbor']): Diagnosis | undefined {
  if (state !== 'open-confirm' || !bfd?.strict || bfd.state === 'Up') return undefined;
  const why = `the session waits for BFD (strict mode), which is ${bfd.state ?? 'not running'}`;
  return { why: bfd.reason === null ? why : `${why}: ${bfd.reason}`, next: 'heddle show bfd' };
}

function restarting({ stale, lastDown }: Facts['neighbor']): Diagnosis | undefined {
  if (!stale || !lastDown) return undefined;
  const kept = `its ${counted(stale.paths, 'path stays', 'paths stay')}, ${stale.longLived ? 'long-lived stale' : 'stale'}`;
  return { why: `the neighbour restarts: ${kept}, until it is back; it went: ${lastDown.message}`, next: null };
}

/** What to do is about what is told first; about the attempts since then only where there is nothing to do about that. */
function failed(facts: Facts): Diagnosis | undefined {
  const { lastDown, lastFailure } = facts.neighbor;
  if (!lastDown) return undefined;
  const next = downAdvice(facts, lastDown) ?? (lastFailure && downAdvice(facts, lastFailure));
  return { why: lastDown.message, next: next ?? silenceAdvice(lastFailure ?? lastDown) };
}

/** Of a session that is up: what it lacks in either direction. */
function emptiness(facts: Facts): Diagnosis {
  const uncarried = uncarriedIpv4(facts.neighbor);
  if (uncarried) return uncarried;
  const found = [unheardRoutes(facts), unpreferred(facts), untoldRoutes(facts)].filter((one) => one !== undefined);
  const [first] = found;
  if (!first) return WELL;
  const advice =
    facts.neighbor.policies.missing.length > 1 ? NO_POLICY_AT_ALL : found.find(({ next }) => next !== null)?.next;
  return { why: found.map(({ why }) => why).join('; '), next: advice ?? null };
}

/** A found neighbour has an IPv6 next hop alone, which IPv4 routes carry only where both ends said so (RFC 8950 section 4). */
function uncarriedIpv4({ configured, families, capabilities }: Facts['neighbor']): Diagnosis | undefined {
  if (configured || !families.includes('ipv4-unicast')) return undefined;
  const offer = capabilities.find(({ name }) => name === EXTENDED_NEXT_HOP);
  if (offer?.local && offer.remote) return undefined;
  const sides = offer?.local
    ? 'the neighbour does not offer'
    : offer?.remote
      ? 'we do not offer'
      : 'neither end offers';
  const here = 'take extended-next-hop: false out of capabilities here';
  const there = 'switch it on at the neighbour (FRR: capability extended-nexthop; BIRD: extended next hop on)';
  return {
    why: `ipv4-unicast was agreed, but carries nothing: IPv4 needs extended-next-hop (RFC 8950) on this session, which ${sides}`,
    next: [...(offer?.local ? [] : [here]), ...(offer?.remote ? [] : [there])].join('; '),
  };
}

/** As `capabilities` of a neighbour name it. */
const EXTENDED_NEXT_HOP = 'extended next hop ipv4-unicast';

const NO_POLICY_AT_ALL = 'name a policy under import and one under export of this neighbour';

function unheardRoutes({ neighbor, families }: Facts): Diagnosis | undefined {
  const { prefixes, policies, tablePending, malformed, hidden } = neighbor;
  if (prefixes.accepted > 0) return undefined;
  if (prefixes.received > 0) return unusable(prefixes.received, hidden, policies);
  if (malformed > 0) {
    const why = `${malformed} of its UPDATEs had faults, and no route of them is left (RFC 7606)`;
    return { why, next: 'the log has what was wrong; the sender is at fault' };
  }
  if (tablePending.length > 0) return { why: 'its routes are still to come: no End-of-RIB yet', next: null };
  const missing = families.filter((family) => !neighbor.families.includes(family));
  const without = missing.length > 0 ? ` (${missing.join(' and ')} was not agreed)` : '';
  return {
    why: `the neighbour announces no routes${without}`,
    next: 'at the neighbour: has it routes, a policy that lets them out (RFC 8212), and the family active?',
  };
}

const SETTLING_TEXTS: Readonly<Record<NonNullable<Neighbor['settling']>['waitsFor'], string>> = {
  'end-of-rib': 'it has not sent all its routes yet (End-of-RIB)',
  gateway: 'it does not answer neighbour solicitations on the link',
  'hold-down': 'its hold-down is not over',
};

/** Of a neighbour that was away. */
function unpreferred({ neighbor: { settling, prefixes } }: Facts): Diagnosis | undefined {
  if (!settling || prefixes.accepted === 0) return undefined;
  const why = `it was away, and its routes are not preferred yet: ${SETTLING_TEXTS[settling.waitsFor]}`;
  return { why, next: settling.waitsFor === 'gateway' ? 'look at the link: ip -6 neighbor show' : null };
}

function unusable(count: number, hidden: Neighbor['hidden'], { missing }: Neighbor['policies']): Diagnosis {
  const unpoliced = missing.find((text) => text.includes('import'));
  if (unpoliced !== undefined) return { why: unpoliced, next: 'name a policy under import of this neighbour' };
  const [top] = hidden ?? [];
  const none = count === 1 ? 'its one route is not used' : `none of its ${count} routes is used`;
  if (!top) return { why: none, next: null };
  return { why: `${none}: ${reasonText(top, count)}`, next: hiddenAdvice(top.reason) };
}

function hiddenAdvice(reason: string): string | null {
  if (reason.includes('own AS'))
    return 'the neighbour sends back what went through us, or two routers have the same AS';
  if (reason.includes('colour'))
    return 'session mode: the two ends of a link must have the same colour, or one of them none';
  if (reason.includes('next hop'))
    return 'the neighbour must put itself as next hop (next-hop-self), or a route other than a default one lead to that next hop';
  if (reason.includes('import policy'))
    return 'heddle policy test shows, term by term, what the policy makes of a route';
  return null;
}

/** Reasons that apply on sessions where all is well. */
const EXPECTED = ['it came from this neighbour', 'no transit'];

function untoldRoutes({ neighbor, prefixes }: Facts): Diagnosis | undefined {
  const { policies, withheld } = neighbor;
  if (neighbor.prefixes.advertised > 0) return undefined;
  const unpoliced = policies.missing.find((text) => text.includes('export'));
  if (unpoliced !== undefined) return { why: unpoliced, next: 'name a policy under export of this neighbour' };
  const unexpected = (withheld ?? []).filter(({ reason }) => !EXPECTED.some((words) => reason.includes(words)));
  const reasons = unexpected.length > 0 ? unexpected : (withheld ?? []);
  const total = reasons.reduce((sum, { count }) => sum + count, 0);
  const [top] = reasons;
  if (!top || prefixes === 0) return { why: 'it is told nothing: there are no routes here to tell', next: null };
  return { why: `it is told nothing: ${reasonText(top, total)}`, next: withheldAdvice(top.reason) };
}

function withheldAdvice(reason: string): string | null {
  if (reason.includes('colour'))
    return 'session mode: a route goes over sessions of its colour, of a backup colour, or of none';
  if (reason.includes('export policy'))
    return 'heddle policy test shows, term by term, what the policy makes of a route';
  return null;
}

/** `our own AS is in the AS path`, and of how many that is true when not of all. */
function reasonText({ reason, count }: ReasonCount, total: number): string {
  return count === total ? reason : `${reason} (${count} of ${total})`;
}
