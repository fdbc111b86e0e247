/**
 * A kernel's tables by prefix: interfaces and gateways behind either metric. Shared by the invariants that look at forwarding. All texts are
 * hexadecimal: the usual forms of addresses take most of a run's time.
 */

import type { MemoryKernelTables } from '../../core/fib/memory-tables.js';
import type { Address } from '../../core/net/address.js';
import type { Prefix } from '../../core/net/prefix.js';
import type { KernelSnapshot } from '../../core/ports/kernel-tables.js';
import type { VirtualNode } from '../../simulator/virtual-node.js';
import { hex, nlriText } from '../update-contents.js';

export interface KernelView {
  /** `GATEWAY%3`, sorted, by prefix and metric. */
  readonly routes: ReadonlyMap<string, readonly string[]>;
  /** Groups that no route uses, and next hops that no group has. */
  readonly unused: number;
  readonly snapshot: KernelSnapshot;
}

const views = new WeakMap<MemoryKernelTables, KernelView & { readonly changes: number }>();

/** Kept until the kernel changes. */
export async function kernelView({ tables }: VirtualNode): Promise<KernelView> {
  const { changes } = tables;
  const known = views.get(tables);
  if (known?.changes === changes) return known;
  const view = { ...viewOf(await tables.dump('everything')), changes };
  views.set(tables, view);
  return view;
}

function viewOf(snapshot: KernelSnapshot): KernelView {
  const hops = new Map(snapshot.nextHops.map((one) => [one.id, hopText(one.gateway, one.interfaceIndex)]));
  const groups = new Map(snapshot.groups.map((group) => [group.id, group]));
  const routes = new Map<string, readonly string[]>();
  const used = new Set<number>();
  for (const { prefix, metric, nextHop } of snapshot.routes) {
    const members = groups.get(nextHop)?.members ?? [];
    routes.set(routeText(prefix, metric), members.map(({ id }) => hops.get(id) ?? `${id}`).sort());
    used.add(nextHop);
    for (const { id } of members) used.add(id);
  }
  const objects = [...hops.keys(), ...groups.keys()];
  return { routes, unused: objects.filter((id) => !used.has(id)).length, snapshot };
}

export function routeText({ address, length }: Prefix, metric: number): string {
  return `${nlriText(address, length)} ${metric}`;
}

export function hopText(gateway: Address | undefined, interfaceIndex: number): string {
  return `${gateway ? hex(gateway) : ''}%${interfaceIndex}`;
}
