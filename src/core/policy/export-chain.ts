/**
 * The operator's chain on what DPF would tell a neighbour. It runs behind the DPF role: it sees the colour and the AIGP that
 * would be sent, and an AS_PATH without our own AS (`^$` is what we originate). The colour stays what it is unless a term sets
 * one; then DPF gives an originated route AIGP by the new colour, unless a term set AIGP too.
 */
import { isLinkLocal } from '../net/address.js';
import type { NextHop } from '../wire/bgp/message.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import type { Verdict } from './compile-policy.js';
import { exportAigp, withStep } from './dpf-policy.js';
import type { ExportContext, ExportRoute } from './export-context.js';

/** `told` after the policy, with a next hop only where that set one; `undefined` for a route that it keeps here. */
export function underExportPolicy(
  told: PathAttributes,
  route: ExportRoute,
  context: ExportContext,
): PathAttributes | undefined {
  const { policy } = context;
  if (!policy) return told;
  const { nextHop } = route.attributes;
  const verdict = policy.evaluate(nextHop ? { ...told, nextHop } : told, route.hits ?? '');
  if (!policy.accepts(verdict)) return undefined;
  const { nextHop: _, ...changed } = verdict.attributes;
  const due = withDueAigp(changed, verdict, { route, context });
  return verdict.nextHop === 'self'
    ? fromOurselves(due, verdict, { told, route, context })
    : withNextHop(due, verdict, told);
}

/** Where the next hop would have been another, AIGP and what was said of that next hop are not yet as they are due. */
function fromOurselves(
  attributes: PathAttributes,
  { aigpSet }: Verdict,
  { told, route, context }: { told: PathAttributes; route: ExportRoute; context: ExportContext },
): PathAttributes {
  if (!told.nextHop) return attributes;
  const { nextHopCharacteristics: _, aigp, ...rest } = attributes;
  return aigp ? { ...rest, aigp: aigpSet ? aigp : withStep(aigp, route, context) } : rest;
}

/** RFC 7311 section 3.2: no policy sends AIGP on a session without it. */
function withDueAigp(
  attributes: PathAttributes,
  verdict: Verdict,
  { route, context }: { route: ExportRoute; context: ExportContext },
): PathAttributes {
  const recoloured = verdict.colourSet && !verdict.aigpSet && route.source === 'local';
  const aigp = recoloured ? exportAigp({ ...route, attributes }, context) : attributes.aigp;
  const { aigp: _, ...rest } = attributes;
  return aigp && context.aigp ? { ...rest, aigp } : rest;
}

function withNextHop(attributes: PathAttributes, { nextHop }: Verdict, told: PathAttributes): PathAttributes {
  if (nextHop === undefined || nextHop === 'self')
    return told.nextHop ? { ...attributes, nextHop: told.nextHop } : attributes;
  const { nextHopCharacteristics: _, ...rest } = attributes;
  return { ...rest, nextHop: nextHopOf(nextHop) };
}

/** As a next hop is kept: a link-local address is not a global one. */
export function nextHopOf(address: Uint8Array): NextHop {
  return isLinkLocal(address) ? { linkLocal: address } : { global: address };
}
