/**
 * What can happen to a fabric, as data: a scenario is a list of these, drawn from a seed or written by hand, and printed as JSON. Each has
 * its moment and its end; afterwards things are as before. To add a kind: a member here, what it does in inject.ts, and a draw in draw.ts.
 */
import type { ImpairmentRates } from '../simulator/impairment.js';

/** A link by its two nodes, `a` being where it is done, and by its number from 1 where there are several between them. */
export interface LinkEnds {
  readonly a: string;
  readonly b: string;
  readonly link?: number;
}

interface OfRouter {
  readonly router: string;
}

export type What =
  /** The cable is pulled: no carrier at either end. */
  | ({ readonly kind: 'carrier' } & LinkEnds)
  /** All that passes is lost, or only what `a` sends; both ends have carrier. */
  | ({ readonly kind: 'silent'; readonly ways: 'both' | 'out' } & LinkEnds)
  /** The interfaces at both ends are deleted, and others of their names come. */
  | ({ readonly kind: 'removed' } & LinkEnds)
  /** The end of `a` has another MAC address, and with it another link-local one. */
  | ({ readonly kind: 'address' } & LinkEnds)
  /** What `a` sends to `b` has to do with a bad cable. */
  | ({ readonly kind: 'impaired'; readonly rates: ImpairmentRates } & LinkEnds)
  /** `a` reads nothing of what `b` writes: its window closes. */
  | ({ readonly kind: 'stuck' } & LinkEnds)
  /** The streams between both end with a reset. */
  | ({ readonly kind: 'reset' } & LinkEnds)
  /** `a` loses its end of the streams to `b`, which hears nothing of it. */
  | ({ readonly kind: 'half-open' } & LinkEnds)
  /** Among what `a` writes to `b` are octets that are no message, or one that must be refused. */
  | ({ readonly kind: 'malformed'; readonly octets: string } & LinkEnds)
  /** Among what `a` tells `b` is a route of its own again, with an error in the UPDATE; asked by `b`, it tells it right. `seed` chooses which. */
  | ({ readonly kind: 'bad-update'; readonly error: string; readonly seed: number } & LinkEnds)
  /** The process is killed, and started again. */
  | ({ readonly kind: 'crash' } & OfRouter)
  /** It is stopped in order, for a restart if it can, and started again. */
  | ({ readonly kind: 'stop'; readonly restart: boolean } & OfRouter)
  /** The same, and it comes back with the identifier of another router until the next start. */
  | ({ readonly kind: 'identifier'; readonly of: string } & OfRouter)
  /** The process stands still, as with SIGSTOP. */
  | ({ readonly kind: 'suspended' } & OfRouter)
  /** The clock of the router jumps ahead by milliseconds. */
  | ({ readonly kind: 'clock'; readonly by: number } & OfRouter)
  /** It runs another configuration. */
  | ({ readonly kind: 'reload'; readonly change: ConfigChange } & OfRouter)
  /** The kernel refuses every so many-th operation. */
  | ({ readonly kind: 'refusals'; readonly code: 'EBUSY' | 'ENOBUFS' | 'ENOMEM'; readonly every: number } & OfRouter)
  /** Events of the kernel are lost. */
  | ({ readonly kind: 'overrun' } & OfRouter)
  /** Another program deletes something of ours; `number` chooses which. */
  | ({ readonly kind: 'deleted'; readonly what: 'route' | 'group' | 'next-hop'; readonly number: number } & OfRouter);

export type Fault = What & {
  /** Milliseconds after the begin of its episode. */
  readonly at: number;
  /** Milliseconds; `judged`: over the end of the episode, so that the fabric is judged with it. */
  readonly lasting: number | 'judged';
};

export type ConfigChange =
  /** More prefixes of its own. */
  | { readonly kind: 'advertise'; readonly prefix: string; readonly colour: number }
  /** Prefixes of its host link have the colours of others, so many places on. */
  | { readonly kind: 'colours'; readonly shift: number }
  /** Nothing of these prefixes goes out over an interface, or is taken from it. */
  | { readonly kind: 'reject'; readonly way: 'import' | 'export'; readonly interface: string; readonly prefix: string };

/** The lower one first: `leaf1:spine2`, with several links between two nodes `leaf1:spine2/1`. */
export function linkName({ a, b, link }: LinkEnds): string {
  const pair = a.startsWith('leaf') || b.startsWith('super') ? `${a}:${b}` : `${b}:${a}`;
  return link === undefined ? pair : `${pair}/${link}`;
}

/** Faults that exclude one another while they last have the same place. */
export function placeOf(fault: What): string | undefined {
  switch (fault.kind) {
    case 'carrier':
    case 'silent':
    case 'removed':
    case 'address':
      return `link ${linkName(fault)}`;
    case 'impaired':
    case 'stuck':
      return `${fault.kind} ${fault.a} ${linkName(fault)}`;
    case 'crash':
    case 'stop':
    case 'identifier':
    case 'suspended':
      return `router ${fault.router}`;
    case 'reload':
    case 'refusals':
      return `${fault.kind} ${fault.router}`;
    case 'reset':
    case 'half-open':
    case 'malformed':
    case 'bad-update':
    case 'clock':
    case 'overrun':
    case 'deleted':
      return undefined;
  }
}

/** For people: `at 1.204 s for 3.000 s: carrier leaf1:spine2`. */
export function describeFault({ at, lasting, ...what }: Fault): string {
  const seconds = (time: number) => `${(time / 1000).toFixed(3)} s`;
  const { kind, ...rest } = what;
  const words = Object.entries(rest).map(
    ([key, value]) => `${key} ${typeof value === 'object' ? JSON.stringify(value) : value}`,
  );
  return `at ${seconds(at)} ${lasting === 'judged' ? 'until judged' : `for ${seconds(lasting)}`}: ${kind}, ${words.join(', ')}`;
}
