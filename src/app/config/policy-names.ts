/** From the policies of a configuration file to policies without names in them, which speakers take. */

import type { CommunityPattern } from '../../core/policy/community-text.js';
import type {
  Changes,
  CommunityList,
  Match,
  Policy,
  PolicyChain,
  PrefixList,
  PrefixRange,
  Term,
} from '../../core/policy/policy.js';
import type { FileConfig } from './file-schema.js';
import type { GivenMatch, GivenSet, GivenTerm, Reference } from './policy-schema.js';

type Sections = Partial<Pick<FileConfig, 'policies' | 'prefix-lists' | 'community-lists'>>;

/** Every policy, by its name. Unknown names of lists are empty lists: policy-checks.ts has refused them. */
export function policiesOf(file: Sections): ReadonlyMap<string, Policy> {
  const named = Object.entries(file.policies ?? {});
  return new Map(
    named.map(([name, terms]) => [name, { name, terms: terms.map((term, index) => termOf(term, index, file)) }]),
  );
}

interface Attached {
  readonly import?: readonly string[] | undefined;
  readonly export?: readonly string[] | undefined;
  readonly defaultOriginate?: { readonly policy?: readonly string[] };
}

interface AttachedChains {
  readonly importPolicy?: PolicyChain;
  readonly exportPolicy?: PolicyChain;
  readonly defaultOriginate?: { readonly policy?: PolicyChain };
}

/**
 * Replaces the names of policies at an interface, or those that hold everywhere, by the policies. The same names give the same
 * chain, which is then compiled once.
 */
export function policyAttachment(file: Pick<Attached, 'import' | 'export'>, policies: ReadonlyMap<string, Policy>) {
  const chains = new Map<string, PolicyChain>();
  const chainOf = (names: readonly string[]) => {
    const key = names.join(',');
    const chain = chains.get(key) ?? names.flatMap((name) => policies.get(name) ?? []);
    chains.set(key, chain);
    return chain;
  };
  const originated = (names: readonly string[] | undefined) => (names ? { policy: chainOf(names) } : {});
  return <T extends Attached>({
    import: imports,
    export: exports,
    defaultOriginate,
    ...link
  }: T): Omit<T, keyof Attached> & AttachedChains => {
    const incoming = imports ?? file.import;
    const outgoing = exports ?? file.export;
    return {
      ...link,
      ...(incoming && { importPolicy: chainOf(incoming) }),
      ...(outgoing && { exportPolicy: chainOf(outgoing) }),
      ...(defaultOriginate && { defaultOriginate: originated(defaultOriginate.policy) }),
    };
  };
}

function termOf({ name, match, set, action }: GivenTerm, index: number, file: Sections): Term {
  return {
    name: name ?? String(index + 1),
    match: match ? matchOf(match, file) : {},
    set: set ? changesOf(set, file) : {},
    action: action ?? 'next',
  };
}

function matchOf(given: GivenMatch, file: Sections): Match {
  const { prefixes, family, communities, aigp, interface: interfaces, origin } = given;
  const colour = given.colour ?? given.color;
  const neighbour = given.neighbour ?? given.neighbor;
  const all = given['all-communities'];
  return {
    ...(prefixes && { prefixes: prefixes.map((one) => prefixListOf(one, file)) }),
    ...(family && { family: family === 'ipv6' ? 'ipv6-unicast' : 'ipv4-unicast' }),
    ...(communities && { communities: communities.map((one) => communityListOf(one, file)) }),
    ...(all && { allCommunities: all.map((one) => communityListOf(one, file)) }),
    ...(colour && { colour }),
    ...(given['as-path'] && { asPath: given['as-path'] }),
    ...(aigp && { aigp }),
    ...(given['next-hop'] && { nextHop: given['next-hop'] }),
    ...(neighbour && { neighbour }),
    ...(interfaces && { interface: interfaces }),
    ...(origin && { origin }),
  };
}

function changesOf(given: GivenSet, file: Sections): Changes {
  const { aigp, med, prepend, communities } = given;
  const colour = given.colour ?? given.color;
  return {
    ...(colour !== undefined && { colour }),
    ...(communities && {
      communities: {
        ...(communities.replace && { replace: communities.replace }),
        ...(communities.remove && { remove: communities.remove.map((one) => communityListOf(one, file)) }),
        ...(communities.add && { add: communities.add }),
      },
    }),
    ...(aigp !== undefined && { aigp }),
    ...(given['local-pref'] !== undefined && { localPref: given['local-pref'] }),
    ...(med !== undefined && { med }),
    ...(prepend && { prepend }),
    ...(given['next-hop'] !== undefined && { nextHop: given['next-hop'] }),
  };
}

function prefixListOf(reference: Reference<PrefixRange>, file: Sections): PrefixList {
  if ('name' in reference) return { name: reference.name, entries: file['prefix-lists']?.[reference.name] ?? [] };
  return { name: reference.text, entries: [reference.inline] };
}

function communityListOf(reference: Reference<CommunityPattern>, file: Sections): CommunityList {
  if ('name' in reference) return { name: reference.name, patterns: file['community-lists']?.[reference.name] ?? [] };
  return { name: reference.text, patterns: [reference.inline] };
}
