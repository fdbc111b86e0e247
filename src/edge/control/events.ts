/**
 * What changes, as it changes: GET /events?kinds=session,move, server-sent events (WHATWG HTML, section 9.2), each with one event as JSON.
 * The rules of schema.ts hold: every key is always present. An event tells of the state that it was seen in; several changes between two looks
 * may be one.
 */
import { z } from 'zod';

const count = z.int().nonnegative();
/** When it was seen, ISO 8601. */
const at = z.string();
const port = z.object({ interface: z.string(), gateway: z.string() });

export const eventSchema = z.discriminatedUnion('kind', [
  /** A session went from one state to another; why, when it is not up. */
  z.object({
    kind: z.literal('session'),
    at,
    neighbor: z.string(),
    from: z.string(),
    to: z.string(),
    reason: z.string().nullable(),
  }),
  /** A prefix is selected otherwise: interfaces of its primary and fallback set; none and not local: it is gone. */
  z.object({
    ...{ kind: z.literal('best-path'), at, prefix: z.string(), colour: z.int().nullable(), local: z.boolean() },
    ...{ preferred: z.array(z.string()), fallback: z.array(z.string()), decidedBy: z.string().nullable() },
  }),
  /** Prefixes by what the kernel made of them, and objects written since the start. */
  z.object({
    ...{ kind: z.literal('fib'), at, installed: count, pending: count, failed: count },
    written: z.object({ nextHops: count, groups: count, routes: count }),
  }),
  /** A link came into another band; load and queue in per cent. */
  z.object({
    ...{ kind: z.literal('link-quality'), at, interface: z.string(), from: count, to: count },
    ...{ load: z.number().nonnegative(), queue: z.number().nonnegative() },
  }),
  /** The eBPF plane moved a flowset after a pause; null for a port that nothing is known of any more. */
  z.object({
    ...{ kind: z.literal('move'), at, flowset: count, from: port.nullable(), to: port.nullable() },
    ...{ pauseMs: z.number(), reorderRisk: z.boolean() },
  }),
  /** So many events of a kind were not told, or of any: they came faster than they were taken. */
  z.object({ kind: z.literal('lost'), at, of: z.string(), events: count }),
]);
export type ControlEvent = z.infer<typeof eventSchema>;

/** What can be asked for; `lost` is always told. */
export const EVENT_KINDS = ['session', 'best-path', 'fib', 'link-quality', 'move'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** The kinds in a list, or the one that is none. */
export function eventKinds(list: string): readonly EventKind[] | { readonly unknown: string } {
  const kinds: EventKind[] = [];
  for (const word of list.split(',')) {
    const kind = EVENT_KINDS.find((known) => known === word);
    if (kind === undefined) return { unknown: word };
    kinds.push(kind);
  }
  return kinds;
}

export function eventFrame(event: ControlEvent): string {
  return `event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Nobody reads it: it says that the connection lives. */
export const ALIVE_FRAME = ': alive\n\n';

/** The data of the events in a stream that comes in pieces. */
export class EventFrames {
  #rest = '';

  push(piece: string): string[] {
    const frames = (this.#rest + piece).split('\n\n');
    this.#rest = frames.pop() ?? '';
    return frames
      .flatMap((frame) => frame.split('\n').filter((line) => line.startsWith('data: ')))
      .map((line) => line.slice(6));
  }
}
