/** One thing that is not as the model has it, with its likely cause. */

export type DifferenceKind =
  | 'no-answer'
  | 'link'
  | 'session'
  | 'path-missing'
  | 'path-unexpected'
  | 'path-hidden'
  | 'colour'
  | 'aigp'
  | 'choice'
  | 'forwarding'
  | 'kernel'
  | 'foreign-route'
  | 'unknown-prefix'
  | 'probe';

export interface Difference {
  readonly kind: DifferenceKind;
  readonly node: string;
  /** Null for what concerns no single prefix. */
  readonly prefix: string | null;
  readonly interface: string | null;
  /** As it follows `NODE PREFIX: `. */
  readonly what: string;
  /** Null where nothing points at one. */
  readonly cause: string | null;
}

export function difference(
  kind: DifferenceKind,
  at: { readonly node: string; readonly prefix?: string; readonly interface?: string },
  said: { readonly what: string; readonly cause?: string | undefined },
): Difference {
  return {
    kind,
    node: at.node,
    prefix: at.prefix ?? null,
    interface: at.interface ?? null,
    what: said.what,
    cause: said.cause ?? null,
  };
}

export interface GroupedDifference extends Omit<Difference, 'prefix'> {
  /** All with the same cause on the same interface of the same node. */
  readonly prefixes: readonly string[];
}

/** What has one cause on one interface is one thing to tell, however many prefixes it meets. */
export function grouped(differences: readonly Difference[]): GroupedDifference[] {
  const groups = new Map<string, { first: Difference; prefixes: string[] }>();
  for (const one of differences) {
    const alike = one.prefix === null || one.cause === null ? [one.what, one.prefix] : [one.cause];
    const key = JSON.stringify([one.kind, one.node, one.interface, ...alike]);
    const group = groups.get(key) ?? { first: one, prefixes: [] };
    groups.set(key, group);
    if (one.prefix !== null) group.prefixes.push(one.prefix);
  }
  return [...groups.values()].map(({ first: { prefix: _, ...rest }, prefixes }) => ({ ...rest, prefixes }));
}

/** One sentence. */
export function sentence({ node, prefixes, what, cause }: GroupedDifference): string {
  const [first] = prefixes;
  const more = prefixes.length > 1 ? ` (and ${prefixes.length - 1} more)` : '';
  const subject = first === undefined ? node : `${node} ${first}${more}`;
  return `${subject}: ${what}${cause === null ? '' : `; likely: ${cause}`}`;
}
