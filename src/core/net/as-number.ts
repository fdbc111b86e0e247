/** Autonomous system numbers, and the sets of them that a neighbour may be in. */

/** 0 < value < 2^32. */
export type AsNumber = number;

/** RFC 6793: what a 2-octet field says for an AS number that does not fit. */
export const AS_TRANS = 23456;

/** The remote AS numbers a neighbour may have. `internal` is our own, `external` any other. */
export type AsRule =
  | { readonly kind: 'external' | 'internal' }
  | { readonly kind: 'range'; readonly first: AsNumber; readonly last: AsNumber };

/** Parses `external`, `internal`, `65001` or `65001-65010`; `undefined` when it is none of them. */
export function parseAsRule(text: string): AsRule | undefined {
  if (text === 'external' || text === 'internal') return { kind: text };
  const match = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(text);
  if (!match) return undefined;
  const first = Number(match[1]);
  const last = match[2] === undefined ? first : Number(match[2]);
  return first >= 1 && last >= first && last <= 0xffffffff ? { kind: 'range', first, last } : undefined;
}

export function formatAsRule(rule: AsRule): string {
  if (rule.kind !== 'range') return rule.kind;
  return rule.first === rule.last ? String(rule.first) : `${rule.first}-${rule.last}`;
}

export function acceptsAs(rules: readonly AsRule[], remote: AsNumber, local: AsNumber): boolean {
  return rules.some((rule) => {
    if (rule.kind === 'range') return remote >= rule.first && remote <= rule.last;
    return (rule.kind === 'internal') === (remote === local);
  });
}

/** Whoever meets these rules is in our own AS. */
export function acceptsOnlyOwn(rules: readonly AsRule[], local: AsNumber): boolean {
  return rules.every((rule) =>
    rule.kind === 'range' ? rule.first === local && rule.last === local : rule.kind === 'internal',
  );
}
