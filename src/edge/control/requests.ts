/** From a request to what answers it, or to a refusal that says what there is instead. No I/O here. */
import { type Answer, failure } from './answers.js';
import { COMMANDS, type Command } from './commands.js';
import { OPENAPI_PATH } from './openapi.js';
import { nameIn, partsOf } from './paths.js';
import { type Asked, RESOURCES, type Resource } from './resources.js';

export type Routed =
  | { readonly resource: Resource; readonly asked: Asked }
  | { readonly command: Command; readonly name: string }
  /** GET /openapi.json */
  | { readonly document: true }
  | { readonly refusal: Answer };

/** `target` is path and query, `method` any. */
export function route(method: string, target: string): Routed {
  if (!URL.canParse(target, 'http://heddle')) return refused(400, `the target ${target} is no path`);
  const { pathname, searchParams } = new URL(target, 'http://heddle');
  const parts = partsOf(pathname);
  if (!parts) return refused(400, `the path ${pathname} is not valid percent encoding`);
  const isRead = method === 'GET' || method === 'HEAD';
  if (pathname === OPENAPI_PATH) return isRead ? { document: true } : notAllowed(method, pathname, READ);
  const resource = found(RESOURCES, parts);
  const command = found(COMMANDS, parts);
  if (resource && isRead) return ask(resource, searchParams);
  if (command && method === 'POST') return withoutQuery(command, searchParams);
  if (resource ?? command) return notAllowed(method, pathname, resource ? READ : 'POST');
  return refused(404, `no resource ${pathname}: there are ${pathsFor(method)}`);
}

const READ = 'GET, HEAD';

interface Found<Of> {
  readonly of: Of;
  readonly name: string;
}

function found<Of extends Resource | Command>(list: readonly Of[], parts: readonly string[]): Found<Of> | undefined {
  for (const of of list) {
    const name = nameIn(of, parts);
    if (name !== undefined) return { of, name };
  }
  return undefined;
}

function ask({ of, name }: Found<Resource>, given: URLSearchParams): Routed {
  const fault = faultOf(of, given);
  if (fault !== undefined) return refused(400, fault);
  return { resource: of, asked: { name, query: Object.fromEntries(given) } };
}

function faultOf({ path, query = {} }: Resource, given: URLSearchParams): string | undefined {
  for (const [key, value] of given) {
    const known = Object.hasOwn(query, key) ? query[key] : undefined;
    if (!known) return `unknown query parameter ${key}: ${path} takes ${Object.keys(query).join(', ') || 'none'}`;
    if (given.getAll(key).length > 1) return `${key} is given more than once`;
    if (!known.schema.safeParse(value).success) return `${key} is ${known.expected}, not ${value}`;
  }
  return undefined;
}

function withoutQuery({ of, name }: Found<Command>, given: URLSearchParams): Routed {
  const [key] = given.keys();
  if (key === undefined) return { command: of, name };
  return refused(400, `unknown query parameter ${key}: what a command takes stands in its body`);
}

export type GivenBody = { readonly fields: Readonly<Record<string, string>> } | { readonly refusal: Answer };

/** The body of a command, or why it is none. Empty is a body without keys. */
export function bodyOf({ path, body: known }: Command, text: string): GivenBody {
  const takes = Object.keys(known).join(', ') || 'none';
  const given = text === '' ? {} : parsed(text);
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return refused(400, `the body is no JSON object; fields that ${path} takes: ${takes}`);
  for (const [key, value] of Object.entries(given)) {
    if (!Object.hasOwn(known, key)) return refused(400, `unknown field ${key} in the body: ${path} takes ${takes}`);
    if (typeof value !== 'string') return refused(400, `${key} in the body is not a text`);
  }
  return { fields: { ...given } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pathsFor(method: string): string {
  const paths = method === 'POST' ? COMMANDS : [...RESOURCES, { path: OPENAPI_PATH }];
  return paths.map(({ path }) => path).join(', ');
}

function notAllowed(method: string, path: string, allow: string): Routed {
  return { refusal: failure(405, `${path} takes ${allow}, not ${method}`, { allow }) };
}

function refused(status: number, error: string): { readonly refusal: Answer } {
  return { refusal: failure(status, error) };
}
