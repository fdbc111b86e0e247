/**
 * The default routes that a session is told of itself (default-originate), one for each family, whatever the Loc-RIB has. They are
 * entries of the group's table like any other; their prefixes are held, so that they have an id without a path.
 */
import { FAMILIES, type Family } from '../net/family.js';
import type { Prefix } from '../net/prefix.js';
import { originatedAttributes } from '../policy/dpf-policy.js';
import type { ExportContext } from '../policy/export-context.js';
import { exportAttributes } from '../policy/export-policy.js';
import type { SessionPolicy } from '../policy/session-policy.js';
import type { AttributeId } from '../route/attribute-table.js';
import type { Rib } from './rib.js';
import type { PrefixId } from './types.js';

export const DEFAULT_PREFIXES: Readonly<Record<Family, Prefix>> = {
  'ipv4-unicast': { address: new Uint8Array(4), length: 0 },
  'ipv6-unicast': { address: new Uint8Array(16), length: 0 },
};

/** Of one session. */
export interface DefaultRoute {
  /** What becomes of it; it is told as it is without one. */
  readonly policy?: SessionPolicy | undefined;
}

export class DefaultRoutes {
  readonly #rib: Rib;
  /** No attributes where the policy rejects the route. */
  readonly #attributes = new Map<PrefixId, AttributeId | undefined>();

  constructor(rib: Rib, { policy }: DefaultRoute, context: ExportContext) {
    this.#rib = rib;
    for (const family of FAMILIES) {
      const prefix = DEFAULT_PREFIXES[family];
      const route = { attributes: originatedAttributes(), source: 'local' as const, hits: policy?.hits(prefix) ?? '' };
      const told = exportAttributes(route, { ...context, policy });
      this.#attributes.set(rib.holdPrefix(prefix), told && rib.attributes.internValue(told));
    }
  }

  has(id: PrefixId): boolean {
    return this.#attributes.has(id);
  }

  attribute(id: PrefixId): AttributeId | undefined {
    return this.#attributes.get(id);
  }

  close(): void {
    for (const [id, attribute] of this.#attributes) {
      if (attribute !== undefined) this.#rib.attributes.release(attribute);
      this.#rib.releasePrefix(id);
    }
    this.#attributes.clear();
  }
}
