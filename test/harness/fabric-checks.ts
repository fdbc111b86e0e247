/** What every fabric must show, read from the kernel and never from heddle's own output. */
import { expect, vi } from 'vitest';
import { run } from '../../src/app/lab/command.js';
import { pathOf } from '../../src/app/lab/counters.js';
import { kernelRoutes, wantedPrefixes } from '../../src/app/lab/kernel-routes.js';
import { findRouter, type Lab, namespaceOf } from '../../src/app/lab/lab.js';
import { failLink, healLink } from '../../src/app/lab/links.js';
import { type PlannedPrefix, type PlannedRouter, prefixText } from '../../src/app/lab/plan.js';

/** Milliseconds. */
const PATIENCE = 120_000;

export interface NextHop {
  readonly id: number;
  readonly gateway?: string;
  readonly dev?: string;
  readonly group?: readonly { readonly id: number }[];
  readonly type?: string;
}

/** `ip nexthop` on a node. */
export async function nextHops(lab: Lab, node: string): Promise<readonly NextHop[]> {
  return JSON.parse((await run('ip', ['-n', namespaceOf(lab, node), '-j', 'nexthop', 'show'])) || '[]');
}

interface RouteJson {
  readonly dst: string;
  readonly metric: number;
  readonly nhid?: number;
}

/** Interfaces of the leaf's uplinks of a colour, and of all its others. */
export function uplinksFor(router: PlannedRouter, colour: number): { preferred: string[]; others: string[] } {
  const named = (matches: boolean) =>
    router.fabric.filter((port) => (port.colour === colour) === matches).map((port) => port.interface);
  return { preferred: named(true), others: named(false) };
}

/** Every remote prefix: metric 20 over the uplink of its colour alone, metric 30 over all the others. */
export async function expectDpfRoutes(lab: Lab, leaf: string): Promise<void> {
  const router = findRouter(lab, leaf);
  await expect
    .poll(async () => routeTable(lab, router))
    .toEqual(
      Object.fromEntries(wantedPrefixes(lab, router).map((planned) => [prefixText(planned), wanted(router, planned)])),
    );
}

function wanted(router: PlannedRouter, planned: PlannedPrefix) {
  const { preferred, others } = uplinksFor(router, planned.colour);
  return { 20: preferred.toSorted(), 30: others.toSorted() };
}

async function routeTable(lab: Lab, router: PlannedRouter): Promise<Record<string, Record<number, string[]>>> {
  const remote = new Set(wantedPrefixes(lab, router).map(prefixText));
  const table: Record<string, Record<number, string[]>> = {};
  for (const route of await kernelRoutes(lab, router.name)) {
    if (!remote.has(route.prefix)) continue;
    table[route.prefix] = { ...table[route.prefix], [route.metric]: route.interfaces.toSorted() };
  }
  return table;
}

/** The routes use next-hop objects: a group of one in front, a resilient group of the others behind, once all is said and done. */
export async function expectNextHopGroups(lab: Lab, leaf: string): Promise<void> {
  await vi.waitFor(() => haveNextHopGroups(lab, leaf), { timeout: PATIENCE, interval: 100 });
}

async function haveNextHopGroups(lab: Lab, leaf: string): Promise<void> {
  const router = findRouter(lab, leaf);
  const objects = new Map((await nextHops(lab, leaf)).map((hop) => [hop.id, hop]));
  const output = await run('ip', ['-n', namespaceOf(lab, leaf), '-j', '-6', 'route', 'show']);
  const routes: readonly RouteJson[] = JSON.parse(output);
  for (const planned of wantedPrefixes(lab, router).filter(({ hostAddress }) => hostAddress === undefined)) {
    const { preferred, others } = uplinksFor(router, planned.colour);
    const groupAt = (metric: number) => {
      const route = routes.find((candidate) => candidate.dst === prefixText(planned) && candidate.metric === metric);
      return objects.get(route?.nhid ?? 0);
    };
    const devices = (hop: NextHop | undefined) => (hop?.group ?? []).map(({ id }) => objects.get(id)?.dev).toSorted();
    expect(devices(groupAt(20)), `primary group of ${prefixText(planned)}`).toEqual(preferred);
    expect(devices(groupAt(30)), `fallback group of ${prefixText(planned)}`).toEqual(others.toSorted());
    if (others.length > 0) expect(groupAt(30)?.type).toBe('resilient');
  }
}

export interface HostPair {
  readonly from: string;
  readonly to: string;
}

/** A burst to each colour leaves by the uplink of that colour and by no other. */
export async function expectColouredPaths(lab: Lab, pair: HostPair): Promise<void> {
  const leaf = leafOf(lab, pair.from);
  for (const colour of lab.plan.topology.colours) {
    const carriers = async () => (await pathOf(lab, { ...pair, colour })).carriers;
    await expect
      .poll(carriers, { message: `uplinks that carry colour ${colour}` })
      .toEqual(uplinksFor(leaf, colour).preferred);
  }
}

/** With the link of a colour cut its traffic takes all the others, and with the link mended its own again. */
export async function expectFailover(lab: Lab, pair: HostPair, colour: number): Promise<void> {
  const leaf = leafOf(lab, pair.from);
  const { preferred, others } = uplinksFor(leaf, colour);
  const port = leaf.fabric.find((candidate) => candidate.colour === colour)!;
  const link = `${leaf.name}:${port.peer.name}`;
  const carriers = async () => (await pathOf(lab, { ...pair, colour })).carriers;
  await failLink(lab, link);
  await expect.poll(carriers).toEqual(others);
  await healLink(lab, link);
  await expect.poll(carriers).toEqual(preferred);
}

function leafOf(lab: Lab, hostName: string): PlannedRouter {
  const host = lab.plan.hosts.find((candidate) => candidate.name === hostName);
  return findRouter(lab, host?.leaf ?? '');
}
