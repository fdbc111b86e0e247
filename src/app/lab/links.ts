/** The links between two nodes of a lab: cut, mended, and looked at. */
import { LabError, run } from './command.js';
import { checkNode, type Lab, namespaceOf } from './lab.js';
import { ipBatch, setLink, vethCommand } from './namespaces.js';
import type { Endpoint, PlannedLink } from './plan.js';

export type LinkState = 'up' | 'cut' | 'silent' | 'no-carrier';

export interface LinkCondition {
  readonly link: PlannedLink;
  /** `cut`: set down at one end; `silent`: up, and dropping every packet; `no-carrier`: neither end says why. */
  readonly state: LinkState;
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

/** A token bucket that no packet fits into: the link keeps its carrier and drops everything that leaves by this end. */
const SWALLOW = ['root', 'tbf', 'rate', '1kbit', 'burst', '10', 'limit', '10'];
const SWALLOWING_QDISC = 'tbf';

/** As failLink, but neither end is told; `out`: only what the first node sends is dropped. */
export async function silenceLink(
  lab: Lab,
  text: string,
  ways: 'both' | 'out' = 'both',
): Promise<readonly PlannedLink[]> {
  const found = findLinks(lab, text);
  const links = found.map(({ link }) => link);
  const ends = ways === 'out' ? found.map(({ near }) => near) : links.flatMap((link) => [link.a, link.b]);
  await Promise.all(
    ends.map((end) =>
      run('tc', ['-n', namespaceOf(lab, end.node), 'qdisc', 'replace', 'dev', end.interface, ...SWALLOW]),
    ),
  );
  return links;
}

/** Undoes failLink and silenceLink, from whatever side. */
export async function healLink(lab: Lab, text: string): Promise<readonly PlannedLink[]> {
  const links = findLinks(lab, text).map(({ link }) => link);
  await Promise.all(links.flatMap((link) => [link.a, link.b].map((end) => healEnd(lab, end))));
  return links;
}

async function healEnd(lab: Lab, end: Endpoint): Promise<void> {
  const silent = (await interfaces(lab, end.node)).get(end.interface)?.qdisc === SWALLOWING_QDISC;
  if (silent) await run('tc', ['-n', namespaceOf(lab, end.node), 'qdisc', 'del', 'dev', end.interface, 'root']);
  await setLink(end, 'up', (node) => namespaceOf(lab, node));
}

interface LinkJson {
  readonly ifname: string;
  readonly flags: readonly string[];
  readonly qdisc?: string;
}

/** As the kernel sees them now, at both ends. */
export async function linkConditions(lab: Lab): Promise<readonly LinkCondition[]> {
  const nodes = [...lab.plan.routers, ...lab.plan.hosts].map((node) => node.name);
  const seen = new Map(await Promise.all(nodes.map(async (node) => [node, await interfaces(lab, node)] as const)));
  const at = (end: Endpoint) => seen.get(end.node)?.get(end.interface);
  return lab.plan.links.map((link) => ({ link, state: stateOf([at(link.a), at(link.b)]) }));
}

function stateOf(ends: readonly (LinkJson | undefined)[]): LinkState {
  if (ends.some((end) => !end?.flags.includes('UP'))) return 'cut';
  if (ends.some((end) => end?.qdisc === SWALLOWING_QDISC)) return 'silent';
  return ends.every((end) => end?.flags.includes('LOWER_UP')) ? 'up' : 'no-carrier';
}

async function interfaces(lab: Lab, node: string): Promise<ReadonlyMap<string, LinkJson>> {
  const output = await run('ip', ['-n', namespaceOf(lab, node), '-j', 'link', 'show']);
  const links: readonly LinkJson[] = JSON.parse(output);
  return new Map(links.map((link) => [link.ifname, link]));
}

/** Deletes the interfaces between two nodes, at both ends: those of a veth pair go together. */
export async function deleteLink(lab: Lab, text: string): Promise<void> {
  for (const { near } of findLinks(lab, text))
    await ipBatch([`link delete ${near.interface}`], namespaceOf(lab, near.node));
}

/** Undoes deleteLink: other interfaces with the same names. */
export async function remakeLink(lab: Lab, text: string): Promise<void> {
  for (const { link } of findLinks(lab, text)) {
    await ipBatch([vethCommand(link, (node) => namespaceOf(lab, node))]);
    for (const end of [link.a, link.b]) await setLink(end, 'up', (node) => namespaceOf(lab, node));
  }
}
