/**
 * What routes every router of a fabric has once it has converged: the leaves' prefixes are followed link by link, leaf to spine to leaf,
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
  /** By router, in the order of its interfaces. */
  private readonly attached: ReadonlyMap<string, readonly Attachment[]>;

  constructor(
    private readonly plan: LabPlan,
    links: readonly ModelLink[],
    rulesFor: (router: PlannedRouter) => RouterRules,
  ) {
    this.rules = new Map(plan.routers.map((router) => [router.name, rulesFor(router)]));
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
    const { routers } = this.plan;
    const spines = routers.filter(({ role }) => role === 'spine');
    const atSpines = new Map(spines.map(({ name }) => [name, this.received(name, prefix, this.fromOrigin(prefix))]));
    const fromSpine = (spine: string, port: FabricPort) => {
      const candidates = atSpines.get(spine) ?? [];
      return candidates.length === 0 ? undefined : this.rulesAt(spine).pass(candidates, port);
    };
    return routers.map(({ name, role }) => {
      if (name === prefix.leaf) return { router: name, prefix, local: true, paths: [], decided: true };
      const candidates = role === 'spine' ? atSpines.get(name)! : this.received(name, prefix, fromSpine);
      return this.route(name, prefix, candidates);
    });
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

  private fromOrigin(prefix: ModelPrefix) {
    return (router: string, port: FabricPort): Told | undefined =>
      router === prefix.leaf ? this.rulesAt(router).originate(prefix, port) : undefined;
  }

  /** What a router has of a prefix when each neighbour tells `tell` of it; `port` is the neighbour's. */
  private received(
    router: string,
    prefix: ModelPrefix,
    tell: (neighbour: string, port: FabricPort) => Told | undefined,
  ): Received[] {
    return (this.attached.get(router) ?? []).flatMap(({ port }) => {
      const farPort = this.attached.get(port.peer.name)?.find((far) => far.port.interface === port.peerInterface)?.port;
      const told = farPort && tell(port.peer.name, farPort);
      return told ? [{ ...this.rulesAt(router).take(told, port, prefix), told }] : [];
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
