/** The links between two nodes of a lab: cut, mended, and looked at. */
import { LabError, run } from './command.js';
import { checkNode, type Lab, namespaceOf } from './lab.js';
import { ipBatch, limitLinks, setLink, vethCommand } from './namespaces.js';
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

/**
 * A token bucket that no packet fits into: the link keeps its carrier and drops everything that leaves by this end. Known by its
 * handle, for a link may have a token bucket of its own, for its rate; that one stays, with this one inside.
 */
const SILENCE = 'dead:';
const SWALLOW = ['handle', SILENCE, 'tbf', 'rate', '1kbit', 'burst', '10', 'limit', '10'];

/** As failLink, but neither end is told; `out`: only what the first node sends is dropped. */
export async function silenceLink(
  lab: Lab,
  text: string,
  ways: 'both' | 'out' = 'both',
): Promise<readonly PlannedLink[]> {
  const found = findLinks(lab, text);
  const links = found.map(({ link }) => link);
  const ends = ways === 'out' ? found.map(({ near }) => near) : links.flatMap((link) => [link.a, link.b]);
  await Promise.all(ends.map((end) => silenceEnd(lab, end)));
  return links;
}

async function silenceEnd(lab: Lab, end: Endpoint): Promise<void> {
  const queues = await queuesOf(lab, end);
  if (queues.some(isSilence)) return;
  const rate = queues.find(({ root, kind }) => root && kind === 'tbf');
  const place = rate ? ['parent', `${rate.handle}1`] : ['root'];
  await run('tc', ['-n', namespaceOf(lab, end.node), 'qdisc', 'replace', 'dev', end.interface, ...place, ...SWALLOW]);
}

/** Undoes failLink and silenceLink, from whatever side. */
export async function healLink(lab: Lab, text: string): Promise<readonly PlannedLink[]> {
  const links = findLinks(lab, text).map(({ link }) => link);
  await Promise.all(links.flatMap((link) => [link.a, link.b].map((end) => healEnd(lab, end))));
  return links;
}

async function healEnd(lab: Lab, end: Endpoint): Promise<void> {
  const silence = (await queuesOf(lab, end)).find(isSilence);
  if (silence) {
    const place = silence.parent === undefined ? ['root'] : ['parent', silence.parent];
    await run('tc', ['-n', namespaceOf(lab, end.node), 'qdisc', 'del', 'dev', end.interface, ...place]);
  }
  await setLink(end, 'up', (node) => namespaceOf(lab, node));
}

interface QueueJson {
  readonly dev?: string;
  readonly kind: string;
  readonly handle: string;
  readonly root?: boolean;
  /** Of one inside another. */
  readonly parent?: string;
}

function isSilence({ handle }: QueueJson): boolean {
  return handle === SILENCE;
}

async function queuesOf(lab: Lab, { node, interface: name }: Endpoint): Promise<readonly QueueJson[]> {
  return JSON.parse(await run('tc', ['-n', namespaceOf(lab, node), '-j', 'qdisc', 'show', 'dev', name]));
}

interface LinkJson {
  readonly ifname: string;
  readonly flags: readonly string[];
}

interface NodeLinks {
  readonly flags: ReadonlyMap<string, readonly string[]>;
  /** Interfaces that drop what leaves by them. */
  readonly silent: ReadonlySet<string>;
}

/** As the kernel sees them now, at both ends. */
export async function linkConditions(lab: Lab): Promise<readonly LinkCondition[]> {
  const nodes = [...lab.plan.routers, ...lab.plan.hosts].map((node) => node.name);
  const seen = new Map(await Promise.all(nodes.map(async (node) => [node, await nodeLinks(lab, node)] as const)));
  const at = (end: Endpoint) => {
    const links = seen.get(end.node);
    return { flags: links?.flags.get(end.interface) ?? [], silent: links?.silent.has(end.interface) ?? false };
  };
  return lab.plan.links.map((link) => ({ link, state: stateOf([at(link.a), at(link.b)]) }));
}

function stateOf(ends: readonly { readonly flags: readonly string[]; readonly silent: boolean }[]): LinkState {
  if (ends.some(({ flags }) => !flags.includes('UP'))) return 'cut';
  if (ends.some(({ silent }) => silent)) return 'silent';
  return ends.every(({ flags }) => flags.includes('LOWER_UP')) ? 'up' : 'no-carrier';
}

async function nodeLinks(lab: Lab, node: string): Promise<NodeLinks> {
  const namespace = ['-n', namespaceOf(lab, node), '-j'];
  const [links, queues] = await Promise.all([
    run('ip', [...namespace, 'link', 'show']).then((text): readonly LinkJson[] => JSON.parse(text)),
    run('tc', [...namespace, 'qdisc', 'show']).then((text): readonly QueueJson[] => JSON.parse(text)),
  ]);
  return {
    flags: new Map(links.map(({ ifname, flags }) => [ifname, flags])),
    silent: new Set(queues.filter(isSilence).flatMap(({ dev }) => dev ?? [])),
  };
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
    await limitLinks(lab.plan, [link], (node) => namespaceOf(lab, node));
    for (const end of [link.a, link.b]) await setLink(end, 'up', (node) => namespaceOf(lab, node));
  }
}
