/** Links and nodes that are assumed to have failed, as the command line names them: `leaf1:spine4`, `leaf1:spine4/2`, `spine2`. */
import { suggest } from '../config/suggestion.js';
import type { LabPlan, PlannedLink } from '../lab/plan.js';

export type Failures = { readonly links: ReadonlySet<string> } | { readonly links?: never; readonly problem: string };

/** By name; every link of the plan. */
export function linkNames(plan: LabPlan): ReadonlyMap<string, PlannedLink> {
  const seen = new Map<string, number>();
  const counts = new Map<string, number>();
  for (const link of plan.links) counts.set(pairOf(link), (counts.get(pairOf(link)) ?? 0) + 1);
  return new Map(
    plan.links.map((link) => {
      const pair = pairOf(link);
      const number = (seen.get(pair) ?? 0) + 1;
      seen.set(pair, number);
      return [counts.get(pair) === 1 ? pair : `${pair}/${number}`, link];
    }),
  );
}

function pairOf({ a, b }: PlannedLink): string {
  return `${a.node}:${b.node}`;
}

/** The names of all links that fail with what `texts` name; or what is wrong with the first that names nothing. */
export function failuresOf(plan: LabPlan, texts: readonly string[]): Failures {
  const links = new Set<string>();
  const names = linkNames(plan);
  for (const text of texts) {
    const found = linksNamed(names, text);
    if (found.length === 0) return { problem: problemOf(plan, names, text) };
    for (const name of found) links.add(name);
  }
  return { links };
}

function linksNamed(names: ReadonlyMap<string, PlannedLink>, text: string): string[] {
  const [pair = '', number] = text.split('/');
  const [a, b] = pair.split(':');
  return [...names.keys()].filter((name) => {
    const link = names.get(name)!;
    const nodes = [link.a.node, link.b.node];
    if (b === undefined) return nodes.includes(text);
    const between = nodes.includes(a ?? '') && nodes.includes(b) && a !== b;
    return between && (number === undefined || name.endsWith(`/${number}`) || (number === '1' && !name.includes('/')));
  });
}

function problemOf(plan: LabPlan, names: ReadonlyMap<string, PlannedLink>, text: string): string {
  const nodes = [...plan.routers, ...plan.hosts].map(({ name }) => name);
  const match = /^([^:/]+)(?::([^:/]+)(?:\/(\d+))?)?$/.exec(text);
  if (!match) return `${text} names no link and no node: expected leaf1:spine2, leaf1:spine2/2 or spine2`;
  for (const name of [match[1], match[2]]) {
    if (name === undefined || nodes.includes(name)) continue;
    const meant = suggest(name, nodes);
    return `there is no node ${name}${meant === undefined ? `; nodes: ${nodes.join(', ')}` : `: did you mean ${meant}?`}`;
  }
  const [pair = ''] = text.split('/');
  const links = linksNamed(names, pair).length;
  return links > 0
    ? `there is no link ${text}: the pair has ${links}`
    : `there is no link between ${pair.replace(':', ' and ')}`;
}
