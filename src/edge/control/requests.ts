/** From a request's path to a handler's answer. No I/O here: a wrong request is an answer like any other. */
import { parseAddress } from '../../core/net/address.js';
import type { Family } from '../../core/net/family.js';
import { masked, parsePrefix } from '../../core/net/prefix.js';
import { EVENT_KINDS, type EventKind, eventKinds } from './events.js';
import { METRICS_TYPE, metricLines } from './metrics.js';
import type { ControlHandlers, Route } from './schema.js';

export interface Answer {
  /** HTTP status. */
  readonly status: number;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead. */
  readonly octets?: Iterable<Uint8Array>;
  /** Sent as text, instead. */
  readonly text?: { readonly type: string; readonly pieces: Iterable<string> };
  /** Sent as they happen, instead. */
  readonly events?: readonly EventKind[];
}

/** Answers GET `target` (path and query). Lets a handler's exception through. */
export async function answer(handlers: ControlHandlers, target: string): Promise<Answer> {
  const { pathname, searchParams } = new URL(target, 'http://heddle');
  const [resource = '', ...rest] = pathname.slice(1).split('/');
  const name = decoded(rest.join('/'));
  if (name === undefined) return failure(400, `the path ${pathname} is not valid percent encoding`);
  if (name === '') return table(handlers, resource, searchParams);
  if (resource === 'neighbors') return neighbor(handlers, name);
  if (resource === 'route') return route(handlers, name);
  if (pathname === '/fib/notes') return { status: 200, body: handlers.fibNotes() };
  if (pathname === '/dlb/prefixes') return { status: 200, body: handlers.planePrefixes() };
  if (pathname === '/fib/diff') return { status: 200, body: await handlers.fibDifferences() };
  return unknown(pathname);
}

function table(handlers: ControlHandlers, resource: string, query: URLSearchParams): Answer {
  switch (resource) {
    case 'summary':
      return { status: 200, body: handlers.summary() };
    case 'neighbors':
      return { status: 200, body: handlers.neighbors() };
    case 'routes':
      return routes(handlers, query);
    case 'fib':
      return { status: 200, body: handlers.fib() };
    case 'dlb':
      return { status: 200, body: handlers.dlb() };
    case 'fabric':
      return { status: 200, body: handlers.fabric() };
    case 'interfaces':
      return { status: 200, body: handlers.interfaces() };
    case 'events':
      return events(query);
    case 'metrics':
      return metrics(handlers, query);
    case 'mrt':
      return mrt(handlers, query);
    default:
      return unknown(`/${resource}`);
  }
}

function events(query: URLSearchParams): Answer {
  const list = query.get('kinds');
  const kinds = list === null ? EVENT_KINDS : eventKinds(list);
  if (!('unknown' in kinds)) return { status: 200, events: kinds };
  return failure(400, `kinds is a list of ${EVENT_KINDS.join(', ')}, not ${kinds.unknown}`);
}

function metrics(handlers: ControlHandlers, query: URLSearchParams): Answer {
  const answers = { prefixes: query.get('prefixes') ?? 'yes', process: query.get('process') ?? 'yes' };
  for (const [name, value] of Object.entries(answers))
    if (value !== 'yes' && value !== 'no') return failure(400, `${name} is yes or no, not ${value}`);
  const wanted = { prefixes: answers.prefixes === 'yes', process: answers.process === 'yes' };
  return { status: 200, text: { type: METRICS_TYPE, pieces: metricLines(handlers, wanted) } };
}

function neighbor(handlers: ControlHandlers, name: string): Answer {
  const found = handlers.neighbor(name);
  return found.length > 0 ? { status: 200, body: found } : failure(404, `no neighbor ${name}`);
}

const FAMILY_NAMES: Readonly<Record<string, Family>> = {
  ipv4: 'ipv4-unicast',
  ipv6: 'ipv6-unicast',
  'ipv4-unicast': 'ipv4-unicast',
  'ipv6-unicast': 'ipv6-unicast',
};

/** The family asked for, none, or the answer to one that is not carried. */
function familyOf(query: URLSearchParams): { readonly family: Family | undefined } | Answer {
  const text = query.get('family');
  const family = text === null ? undefined : FAMILY_NAMES[text];
  if (text !== null && family === undefined) return failure(400, `family is ipv4 or ipv6, not ${text}`);
  return { family };
}

function mrt(handlers: ControlHandlers, query: URLSearchParams): Answer {
  const asked = familyOf(query);
  return 'status' in asked ? asked : { status: 200, octets: handlers.mrt(asked.family) };
}

function routes(handlers: ControlHandlers, query: URLSearchParams): Answer {
  const asked = familyOf(query);
  if ('status' in asked) return asked;
  const limitText = query.get('limit');
  if (limitText !== null && !/^[1-9]\d{0,14}$/.test(limitText)) {
    return failure(400, `limit is a number of routes, not ${limitText}`);
  }
  const all = handlers.routes(asked.family);
  return { status: 200, body: limitText === null ? all : first(all, Number(limitText)) };
}

function* first<T>(items: Iterable<T>, limit: number): Generator<T> {
  let left = limit;
  for (const item of items) {
    yield item;
    left -= 1;
    if (left === 0) return;
  }
}

function route(handlers: ControlHandlers, text: string): Answer {
  const prefix = parsePrefix(text);
  if (prefix !== undefined) {
    const found = handlers.route(prefix);
    return found ? { status: 200, body: found } : failure(404, `no route ${text}`);
  }
  const address = parseAddress(text);
  if (address === undefined) return failure(400, `${text} is neither a prefix nor an address`);
  const found = longestMatch(handlers, address);
  return found ? { status: 200, body: found } : failure(404, `no route to ${text}`);
}

function longestMatch(handlers: ControlHandlers, address: Uint8Array): Route | undefined {
  for (let length = address.length * 8; length >= 0; length--) {
    const found = handlers.route({ address: masked(address, length), length });
    if (found !== undefined) return found;
  }
  return undefined;
}

export function failure(status: number, error: string): Answer {
  return { status, body: { error } };
}

function unknown(path: string): Answer {
  return failure(404, `no resource ${path}`);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
