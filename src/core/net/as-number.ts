/** Autonomous system numbers, and the sets of them that a neighbour may be in. */

/** 0 < value < 2^32. */
export type AsNumber = number;

/** RFC 6793: what a 2-octet field says for an AS number that does not fit. */
export const AS_TRANS = 23456;

/** The remote AS numbers a neighbour may have. `internal` is our own, `external` any other. */
export type AsRule =
  | { readonly kind: 'external' | 'internal' }
  | { readonly kind: 'range'; readonly first: AsNumber; readonly last: AsNumber };

/** asplain (`4266459137`) or asdot (`65101.1`, RFC 5396 section 2); `undefined` when it is neither. */
export function parseAsNumber(text: string): number | undefined {
  const [, high, low] = /^(?:(\d{1,5})\.)?(\d{1,10})$/.exec(text) ?? [];
  if (low === undefined) return undefined;
  const [upper, lower] = [Number(high ?? 0), Number(low)];
  if (upper > 0xffff || lower > (high === undefined ? 0xffffffff : 0xffff)) return undefined;
  return upper * 0x10000 + lower;
}

/** Parses `external`, `internal`, an AS number or a range `65001-65010`; `undefined` when it is none of them. */
export function parseAsRule(text: string): AsRule | undefined {
  if (text === 'external' || text === 'internal') return { kind: text };
  const [first, last = first, ...more] = text.split('-').map(parseAsNumber);
  if (first === undefined || last === undefined || more.length > 0) return undefined;
  return first >= 1 && last >= first ? { kind: 'range', first, last } : undefined;
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
