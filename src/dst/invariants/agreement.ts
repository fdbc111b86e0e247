/**
 * What a router has selected, what it wants in the kernel, and what is there are the same, gateways included; nothing lies there unused. Host links
 * that are up have the gateways of their prefixes.
 */
import { FALLBACK_METRIC, PRIMARY_METRIC } from '../../core/fib/types.js';
import { type Address, formatAddress, isLinkLocal } from '../../core/net/address.js';
import { formatPrefix } from '../../core/net/prefix.js';
import type { PathView } from '../../core/rib/types.js';
import type { Testbed } from '../testbed.js';
import type { Violation } from '../violation.js';
import { hopText, type KernelView, kernelView, routeText } from './kernel-view.js';

export async function agreement(bed: Testbed): Promise<Violation[]> {
  const found: Violation[] = [];
  for (const { name } of bed.running) {
    const kernel = await kernelView(bed.node(name));
    for (const detail of differences(bed, name, kernel)) found.push({ invariant: 'agreement', place: name, detail });
  }
  return found;
}

function differences(bed: Testbed, router: string, { routes, unused }: KernelView): string[] {
  const { speaker } = bed.node(router);
  if (!speaker) return ['no speaker'];
  const { fib, engine } = speaker;
  const found = gatewaysAmiss(bed, router);
  let wanted = 0;
  for (const id of engine.rib.prefixIds()) {
    const { prefix, best, primary, fallback } = engine.rib.selection(id);
    if (!best || best.local) continue;
    const tiers = [
      [PRIMARY_METRIC, hops(primary)],
      [FALLBACK_METRIC, hops(fallback)],
    ] as const;
    for (const [metric, selected] of tiers) {
      const has = (routes.get(routeText(prefix, metric)) ?? []).join();
      if (selected.length > 0) wanted++;
      if (has !== selected.join())
        found.push(`${formatPrefix(prefix)} ${metric}: selected ${selected.join()}, in the kernel ${has}`);
    }
    const entry = fib.entry(prefix);
    if (entry?.primary.state !== 'installed')
      found.push(`${formatPrefix(prefix)} is ${entry?.primary.state ?? 'unknown'} to the FIB`);
  }
  if (routes.size !== wanted) found.push(`${routes.size} routes in the kernel, ${wanted} selected`);
  if (unused > 0) found.push(`${unused} objects in the kernel that nothing uses`);
  if (!fib.idle || !engine.idle) found.push('still at work');
  return found;
}

function gatewaysAmiss(bed: Testbed, router: string): string[] {
  return bed.config(router).hosts.flatMap(({ name, prefixes }) => {
    const link = bed.node(router).links.byName(name);
    if (!link?.adminUp) return [];
    const { addresses } = link.state;
    const has = addresses.map(({ address }) => address).filter((address) => !isLinkLocal(address));
    const [found, must] = [has, prefixes.map(({ gateway }) => gateway)].map(textOf);
    return found === must ? [] : [`${name} has the addresses ${found}, must have ${must}`];
  });
}

function textOf(addresses: readonly Address[]): string {
  return addresses.map(formatAddress).sort().join(', ');
}

function hops(paths: readonly PathView[]): string[] {
  return paths.map(({ gateway, interfaceIndex }) => hopText(gateway, interfaceIndex)).sort();
}
