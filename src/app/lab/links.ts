/** The links between two nodes of a lab: cut, mended, and looked at. */
import { LabError, run } from './command.js';
import { checkNode, type Lab, namespaceOf } from './lab.js';
import { setLink } from './namespaces.js';
import type { Endpoint, PlannedLink } from './plan.js';

export interface LinkCondition {
  readonly link: PlannedLink;
  /** `cut`: set down at one end; `no-carrier`: neither end says why. */
  readonly state: 'up' | 'cut' | 'no-carrier';
}

/**
 * `leaf1:spine2`, or with several links per pair `leaf1:spine2/2` for one of them. Throws LabError when there is no such node
 * or link.
 */
export function findLinks(lab: Lab, text: string): { readonly near: Endpoint; readonly link: PlannedLink }[] {
  const match = /^([^:/]+):([^:/]+)(?:\/(\d+))?$/.exec(text);
  if (!match) throw new LabError(`${text} names no link: expected A:B with two nodes, such as leaf1:spine2`);
  const [, a = '', b = '', number] = match;
  for (const node of [a, b]) checkNode(lab, node);
  const between = lab.plan.links.flatMap((link) => {
    if (link.a.node === a && link.b.node === b) return [{ near: link.a, link }];
    return link.a.node === b && link.b.node === a ? [{ near: link.b, link }] : [];
  });
  const chosen = number === undefined ? between : between.slice(Number(number) - 1, Number(number));
  if (chosen.length > 0) return chosen;
  throw new LabError(`there is no link ${text}${between.length > 0 ? `: the pair has ${between.length}` : ''}`);
}

/** Sets the first node's end down: it loses the link administratively, the other end loses carrier. */
export async function failLink(lab: Lab, text: string): Promise<readonly PlannedLink[]> {
  const found = findLinks(lab, text);
  await Promise.all(found.map(({ near }) => setLink(near, 'down', (node) => namespaceOf(lab, node))));
  return found.map(({ link }) => link);
}

/** Sets both ends up, so that it undoes a cut made from either side. */
export async function healLink(lab: Lab, text: string): Promise<readonly PlannedLink[]> {
  const found = findLinks(lab, text);
  const ends = found.flatMap(({ link }) => [link.a, link.b]);
  await Promise.all(ends.map((end) => setLink(end, 'up', (node) => namespaceOf(lab, node))));
  return found.map(({ link }) => link);
}

interface LinkJson {
  readonly ifname: string;
  readonly flags: readonly string[];
}

/** As the kernel sees them now, from the `a` end and the `b` end. */
export async function linkConditions(lab: Lab): Promise<readonly LinkCondition[]> {
  const nodes = [...lab.plan.routers, ...lab.plan.hosts].map((node) => node.name);
  const flags = new Map(await Promise.all(nodes.map(async (node) => [node, await interfaceFlags(lab, node)] as const)));
  const flagsOf = (end: Endpoint) => flags.get(end.node)?.get(end.interface) ?? [];
  return lab.plan.links.map((link) => {
    const ends = [flagsOf(link.a), flagsOf(link.b)];
    if (ends.every((end) => end.includes('LOWER_UP'))) return { link, state: 'up' };
    return { link, state: ends.some((end) => !end.includes('UP')) ? 'cut' : 'no-carrier' };
  });
}

async function interfaceFlags(lab: Lab, node: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const output = await run('ip', ['-n', namespaceOf(lab, node), '-j', 'link', 'show']);
  const links: readonly LinkJson[] = JSON.parse(output);
  return new Map(links.map((link) => [link.ifname, link.flags]));
}
