/** The control API's client: one method per resource, answers checked against the schema. */
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Family } from '../../core/net/family.js';
import { type Endpoint, endpointAt, explain, send } from './endpoint.js';
import { type ControlEvent, EventFrames, type EventKind, eventSchema } from './events.js';
import { JsonArrayReader } from './json-array-reader.js';
import { type PageMessage, pageMessageSchema } from './page/shapes.js';
import {
  type BfdEntry,
  bfdEntrySchema,
  errorSchema,
  type Fabric,
  type FibComparison,
  type FibEntry,
  fabricSchema,
  fibComparisonSchema,
  fibEntrySchema,
  type Interface,
  interfaceSchema,
  type LoadBalancing,
  loadBalancingSchema,
  type Neighbor,
  neighborSchema,
  type PlanePrefix,
  planePrefixSchema,
  type Route,
  type RouteSummary,
  routeSchema,
  routeSummarySchema,
  type Summary,
  summarySchema,
} from './schema.js';

/** Milliseconds without a byte before the daemon counts as stuck. */
const SILENCE = 10_000;

/** The same where the kernel's tables are read first: 100,000 prefixes on a busy machine take a while. */
const LONG_SILENCE = 60_000;

/** One line for the operator: no daemon, no permission, no such thing. */
export class ControlError extends Error {
  override readonly name = 'ControlError';

  constructor(
    message: string,
    /** Of HTTP, where the daemon refused; 404: there is no such thing. */
    readonly status?: number,
  ) {
    super(message);
  }
}

/** Every method rejects with ControlError. */
export class ControlClient {
  readonly #endpoint: Endpoint;

  /** `at`: the path of a socket, or another place. */
  constructor(at: string | Endpoint) {
    this.#endpoint = endpointAt(at);
  }

  summary(): Promise<Summary> {
    return this.get('/summary', summarySchema);
  }

  neighbors(): Promise<Neighbor[]> {
    return this.get('/neighbors', z.array(neighborSchema));
  }

  /** By interface, address or ADDRESS%INTERFACE. */
  neighbor(name: string): Promise<Neighbor[]> {
    return this.get(`/neighbors/${encodeURIComponent(name)}`, z.array(neighborSchema));
  }

  bfd(): Promise<BfdEntry[]> {
    return this.get('/bfd', z.array(bfdEntrySchema));
  }

  /** As they come, some at a time: there may be millions. Rejects before the first when there are none to be had. */
  async *routes(query: { family?: Family; limit?: number } = {}): AsyncGenerator<readonly RouteSummary[]> {
    const parameters = new URLSearchParams();
    if (query.family !== undefined) parameters.set('family', query.family);
    if (query.limit !== undefined) parameters.set('limit', String(query.limit));
    const response = await this.stream(`/routes?${parameters}`);
    const reader = new JsonArrayReader();
    const schema = z.array(routeSummarySchema);
    response.setEncoding('utf8');
    for await (const piece of this.pieces<string>(response)) yield this.checked(schema, reader.push(piece));
    if (!reader.isComplete) throw new ControlError(`the daemon at ${this.#endpoint.name} broke off its answer`);
  }

  /** A prefix, or an address (longest match). */
  route(destination: string): Promise<Route> {
    return this.get(`/route/${encodeURIComponent(destination)}`, routeSchema);
  }

  fib(): Promise<FibEntry[]> {
    return this.get('/fib', z.array(fibEntrySchema));
  }

  fibNotes(): Promise<string[]> {
    return this.get('/fib/notes', z.array(z.string()));
  }

  fibDifferences(): Promise<FibComparison> {
    return this.get('/fib/diff', fibComparisonSchema, LONG_SILENCE);
  }

  fabric(): Promise<Fabric> {
    return this.get('/fabric', fabricSchema);
  }

  dlb(): Promise<LoadBalancing> {
    return this.get('/dlb', loadBalancingSchema);
  }

  planePrefixes(): Promise<PlanePrefix[]> {
    return this.get('/dlb/prefixes', z.array(planePrefixSchema));
  }

  interfaces(): Promise<Interface[]> {
    return this.get('/interfaces', z.array(interfaceSchema));
  }

  /** The text that Prometheus would get. */
  async metrics(): Promise<string> {
    const { status, text } = await this.request('/metrics', LONG_SILENCE);
    if (status !== 200) throw this.refusal(status, parsedJson(text));
    return text;
  }

  /** What changes, from now on; ends with the daemon, and when `signal` is given. */
  events(kinds: readonly EventKind[], signal?: AbortSignal): AsyncGenerator<ControlEvent> {
    return this.follow(`/events?kinds=${kinds.join()}`, eventSchema, signal);
  }

  /** What the daemon's page shows, from now on; ends as `events` does. */
  page(signal?: AbortSignal): AsyncGenerator<PageMessage> {
    return this.follow('/page/stream', pageMessageSchema, signal);
  }

  private async *follow<T>(path: string, schema: z.ZodType<T>, signal?: AbortSignal): AsyncGenerator<T> {
    const response = await this.stream(path);
    const leave = (): void => void response.destroy();
    signal?.addEventListener('abort', leave);
    const frames = new EventFrames();
    response.setEncoding('utf8');
    try {
      for await (const piece of this.pieces<string>(response))
        for (const data of frames.push(piece)) yield this.checked(schema, parsedJson(data));
    } catch (error) {
      if (!signal?.aborted) throw error;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  /** An MRT table dump, piece by piece; rejects before the first one when there is none to be had. */
  async *mrt(family?: Family): AsyncGenerator<Uint8Array> {
    const response = await this.stream(`/mrt${family === undefined ? '' : `?family=${family}`}`);
    yield* this.pieces<Uint8Array>(response);
  }

  /** An answer that is to be read piece by piece; rejects when there is none to be had. */
  private async stream(path: string): Promise<IncomingMessage> {
    const response = await this.open(path);
    if (response.statusCode === 200) return response;
    throw this.refusal(response.statusCode, parsedJson(await collect(response)));
  }

  /** Silence counts only while a piece is waited for: who takes them may take its time. */
  private async *pieces<Piece>(response: IncomingMessage): AsyncGenerator<Piece> {
    response.socket.setTimeout(0);
    const pieces: AsyncIterator<Piece> = response[Symbol.asyncIterator]();
    try {
      for (;;) {
        const patience = setTimeout(() => response.destroy(silence(SILENCE)), SILENCE);
        const next = await pieces.next().finally(() => clearTimeout(patience));
        if (next.done) return;
        yield next.value;
      }
    } catch (error) {
      throw new ControlError(explain(error instanceof Error ? error : new Error(String(error)), this.#endpoint.name));
    } finally {
      response.destroy();
    }
  }

  private async get<T>(path: string, schema: z.ZodType<T>, patience = SILENCE): Promise<T> {
    const { status, text } = await this.request(path, patience);
    const body = parsedJson(text);
    if (status !== 200) throw this.refusal(status, body);
    return this.checked(schema, body);
  }

  private checked<T>(schema: z.ZodType<T>, body: unknown): T {
    const checked = schema.safeParse(body);
    if (checked.success) return checked.data;
    const [issue] = checked.error.issues;
    const where = issue === undefined ? '' : ` (${issue.path.join('.')}: ${issue.message})`;
    throw new ControlError(
      `the answer at ${this.#endpoint.name} is not one this heddle knows: another version?${where}`,
    );
  }

  private refusal(status: number | undefined, body: unknown): ControlError {
    const refusal = errorSchema.safeParse(body);
    return new ControlError(
      refusal.success ? refusal.data.error : `${this.#endpoint.name}: HTTP status ${status}`,
      status,
    );
  }

  private async request(path: string, patience: number): Promise<{ status: number; text: string }> {
    const response = await this.open(path, patience);
    try {
      return { status: response.statusCode ?? 0, text: await collect(response) };
    } catch (error) {
      throw new ControlError(explain(error instanceof Error ? error : new Error(String(error)), this.#endpoint.name));
    }
  }

  private open(path: string, patience = SILENCE): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error) => reject(new ControlError(explain(error, this.#endpoint.name)));
      const request = send(this.#endpoint, { path }, resolve);
      request.setTimeout(patience, () => request.destroy(silence(patience)));
      request.once('error', fail).end();
    });
  }
}

function silence(patience: number): Error {
  return Object.assign(new Error(`waited ${patience / 1000} s`), { code: 'ETIMEDOUT' });
}

export async function collect(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const piece of response) text += piece;
  return text;
}

export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
