/** `heddle policy test`: the terms in the order in which they were asked, and what came of the route. */
import { formatAddress } from '../../../core/net/address.js';
import { formatPrefix, type Prefix } from '../../../core/net/prefix.js';
import { communityTexts } from '../../../core/policy/community-text.js';
import type { TermStep, Verdict } from '../../../core/policy/compile-policy.js';
import { describeChanges } from '../../../core/policy/describe-changes.js';
import { formatAsPath } from '../../../core/wire/bgp/attributes/as-path.js';
import type { PathAttributes } from '../../../core/wire/bgp/path-attributes.js';
import type { Paint } from './paint.js';
import { pairs } from './table.js';

/** Where the session is: who is asked decides about a route that no term decides. Absent when no neighbour was named. */
export type Side = 'fabric' | 'internal' | 'external' | 'either';

export interface PolicyTest {
  readonly prefix: Prefix;
  readonly direction: 'import' | 'export';
  readonly steps: readonly TermStep[];
  readonly before: PathAttributes;
  readonly verdict: Verdict;
  readonly side: Side | undefined;
}

export function renderPolicyTest(test: PolicyTest, paint: Paint): string[] {
  const { prefix, direction, steps, before, verdict } = test;
  const outcome = outcomeOf(test);
  const was = routeFields(before);
  const rejected = outcome === 'reject';
  const fields = rejected ? [] : routeFields(verdict.attributes, verdict.nextHop);
  const changed = fields.map(([name, value], index): [string, string] => {
    const old = was[index]![1];
    return [name, old === value ? value : `${value}  (was ${old})`];
  });
  return [
    paint.strong(`${direction} of ${formatPrefix(prefix)}`),
    ...steps.flatMap((step) => termLines(step, paint)),
    (rejected ? paint.bad : paint.good)(verdictText(test)),
    ...pairs(changed, paint).map((line) => `  ${line}`),
  ];
}

function termLines({ policy, term, conditions, matched, source }: TermStep, paint: Paint): string[] {
  const sets = describeChanges(source.set);
  return [
    `  ${policy} term ${term}: ${matched ? paint.good('matches') : paint.dim('does not match')}`,
    ...conditions.map(({ text, holds }) => `    ${holds ? paint.good('yes') : paint.bad('no ')}  ${text}`),
    ...(matched && sets.length > 0 ? [`    set  ${sets.join(', ')}`] : []),
    ...(matched ? [`    then ${source.action}`] : []),
  ];
}

const UNDECIDED: Readonly<Record<Side, string>> = {
  fabric: 'accepted (the DPF role of a fabric interface)',
  internal: 'accepted (inside the AS no policy is needed)',
  external: 'rejected (RFC 8212: an external neighbour, and no term accepts)',
  either: 'rejected when the neighbour is in another AS (RFC 8212), accepted when it is in ours',
};
const ANYWHERE = 'accepted on a fabric interface (the DPF role), rejected from external neighbours (RFC 8212)';

function verdictText({ verdict: { decision, decidedBy }, side }: PolicyTest): string {
  if (!decision || !decidedBy) return `no term decides: ${side ? UNDECIDED[side] : ANYWHERE}`;
  return `${decision}ed by policy ${decidedBy.policy} term ${decidedBy.term}`;
}

/** `undefined` when that depends on a neighbour that was not named, or on the AS that it will be in. */
function outcomeOf({ verdict, side }: PolicyTest): 'accept' | 'reject' | undefined {
  if (verdict.decision) return verdict.decision;
  if (side === undefined || side === 'either') return undefined;
  return side === 'external' ? 'reject' : 'accept';
}

const ORIGINS = ['igp', 'egp', 'incomplete'] as const;

function routeFields(attributes: PathAttributes, setNextHop?: Verdict['nextHop']): [string, string][] {
  const nextHop = setNextHop ?? attributes.nextHop?.global ?? attributes.nextHop?.linkLocal;
  const communities = (['standard', 'extended', 'large'] as const).flatMap((kind) => communityTexts(attributes, kind));
  return [
    ['AS path', formatAsPath(attributes.asPath) || '-'],
    ['origin', ORIGINS[attributes.origin]],
    ['next hop', nextHop === undefined ? '-' : nextHop === 'self' ? nextHop : formatAddress(nextHop)],
    ['AIGP', String(attributes.aigp?.metric ?? '-')],
    ['local-pref', String(attributes.localPref ?? '-')],
    ['MED', String(attributes.med ?? '-')],
    ['communities', communities.join(' ') || '-'],
  ];
}

/** Keys are added, never renamed or removed. */
export function policyTestJson(test: PolicyTest): object {
  const { prefix, direction, steps, before, verdict, side } = test;
  const outcome = outcomeOf(test);
  return {
    prefix: formatPrefix(prefix),
    direction,
    terms: steps.map(({ policy, term, conditions, matched, source }) => ({
      policy,
      term,
      matched,
      conditions,
      set: matched ? describeChanges(source.set) : [],
      action: matched ? source.action : null,
    })),
    decision: verdict.decision ?? null,
    decidedBy: verdict.decidedBy ?? null,
    neighborIs: side ?? null,
    outcome: outcome ?? null,
    before: Object.fromEntries(routeFields(before)),
    after: outcome === 'reject' ? null : Object.fromEntries(routeFields(verdict.attributes, verdict.nextHop)),
  };
}
