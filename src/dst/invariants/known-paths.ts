/** The paths that routers have from others, read once for all invariants that look at the same moment. */
import type { ExplainedPath } from '../../core/rib/types.js';
import type { Testbed } from '../testbed.js';
import { nlriText } from '../update-contents.js';

export type PathsByPrefix = ReadonlyMap<string, readonly ExplainedPath[]>;

export class KnownPaths {
  private readonly byRouter = new Map<string, PathsByPrefix>();

  constructor(private readonly bed: Testbed) {}

  /** By `nlriText`. */
  of(router: string): PathsByPrefix {
    const known = this.byRouter.get(router) ?? this.read(router);
    this.byRouter.set(router, known);
    return known;
  }

  private read(router: string): PathsByPrefix {
    const rib = this.bed.node(router).speaker?.engine.rib;
    const found = new Map<string, ExplainedPath[]>();
    for (const id of rib?.prefixIds() ?? []) {
      const { prefix, paths } = rib!.explain(id);
      found.set(
        nlriText(prefix.address, prefix.length),
        paths.filter(({ local }) => !local),
      );
    }
    return found;
  }
}
