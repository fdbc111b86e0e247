/**
 * What the fabric page is told, and what it may ask for. A page follows one stream (GET /page/stream): the fabric first, then what changes in it.
 * Shapes only: the page takes the types, whoever passes a stream on takes the schemas.
 */
import { z } from 'zod';
import { eventSchema } from '../events.js';
import type { Fabric } from '../schema.js';

const count = z.int().nonnegative();
/** ISO 8601. */
const moment = z.string();

export const LINK_ACTIONS = ['fail', 'silence', 'heal'] as const;

const nodeSchema = z.object({
  name: z.string(),
  role: z.enum(['spine', 'leaf', 'host']),
  /** Null where it is not known, and of hosts. */
  as: count.nullable(),
  /** Has a daemon that can be asked for its neighbours and its prefixes. */
  asked: z.boolean(),
  /** The leaf that a host is behind. */
  leaf: z.string().nullable(),
});
export type PageNode = z.infer<typeof nodeSchema>;

const endSchema = z.object({ node: z.string(), interface: z.string() });

const linkSchema = z.object({
  /** `leaf1:spine2`, as `heddle lab fail` takes it. */
  name: z.string(),
  /** A leaf. */
  a: endSchema,
  /** A spine or a host. */
  b: endSchema,
  colour: z.int().nullable(),
  /** Bits a second each way; null where it is not limited, or not known. */
  rate: z.number().nullable(),
});
export type PageLink = z.infer<typeof linkSchema>;

export const fabricMessageSchema = z.object({
  kind: z.literal('fabric'),
  /** `router`: what one daemon knows of its surroundings. */
  scope: z.enum(['lab', 'router']),
  name: z.string(),
  version: z.string(),
  nodes: z.array(nodeSchema),
  links: z.array(linkSchema),
  /** What can be done to links; nothing outside a lab. */
  actions: z.array(z.enum(LINK_ACTIONS)),
});
export type FabricMessage = z.infer<typeof fabricMessageSchema>;

const downSchema = z.object({
  /** As `heddle show neighbors` names it. */
  session: z.string(),
  interface: z.string(),
  state: z.string(),
  /** The likeliest cause in one sentence, and what to do about it. */
  why: z.string(),
  next: z.string().nullable(),
});
export type DownSession = z.infer<typeof downSchema>;

/** Of the sessions that are down, the first so many are told with their reasons. */
export const MOST_DOWN = 32;

const routerSchema = z.object({
  name: z.string(),
  answers: z.boolean(),
  /** Since when it does, or does not: what is said of it is as old as that. */
  since: moment,
  /** Why it does not. */
  problem: z.string().nullable(),
  startedAt: moment.nullable(),
  sessions: z.object({ up: count, total: count }),
  down: z.array(downSchema),
  /** Prefixes that it has, and by what its kernel made of them; null where it is not told. */
  prefixes: z.object({ known: count, installed: count, pending: count, failed: count }).nullable(),
});
export type RouterState = z.infer<typeof routerSchema>;

const linkStateSchema = z.object({
  name: z.string(),
  /** `cut`: set down at one end; `silent`: up, and dropping every packet; `no-carrier`: neither end says why. */
  state: z.enum(['up', 'cut', 'silent', 'no-carrier']),
  /** Bits a second from `a` to `b` and from `b` to `a`; null where nobody counts. */
  forth: z.number().nullable(),
  back: z.number().nullable(),
});
export type PageLinkState = z.infer<typeof linkStateSchema>;

/** What is not as it was told before. */
export const updateMessageSchema = z.object({
  kind: z.literal('update'),
  routers: z.array(routerSchema),
  links: z.array(linkStateSchema),
});
export type UpdateMessage = z.infer<typeof updateMessageSchema>;

/** A link was cut, silenced or mended, from here or by anybody else. */
const linkEventSchema = z.object({
  kind: z.literal('link'),
  at: moment,
  link: z.string(),
  from: z.string(),
  to: z.string(),
});
/** A daemon answers again, or no more. */
const routerEventSchema = z.object({
  kind: z.literal('router'),
  at: moment,
  answers: z.boolean(),
  why: z.string().nullable(),
});

export const pageEventSchema = z.union([eventSchema, linkEventSchema, routerEventSchema]);
export type PageEvent = z.infer<typeof pageEventSchema>;

/** Who saw it; null: the lab itself. */
export const eventMessageSchema = z.object({
  kind: z.literal('event'),
  router: z.string().nullable(),
  event: pageEventSchema,
});
export type EventMessage = z.infer<typeof eventMessageSchema>;

/** Nothing has changed, and somebody is there to say so. */
const aliveMessageSchema = z.object({ kind: z.literal('alive') });

export const pageMessageSchema = z.discriminatedUnion('kind', [
  fabricMessageSchema,
  updateMessageSchema,
  eventMessageSchema,
  aliveMessageSchema,
]);
export type PageMessage = z.infer<typeof pageMessageSchema>;

/** Body of POST /page/links. */
export const linkChangeSchema = z.strictObject({ link: z.string().max(200), action: z.enum(LINK_ACTIONS) });
export type LinkChange = z.infer<typeof linkChangeSchema>;
export type LinkAction = LinkChange['action'];

/** Rows of the matrix of prefixes and uplinks, some at a time: GET /page/matrix?from=&count=&find=. */
export interface MatrixPart {
  readonly uplinks: Fabric['uplinks'];
  readonly rows: Fabric['rows'];
  /** Where the next part begins; null at the end. */
  readonly next: number | null;
}
