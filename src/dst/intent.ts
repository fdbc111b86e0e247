/**
 * What a fabric is meant to be at the moment, whatever it is made of: which links are cut, which routers are down, and what each is to run.
 * Faults change it (inject.ts), and what must be is worked out from it (expectation.ts).
 */
import type { LabPlan, PlannedLink, PlannedRouter } from '../app/lab/plan.js';
import { linkNames } from '../app/verify/failures.js';
import type { SpeakerConfig } from '../core/speaker/config.js';
import type { Misheard } from './bad-update.js';
import { configOf, type RouterFile, routerFile } from './fabric-plan.js';
import { type LinkEnds, linkName } from './fault.js';

interface LinkEnd {
  /** Of the link, as `leaf1:spine2` or `leaf1:spine2/1`. */
  readonly name: string;
  /** At its other end. */
  readonly peer: string;
}

export class Intent {
  readonly down = new Set<string>();
  /** Links that nothing gets through, by name. */
  readonly cut = new Set<string>();
  private readonly files = new Map<string, RouterFile>();
  private readonly configs = new Map<string, SpeakerConfig>();
  private readonly links: ReadonlyMap<string, PlannedLink>;
  /** By node, then by interface. */
  private readonly ends: ReadonlyMap<string, ReadonlyMap<string, LinkEnd>>;

  constructor(readonly plan: LabPlan) {
    this.links = linkNames(plan);
    this.ends = endsOf(this.links);
    for (const router of plan.routers) this.runs(router.name, routerFile(plan, router));
  }

  get routers(): readonly PlannedRouter[] {
    return this.plan.routers;
  }

  /** Those whose process is to be there. */
  get running(): readonly PlannedRouter[] {
    return this.routers.filter(({ name }) => !this.down.has(name));
  }

  /** The interface of `a`. */
  interfaceOf(link: LinkEnds): string {
    const { a, b } = this.links.get(linkName(link))!;
    return (a.node === link.a ? a : b).interface;
  }

  /** Of a router: the link of its interface, and who is at the other end. */
  linkAt(router: string, name: string): LinkEnd {
    return this.ends.get(router)!.get(name)!;
  }

  /** What the neighbour on an interface has heard of what a router told it of a prefix, where that is something else. */
  misheard(_router: string, _interface: string, _prefix: string): Misheard | undefined {
    return undefined;
  }

  /** Grows when something was misheard, or is not any more. */
  get mishearings(): number {
    return 0;
  }

  /** What a router is to run, but where it listens for commands; it does unless it is down. */
  file(router: string): RouterFile {
    return this.files.get(router)!;
  }

  config(router: string): SpeakerConfig {
    return this.configs.get(router)!;
  }

  runs(router: string, file: RouterFile): void {
    this.files.set(router, file);
    this.configs.set(router, configOf(file));
  }
}

function endsOf(links: ReadonlyMap<string, PlannedLink>): ReadonlyMap<string, ReadonlyMap<string, LinkEnd>> {
  const ends = new Map<string, Map<string, LinkEnd>>();
  const add = (node: string, name: string, end: LinkEnd) => {
    const known = ends.get(node) ?? new Map<string, LinkEnd>();
    ends.set(node, known.set(name, end));
  };
  for (const [name, { a, b }] of links) {
    add(a.node, a.interface, { name, peer: b.node });
    add(b.node, b.interface, { name, peer: a.node });
  }
  return ends;
}
