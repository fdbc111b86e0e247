/** Whose next hop a route goes out with (RFC 4271 section 5.1.3, RFC 2545 section 2, RFC 4456 section 10). */
import { isLinkLocal, isUnspecified } from '../net/address.js';
import type { NextHop } from '../wire/bgp/message.js';
import type { ExportContext, ExportRoute } from './export-context.js';
import { isReflected } from './reflection.js';

/**
 * The received next hop, where it goes on; `undefined` when we are the next hop. A link-local address means nothing on another
 * link, so that a route which has no other always comes from ourselves.
 */
export function keptNextHop(route: ExportRoute, context: ExportContext): NextHop | undefined {
  const global = route.attributes.nextHop?.global;
  if (!global || isUnspecified(global) || isLinkLocal(global)) return undefined;
  const choice = context.options?.nextHop ?? (context.external ? 'self' : 'unchanged');
  const keeps = choice === 'unchanged' || (choice === 'self' && isReflected(route, context));
  return keeps ? { global } : undefined;
}

/** Whether any route may go out on the session with a next hop that is not ours. */
export function mayKeepNextHop({ external, options }: Pick<ExportContext, 'external' | 'options'>): boolean {
  return !external || options?.nextHop === 'unchanged';
}
