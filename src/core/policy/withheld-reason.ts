/** Why a route is not told to a neighbour, in words: asks what export-policy.ts asks, in the same order. */
import { colourOf } from '../wire/bgp/colour.js';
import { isTransitAllowed } from './dpf-policy.js';
import type { ExportContext, ExportRoute } from './export-context.js';
import { beforePolicy, unexportable } from './export-policy.js';
import { inSessionColour } from './session-colours.js';
import { rejectionText } from './session-policy.js';

/** `undefined` for a route that is told. */
export function withheldReason(route: ExportRoute, context: ExportContext): string | undefined {
  if (!isTransitAllowed(route, context)) return transitReason(route);
  const forbidden = unexportable(route, context);
  if (forbidden !== undefined) return forbidden;
  if (!inSessionColour(route, context)) {
    return `it has colour ${colourOf(route.attributes)}, the session colour ${context.colour}`;
  }
  return rejectedByPolicy(route, context);
}

function transitReason({ source }: ExportRoute): string {
  return source === 'external'
    ? 'a leaf carries no transit: it tells only what it originates'
    : 'a leaf tells the fabric nothing that an internal neighbour said';
}

function rejectedByPolicy(route: ExportRoute, context: ExportContext): string | undefined {
  const { policy } = context;
  const told = policy && beforePolicy(route, context);
  if (!told) return undefined;
  const { nextHop } = route.attributes;
  const verdict = policy.evaluate(nextHop ? { ...told, nextHop } : told, route.hits ?? '');
  return policy.accepts(verdict) ? undefined : rejectionText(policy.rejection(verdict));
}
