/**
 * The fabric page over HTTP: its files, the stream that it follows, the matrix in parts, and in a lab what it may do. The page comes with all it needs and
 * may load nothing from elsewhere; nobody may put it into a frame.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, failure } from '../answers.js';
import { parsedJson } from '../client.js';
import { readBody } from '../request-body.js';
import { pageAssets } from './page-assets.js';
import type { PageBoard } from './page-board.js';
import { MOST_PAGES, PageStreams } from './page-streams.js';
import { type LinkChange, linkChangeSchema, type MatrixPart } from './shapes.js';

const BASE = 'http://heddle';
/** Octets of a request to change something. */
const MOST_BODY = 1024;

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

export interface MatrixQuery {
  readonly from: number;
  readonly count: number;
  /** Text that is in the prefix. */
  readonly find: string;
}

/** Who knows what the page shows. */
export interface PageSource {
  readonly board: PageBoard;
  /** Somebody looks, from now until what it returns is called. */
  look(): () => void;
  matrix?(query: MatrixQuery): Promise<MatrixPart>;
  /** Rejects with what is wrong in words. */
  change?(change: LinkChange): Promise<void>;
  /** GET /routers/NAME/...: answered by that router's daemon. False: there is no such router. */
  pass?(router: string, path: string, response: ServerResponse): boolean;
}

export class PageServer {
  readonly #streams = new PageStreams();

  constructor(private readonly source: PageSource) {}

  /** False when the request is not for the page. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const target = request.url ?? '/';
    if (!URL.canParse(target, BASE)) return false;
    const url = new URL(target, BASE);
    const path = url.pathname;
    if (request.method === 'POST') return path === '/page/links' && this.#change(request, response);
    if (request.method !== 'GET') return false;
    if (path === '/' || path.startsWith('/assets/')) return sendAsset(path, response);
    if (path === '/page/stream') return this.#follow(response);
    if (path === '/page/matrix') return this.#matrix(url.searchParams, response);
    return this.#pass(`${path}${url.search}`, response);
  }

  close(): void {
    this.#streams.close();
  }

  #follow(response: ServerResponse): true {
    if (this.#streams.full) return send(response, failure(503, `${MOST_PAGES} pages are followed already`));
    const leave = this.source.look();
    this.#streams.add(response, this.source.board, leave);
    return true;
  }

  #matrix(query: URLSearchParams, response: ServerResponse): boolean {
    if (!this.source.matrix) return false;
    const [from, count] = [whole(query.get('from') ?? '0'), whole(query.get('count') ?? '100')];
    if (from === undefined || count === undefined || count > 1000)
      return send(response, failure(400, 'from and count are numbers of prefixes, count at most 1000'));
    this.source.matrix({ from, count, find: query.get('find') ?? '' }).then(
      (body) => send(response, { status: 200, body }),
      (error: unknown) => send(response, failure(500, wordsOf(error))),
    );
    return true;
  }

  #pass(target: string, response: ServerResponse): boolean {
    const [, name, path] = /^\/routers\/([\w.-]+)(\/.*)$/.exec(target) ?? [];
    if (name === undefined || path === undefined || !this.source.pass) return false;
    return this.source.pass(name, path, response) || send(response, failure(404, `no router ${name} can be asked`));
  }

  #change(request: IncomingMessage, response: ServerResponse): true {
    this.#changed(request).then(
      (answer) => send(response, answer),
      (error: unknown) => send(response, failure(400, wordsOf(error))),
    );
    return true;
  }

  async #changed(request: IncomingMessage): Promise<Answer> {
    if (!this.source.change) return failure(405, 'links are cut and mended in a lab only');
    const change = linkChangeSchema.safeParse(parsedJson(await readBody(request, MOST_BODY)));
    if (!change.success) return failure(400, 'the body is not { "link": NAME, "action": "fail", "silence" or "heal" }');
    try {
      await this.source.change(change.data);
      return { status: 200, body: {} };
    } catch (error) {
      return failure(409, wordsOf(error));
    }
  }
}

function sendAsset(path: string, response: ServerResponse): true {
  const assets = pageAssets();
  const asset = assets.get(path);
  if (!asset) {
    const missing = assets.size === 0 ? 'the page was not built: npm run setup builds it' : `no file ${path}`;
    return send(response, failure(404, missing));
  }
  const keep = asset.named ? 'public, max-age=31536000, immutable' : 'no-cache';
  response.writeHead(200, { ...HEADERS, 'content-type': asset.type, 'cache-control': keep }).end(asset.octets);
  return true;
}

function send(response: ServerResponse, { status, body }: Answer): true {
  response.on('error', () => response.destroy());
  const headers = { ...HEADERS, 'content-type': 'application/json', 'cache-control': 'no-store' };
  response.writeHead(status, headers).end(JSON.stringify(body));
  return true;
}

function whole(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
