/**
 * What changes, as it changes: GET /events?kinds=session,move, server-sent events (WHATWG HTML, section 9.2), each with one event as JSON.
 * The rules of schema.ts hold: every key is always present. An event tells of the state that it was seen in; several changes between two looks
 * may be one.
 */
import { z } from 'zod';

const count = z.int().nonnegative();
const at = z.string().describe('When it was seen, ISO 8601.');
const interfaces = z.array(z.string());
const port = z.object({ interface: z.string(), gateway: z.string() });

const session = z
  .object({
    kind: z.literal('session'),
    at,
    neighbor: z.string(),
    from: z.string(),
    to: z.string(),
    reason: z.string().nullable().describe('Why it is not up; null when it is.'),
  })
  .describe('A session went from one state to another.');

const bestPath = z
  .object({
    kind: z.literal('best-path'),
    at,
    prefix: z.string(),
    colour: z.int().nullable(),
    local: z.boolean().describe('Originated here. Neither local nor preferred: the prefix is gone.'),
    preferred: interfaces.describe('Interfaces of the primary set.'),
    fallback: interfaces.describe('Interfaces of the set behind it.'),
    decidedBy: z.string().nullable().describe('The step that decided; null when there was nothing to decide.'),
  })
  .describe('A prefix is selected otherwise.');

const fib = z
  .object({
    ...{ kind: z.literal('fib'), at, installed: count, pending: count, failed: count },
    written: z
      .object({ nextHops: count, groups: count, routes: count })
      .describe('Objects put into the kernel since the start.'),
  })
  .describe('The kernel has taken or refused something: prefixes by what it made of them.');

const linkQuality = z
  .object({
    kind: z.literal('link-quality'),
    at,
    interface: z.string(),
    from: count,
    to: count.describe('Band, 7 the best.'),
    load: z.number().nonnegative().describe('Per cent of the capacity.'),
    queue: z.number().nonnegative().describe('Per cent of the reference queue.'),
  })
  .describe('A link came into another band.');

const move = z
  .object({
    kind: z.literal('move'),
    at,
    flowset: count,
    from: port.nullable().describe('Null for a port that nothing is known of any more.'),
    to: port.nullable(),
    pauseMs: z.number(),
    reorderRisk: z.boolean(),
  })
  .describe('The eBPF plane moved a flowset after a pause.');

const lost = z
  .object({
    kind: z.literal('lost'),
    at,
    of: z.string().describe('A kind, or `any`.'),
    events: count,
  })
  .describe('So many events were not told: they came faster than they were taken.');

export const eventSchema = z.discriminatedUnion('kind', [session, bestPath, fib, linkQuality, move, lost]);
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
