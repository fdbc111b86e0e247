/**
 * What routes every router of a fabric has once it has converged: the leaves' prefixes are followed link by link over spines to leaves,
 * each router telling, taking and choosing by its own rules (rules-of.ts). Nothing of the tables that carry this out is used here.
 */
import type { FabricPort, LabPlan, PlannedRouter } from '../lab/plan.js';
import { linkNames } from './failures.js';
import type { ModelLink, ModelPath, ModelPrefix, ModelRoute, Prediction, Told } from './model.js';
import type { Received, RouterRules } from './router-rules.js';
import { rulesOf } from './rules-of.js';

/** `failed`: names of links; those of a node that fails are all of its links. `rulesFor`: where they are not those of the plan. */
export function predict(
  plan: LabPlan,
  failed: ReadonlySet<string> = new Set(),
  rulesFor: (router: PlannedRouter) => RouterRules = (router) => rulesOf(plan, router),
): Prediction {
  const links = modelLinks(plan, failed);
  const fabric = new Fabric(plan, links, rulesFor);
  const prefixes = fabric.prefixes();
  const routes = new Map(plan.routers.map(({ name }) => [name, new Map<string, ModelRoute>()]));
  for (const prefix of prefixes)
    for (const route of fabric.routes(prefix)) routes.get(route.router)!.set(prefix.text, route);
  return { plan, links, prefixes, routes, notes: fabric.notes() };
}

function modelLinks(plan: LabPlan, failed: ReadonlySet<string>): ModelLink[] {
  return [...linkNames(plan)].map(([name, { a, b }]) => {
    const leaf = plan.routers.find((router) => router.name === a.node);
    const port = leaf?.fabric.find((one) => one.interface === a.interface);
    const up = !failed.has(name);
    return port ? { name, kind: 'fabric', a, b, colour: port.colour, up } : { name, kind: 'host', a, b, up };
  });
}

/** A router's end of a link that carries a session. */
interface Attachment {
  readonly port: FabricPort;
  readonly link: string;
}

class Fabric {
  private readonly rules: ReadonlyMap<string, RouterRules>;
  private readonly spines: ReadonlySet<string>;
  /** Hosts whose link has failed: what they have is told nobody. */
  private readonly away: ReadonlySet<string>;
  /** By router, in the order of its interfaces. */
  private readonly attached: ReadonlyMap<string, readonly Attachment[]>;

  constructor(
    private readonly plan: LabPlan,
    links: readonly ModelLink[],
    rulesFor: (router: PlannedRouter) => RouterRules,
  ) {
    this.rules = new Map(plan.routers.map((router) => [router.name, rulesFor(router)]));
    this.spines = new Set(plan.routers.flatMap(({ name, role }) => (role === 'spine' ? [name] : [])));
    this.away = new Set(links.flatMap(({ kind, b, up }) => (kind === 'host' && !up ? [b.node] : [])));
    this.attached = new Map(plan.routers.map((router) => [router.name, this.attachments(router, links)]));
  }

  prefixes(): ModelPrefix[] {
    return this.plan.routers.flatMap(({ name }) => [...this.rulesAt(name).prefixes]);
  }

  notes(): string[] {
    return this.plan.routers.flatMap(({ name }) => [...this.rulesAt(name).notes]);
  }

  /** One route a router. */
  routes(prefix: ModelPrefix): ModelRoute[] {
    const heard = this.flooded(prefix);
    return this.plan.routers.map(({ name }) => {
      if (name === prefix.leaf) return { router: name, prefix, local: this.isThere(prefix), paths: [], decided: true };
      return this.route(name, prefix, heard.get(name) ?? []);
    });
  }

  /** What each router has of a prefix, from its origin outwards until nobody has anything new to tell. */
  private flooded(prefix: ModelPrefix): ReadonlyMap<string, readonly Received[]> {
    const heard = new Map<string, readonly Received[]>();
    const neighboursOf = (router: string) => (this.attached.get(router) ?? []).map(({ port }) => port.peer.name);
    const due = new Set(neighboursOf(prefix.leaf));
    for (const router of due) {
      due.delete(router);
      const before = heard.get(router) ?? [];
      const now = this.received(router, prefix, heard);
      heard.set(router, now);
      if (!this.spines.has(router) || textOf(now) === textOf(before)) continue;
      for (const neighbour of neighboursOf(router)) if (neighbour !== prefix.leaf) due.add(neighbour);
    }
    return heard;
  }

  private rulesAt(router: string): RouterRules {
    return this.rules.get(router)!;
  }

  private attachments(router: PlannedRouter, links: readonly ModelLink[]): Attachment[] {
    return router.fabric.flatMap((port) => {
      const isHere = ({ a, b }: ModelLink) =>
        [a, b].some((end) => end.node === router.name && end.interface === port.interface);
      const link = links.find(isHere);
      const far = this.plan.routers.find(({ name }) => name === port.peer.name);
      const farPort = far?.fabric.find((one) => one.interface === port.peerInterface && one.peer.name === router.name);
      if (!link?.up || !farPort) return [];
      const ready = this.rulesAt(router.name).hasSession(port) && this.rulesAt(port.peer.name).hasSession(farPort);
      return ready ? [{ port, link: link.name }] : [];
    });
  }

  /** What a router tells of a prefix over a port, and the routers that have told it then; nobody is told what came from it. */
  private tells(
    router: string,
    port: FabricPort,
    { prefix, heard }: { readonly prefix: ModelPrefix; readonly heard: ReadonlyMap<string, readonly Received[]> },
  ): { readonly told: Told | undefined; readonly via: readonly string[] } | undefined {
    const rules = this.rulesAt(router);
    if (router === prefix.leaf)
      return this.isThere(prefix) ? { told: rules.originate(prefix, port), via: [router] } : undefined;
    if (!this.spines.has(router)) return undefined;
    const best = rules.best(heard.get(router) ?? [], port);
    if (!best || best.port.interface === port.interface) return undefined;
    return { told: rules.pass(best, port, prefix), via: [router, ...best.via] };
  }

  private isThere({ host }: ModelPrefix): boolean {
    return host === undefined || !this.away.has(host);
  }

  /** What a router has of a prefix when its neighbours have this; a path that it has told itself it does not use (RFC 4271 section 9.1.2). */
  private received(
    router: string,
    prefix: ModelPrefix,
    heard: ReadonlyMap<string, readonly Received[]>,
  ): readonly Received[] {
    return (this.attached.get(router) ?? []).flatMap(({ port }): Received[] => {
      const farPort = this.attached.get(port.peer.name)?.find((far) => far.port.interface === port.peerInterface)?.port;
      const { told, via = [] } = (farPort && this.tells(port.peer.name, farPort, { prefix, heard })) ?? {};
      if (!told) return [];
      const isLoop = via.includes(router);
      return [{ ...this.rulesAt(router).take(told, port, prefix), ...(isLoop && { hidden: true }), told, via }];
    });
  }

  private route(router: string, prefix: ModelPrefix, candidates: readonly Received[]): ModelRoute {
    const { uses, decided } = this.rulesAt(router).choose(candidates);
    const links = new Map(this.attached.get(router)?.map(({ port, link }) => [port.interface, link]));
    const paths = candidates.map(
      ({ port, colour, aigp, told }, index): ModelPath => ({
        link: links.get(port.interface)!,
        interface: port.interface,
        peer: port.peer.name,
        use: uses[index]!,
        told,
        ...(colour !== undefined && { colour }),
        ...(aigp !== undefined && { aigp }),
      }),
    );
    return { router, prefix, local: false, paths, decided };
  }
}

/** The same for the same candidates. */
function textOf(candidates: readonly Received[]): string {
  return candidates.map(({ port, colour, aigp, via }) => [port.interface, colour, aigp, ...via].join(' ')).join();
}
