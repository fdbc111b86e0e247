/**
 * Everything that can be asked for with GET, in one list: requests are answered from it, the OpenAPI document and docs/api.md are made of it. `shown` is the
 * command that prints it; every `heddle show` has one resource.
 */
import { z } from 'zod';
import { parseAddress } from '../../core/net/address.js';
import type { Family } from '../../core/net/family.js';
import { masked, parsePrefix } from '../../core/net/prefix.js';
import { type Answer, failure } from './answers.js';
import { EVENT_KINDS, eventKinds, eventSchema } from './events.js';
import { METRICS_TYPE, metricLines } from './metrics.js';
import type { ControlHandlers, Route } from './schema.js';
import * as shapes from './schema.js';

export interface Parameter {
  readonly about: string;
  /** Of the text as it is given. */
  readonly schema: z.ZodType<string>;
  /** `family is EXPECTED, not ipx` */
  readonly expected: string;
}

/** What comes when all is well. */
export type Shape =
  | { readonly json: z.ZodType }
  /** A media type of others, and what is in it; `event`: what each of server-sent events holds. */
  | { readonly type: string; readonly about: string; readonly event?: z.ZodType };

export interface Asked {
  /** Of the path, decoded; empty where it has none. */
  readonly name: string;
  /** Known names alone, each as its schema has it. */
  readonly query: Readonly<Record<string, string | undefined>>;
}

export interface Resource {
  /** `/neighbors/{name}` */
  readonly path: string;
  readonly about: string;
  /** `show neighbors NAME` */
  readonly shown?: string;
  /** What `{name}` stands for. */
  readonly named?: string;
  /** Slashes of `{name}` may stand as they are. */
  readonly takesRest?: true;
  readonly query?: Readonly<Record<string, Parameter>>;
  readonly shape: Shape;
  /** So much is read for it that only a few are answered at the same time. */
  readonly isDear?: true;
  /** Beside those that any path has. */
  readonly refusals?: Readonly<Record<number, string>>;
  answer(handlers: ControlHandlers, asked: Asked): Answer | Promise<Answer>;
}

const FAMILY_NAMES: Readonly<Record<string, Family>> = {
  ipv4: 'ipv4-unicast',
  ipv6: 'ipv6-unicast',
  'ipv4-unicast': 'ipv4-unicast',
  'ipv6-unicast': 'ipv6-unicast',
};

const family: Parameter = {
  about: 'One address family; without it both.',
  schema: z.enum(['ipv4', 'ipv6', 'ipv4-unicast', 'ipv6-unicast']),
  expected: 'ipv4 or ipv6',
};

const familyOf = ({ query }: Asked): Family | undefined => FAMILY_NAMES[query.family ?? ''];

const limit: Parameter = {
  about: 'No more than so many.',
  schema: z.string().regex(/^[1-9]\d{0,14}$/),
  expected: 'a number of routes',
};

const KIND = `(${EVENT_KINDS.join('|')})`;
const kinds: Parameter = {
  about: `Of ${EVENT_KINDS.join(', ')}, those that are to be told, with commas between; without it all.`,
  schema: z.string().regex(new RegExp(`^${KIND}(,${KIND})*$`)),
  expected: `a list of ${EVENT_KINDS.join(', ')}`,
};

const wantedUnlessNo = (about: string): Parameter => ({ about, schema: z.enum(['yes', 'no']), expected: 'yes or no' });

const ok = (body: unknown): Answer => ({ status: 200, body });

export const RESOURCES: readonly Resource[] = [
  {
    path: '/summary',
    about: 'The router in a few numbers: who it is, sessions, routes, what the kernel took, how the start went.',
    shown: 'show summary',
    shape: { json: shapes.summarySchema },
    answer: (handlers) => ok(handlers.summary()),
  },
  {
    path: '/neighbors',
    about: 'Every neighbour and its session.',
    shown: 'show neighbors',
    shape: { json: z.array(shapes.neighborSchema) },
    answer: (handlers) => ok(handlers.neighbors()),
  },
  {
    path: '/neighbors/{name}',
    about: 'The same of one neighbour, or of all on an interface or in a peer group.',
    shown: 'show neighbors NAME',
    named: 'Interface, address, ADDRESS%INTERFACE, or peer group.',
    shape: { json: z.array(shapes.neighborSchema) },
    refusals: { 404: 'No neighbour has that name.' },
    answer(handlers, { name }) {
      const found = handlers.neighbor(name);
      return found.length > 0 ? ok(found) : failure(404, `no neighbor ${name}`);
    },
  },
  {
    path: '/bfd',
    about: 'BFD of the neighbours that have it.',
    shown: 'show bfd',
    shape: { json: z.array(shapes.bfdEntrySchema) },
    answer: (handlers) => ok(shapes.bfdEntries(handlers.neighbors())),
  },
  {
    path: '/routes',
    about: 'Every prefix and the paths that it takes.',
    shown: 'show routes',
    query: { family, limit },
    shape: { json: z.array(shapes.routeSummarySchema) },
    answer(handlers, asked) {
      const all = handlers.routes(familyOf(asked));
      return ok(asked.query.limit === undefined ? all : first(all, Number(asked.query.limit)));
    },
  },
  {
    path: '/route/{destination}',
    about: 'One prefix with every path, and the step at which each won or lost.',
    shown: 'show route PREFIX',
    named: 'A prefix, or an address: then the longest match.',
    takesRest: true,
    shape: { json: shapes.routeSchema },
    refusals: { 404: 'There is no such prefix, or none that has the address.' },
    answer: (handlers, { name }) => routeTo(handlers, name),
  },
  {
    path: '/fib',
    about: 'Routes and next hops as the kernel took them.',
    shown: 'show fib',
    shape: { json: z.array(shapes.fibEntrySchema) },
    answer: (handlers) => ok(handlers.fib()),
  },
  {
    path: '/fib/notes',
    about: 'What concerns no single prefix of the forwarding table, a line each.',
    shown: 'show fib',
    shape: { json: z.array(z.string()) },
    answer: (handlers) => ok(handlers.fibNotes()),
  },
  {
    path: '/fib/diff',
    about: 'What is wanted against what the kernel has now, read afresh.',
    shown: 'show fib --diff',
    shape: { json: shapes.fibComparisonSchema },
    isDear: true,
    answer: async (handlers) => ok(await handlers.fibDifferences()),
  },
  {
    path: '/fabric',
    about: 'Learned prefixes against uplinks.',
    shown: 'show fabric',
    shape: { json: shapes.fabricSchema },
    answer: (handlers) => ok(handlers.fabric()),
  },
  {
    path: '/dlb',
    about: 'Links as load balancing rates them, groups in use, and the ports of the eBPF plane.',
    shown: 'show dlb',
    shape: { json: shapes.loadBalancingSchema },
    answer: (handlers) => ok(handlers.dlb()),
  },
  {
    path: '/dlb/prefixes',
    about: 'What the eBPF plane forwarded for each prefix; empty without one.',
    shown: 'show dlb --prefixes',
    shape: { json: z.array(shapes.planePrefixSchema) },
    answer: (handlers) => ok(handlers.planePrefixes()),
  },
  {
    path: '/interfaces',
    about: 'Configured interfaces, and what is missing on them.',
    shown: 'show interfaces',
    shape: { json: z.array(shapes.interfaceSchema) },
    answer: (handlers) => ok(handlers.interfaces()),
  },
  {
    path: '/events',
    about: 'What changes, as it changes, until the client leaves.',
    shown: 'watch',
    query: { kinds },
    shape: { type: 'text/event-stream', about: 'Server-sent events, each with one event as JSON.', event: eventSchema },
    refusals: { 503: 'As many clients as there may be follow events already.' },
    answer: (_, { query }) => ({ status: 200, events: kindsOf(query.kinds) }),
  },
  {
    path: '/metrics',
    about: 'The same numbers for Prometheus.',
    query: {
      prefixes: wantedUnlessNo('`no` leaves out what is told prefix by prefix.'),
      process: wantedUnlessNo('`no` leaves out what is told of the process.'),
    },
    shape: { type: METRICS_TYPE, about: 'The text format of Prometheus.' },
    answer(handlers, { query }) {
      const wanted = { prefixes: query.prefixes !== 'no', process: query.process !== 'no' };
      return { status: 200, text: { type: METRICS_TYPE, pieces: metricLines(handlers, wanted) } };
    },
  },
  {
    path: '/mrt',
    about: "Every path that a neighbour announced, and the routes of the router's own.",
    shown: 'dump mrt',
    query: { family },
    shape: { type: 'application/octet-stream', about: 'An MRT table dump (RFC 6396 TABLE_DUMP_V2).' },
    answer: (handlers, asked) => ({ status: 200, octets: handlers.mrt(familyOf(asked)) }),
  },
];

function kindsOf(list: string | undefined): Answer['events'] & object {
  const found = list === undefined ? EVENT_KINDS : eventKinds(list);
  return 'unknown' in found ? [] : found;
}

function* first<T>(items: Iterable<T>, most: number): Generator<T> {
  let left = most;
  for (const item of items) {
    yield item;
    left -= 1;
    if (left === 0) return;
  }
}

function routeTo(handlers: ControlHandlers, text: string): Answer {
  const prefix = parsePrefix(text);
  if (prefix !== undefined) {
    const found = handlers.route(prefix);
    return found ? ok(found) : failure(404, `no route ${text}`);
  }
  const address = parseAddress(text);
  if (address === undefined) return failure(400, `${text} is neither a prefix nor an address`);
  const found = longestMatch(handlers, address);
  return found ? ok(found) : failure(404, `no route to ${text}`);
}

function longestMatch(handlers: ControlHandlers, address: Uint8Array): Route | undefined {
  for (let length = address.length * 8; length >= 0; length--) {
    const found = handlers.route({ address: masked(address, length), length });
    if (found !== undefined) return found;
  }
  return undefined;
}
