/** Nodes and links of a lab's plan for a picture. Pure. */
import type { LabPlan, PlannedLink } from '../lab/plan.js';
import { linkNames } from '../verify/failures.js';
import type { PicturePanel } from './fabric-picture.js';

export interface LabState {
  isUp(link: PlannedLink): boolean;
  loadOf?(name: string): string | undefined;
}

/** A panel without title and ways. */
export function labPanel(plan: LabPlan, state: LabState): Omit<PicturePanel, 'title' | 'ways'> {
  const named = (role: 'spine' | 'leaf') =>
    plan.routers.filter((router) => router.role === role).map(({ name }) => name);
  return {
    spines: named('spine'),
    leaves: named('leaf'),
    hosts: plan.hosts.map(({ name, leaf }) => ({ name, leaf })),
    links: [...linkNames(plan)].map(([name, link]) => {
      const load = state.loadOf?.(name);
      return { name, a: link.a.node, b: link.b.node, up: state.isUp(link), ...(load !== undefined && { load }) };
    }),
  };
}

/** By node and interface of either end. */
export function linkNameAt(plan: LabPlan): (node: string, name: string) => string | undefined {
  const names = new Map<string, string>();
  for (const [name, { a, b }] of linkNames(plan))
    for (const end of [a, b]) names.set(`${end.node} ${end.interface}`, name);
  return (node, interfaceName) => names.get(`${node} ${interfaceName}`);
}
