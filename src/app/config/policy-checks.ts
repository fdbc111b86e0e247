/** What is wrong with policies beyond the shape of a term: names that lead nowhere, and terms and policies that never act. */
import { sameValue } from '../../core/speaker/config-difference.js';
import type { Sections } from './originations.js';
import type { GivenTerm, Reference } from './policy-schema.js';
import type { FieldPath, Problem } from './problem.js';
import { suggest } from './suggestion.js';

interface Use {
  readonly path: FieldPath;
  readonly name: string;
}

/** Names are not looked for in sections that could not be read. */
export function policyChecks(config: Sections, unreadable: readonly string[]): Problem[] {
  const namesOf = (section: keyof typeof KINDS, uses: readonly Use[]) =>
    unreadable.includes(section) ? [] : namesOfKind(config, section, uses);
  const chains = attachedChains(config);
  const uses = chains.flatMap(({ path, names }) => names.map((name, index) => ({ path: [...path, index], name })));
  const prefixUses = listUses(config, ({ match }) => [[['match', 'prefixes'], match?.prefixes]]);
  const communityUses = listUses(config, ({ match, set }) => [
    [['match', 'communities'], match?.communities],
    [['match', 'all-communities'], match?.['all-communities']],
    [['set', 'communities', 'remove'], set?.communities?.remove],
  ]);
  return [
    ...namesOf('policies', uses),
    ...namesOf('prefix-lists', prefixUses),
    ...namesOf('community-lists', communityUses),
    ...Object.entries(config.policies ?? {}).flatMap(([name, terms]) => termProblems(['policies', name], terms)),
    ...chains.flatMap((chain) => chainProblems(config, chain)),
  ];
}

interface Attached {
  readonly import?: readonly string[] | undefined;
  readonly export?: readonly string[] | undefined;
}

/** As in the file at a neighbour, and as read at a fabric interface. */
interface Originating {
  readonly 'default-originate'?: boolean | { readonly policy: readonly string[] } | undefined;
  readonly defaultOriginate?: { readonly policy?: readonly string[] };
}

interface Chain {
  readonly path: FieldPath;
  readonly direction: 'import' | 'export';
  readonly names: readonly string[];
}

function attachedChains(config: Sections): Chain[] {
  const places: [FieldPath, Attached & Originating][] = [
    [[], config],
    ...(['fabric', 'neighbors', 'neighbours', 'peer-groups'] as const).flatMap((section) =>
      Object.entries<Attached & Originating>(config[section] ?? {}).map(
        ([name, given]): [FieldPath, Attached & Originating] => [[section, name], given],
      ),
    ),
  ];
  return places.flatMap(([path, given]) => [
    ...(['import', 'export'] as const).flatMap((direction) => {
      const names = given[direction];
      return names ? [{ path: [...path, direction], direction, names }] : [];
    }),
    ...defaultChain(path, given),
  ]);
}

function defaultChain(path: FieldPath, given: Originating): Chain[] {
  const written = given['default-originate'];
  const names = given.defaultOriginate?.policy ?? (typeof written === 'object' ? written.policy : undefined);
  return names ? [{ path: [...path, 'default-originate', 'policy'], direction: 'export', names }] : [];
}

type References = readonly Reference<unknown>[] | undefined;

function listUses(config: Sections, of: (term: GivenTerm) => readonly (readonly [FieldPath, References])[]): Use[] {
  return Object.entries(config.policies ?? {}).flatMap(([policy, terms]) =>
    terms.flatMap((term, index) =>
      of(term).flatMap(([path, references = []]) =>
        references.flatMap((reference, at) =>
          'name' in reference ? [{ path: ['policies', policy, index, ...path, at], name: reference.name }] : [],
        ),
      ),
    ),
  );
}

const KINDS = { policies: 'policy', 'prefix-lists': 'prefix list', 'community-lists': 'community list' } as const;

/** Names that nobody defined, and definitions that nobody names. */
function namesOfKind(config: Sections, section: keyof typeof KINDS, uses: readonly Use[]): Problem[] {
  const known = Object.keys(config[section] ?? {});
  const unknown = uses.filter(({ name }) => !known.includes(name));
  const unused = known.filter((name) => !uses.some((use) => use.name === name));
  return [
    ...unknown.map(({ path, name }): Problem => {
      const near = suggest(name, known);
      const hint = near === undefined ? `; there is ${known.join(', ') || 'none'}` : `; did you mean ${near}?`;
      return { severity: 'error', path, message: `no ${KINDS[section]} ${name}${hint}` };
    }),
    ...unused.map((name): Problem => {
      const message = `this ${KINDS[section]} is used nowhere`;
      return { severity: 'warning', path: [section, name], atKey: true, message };
    }),
  ];
}

function termProblems(path: FieldPath, terms: readonly GivenTerm[]): Problem[] {
  return terms.flatMap((term, index) => {
    const at = [...path, index];
    const nameOf = (other: GivenTerm) => other.name ?? String(terms.indexOf(other) + 1);
    const before = terms.slice(0, index);
    const problems: Problem[] = [];
    if (before.some((other) => nameOf(other) === nameOf(term))) {
      problems.push({ severity: 'error', path: [...at, 'name'], message: `another term is named ${nameOf(term)}` });
    }
    const shadow = before.find((other) => decides(other) && (matchesAll(other) || sameValue(other.match, term.match)));
    if (shadow) {
      const message = `never reached: term ${nameOf(shadow)} ${shadow.action}s all of its routes before`;
      problems.push({ severity: 'warning', path: at, message });
    }
    if (!decides(term) && Object.keys(term.set ?? {}).length === 0) {
      problems.push({ severity: 'warning', path: at, message: 'this term sets nothing and decides nothing' });
    }
    return problems;
  });
}

function decides({ action }: GivenTerm): boolean {
  return action === 'accept' || action === 'reject';
}

function matchesAll({ match }: GivenTerm): boolean {
  return Object.keys(match ?? {}).length === 0;
}

function chainProblems(config: Sections, { path, direction, names }: Chain): Problem[] {
  const termsOf = (name: string) => config.policies?.[name] ?? [];
  return names.flatMap((name, index): Problem[] => {
    const problems: Problem[] = [];
    const last = names
      .slice(0, index)
      .find((other) => termsOf(other).some((term) => decides(term) && matchesAll(term)));
    if (last !== undefined) {
      const message = `never asked: policy ${last} before it decides every route`;
      problems.push({ severity: 'warning', path: [...path, index], message });
    }
    if (direction === 'import' && termsOf(name).some(({ set }) => set?.['next-hop'] === 'self')) {
      const message = `policy ${name} sets next-hop self, which only an export can`;
      problems.push({ severity: 'error', path: [...path, index], message });
    }
    return problems;
  });
}
