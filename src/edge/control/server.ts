/** The control API's server: HTTP and JSON on a unix socket that only its owner can open. */
import { chmodSync, lstatSync, mkdirSync, unlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ControlCommands, execute } from './commands.js';
import { EventStreams, MOST_STREAMS } from './event-streams.js';
import { jsonPieces, textPieces } from './json-stream.js';
import { octetPieces } from './octet-stream.js';
import { PageServer, type PageSource } from './page/page-server.js';
import { type Answer, answer, failure } from './requests.js';
import type { ControlHandlers } from './schema.js';

const TOO_MANY = failure(503, `${MOST_STREAMS} clients follow events already`);

export interface ControlServer {
  /** Ends open requests and removes the socket. */
  close(): Promise<void>;
}

/**
 * Listens at `path` (mode 0600), in a directory it makes when missing. A socket nobody answers on is removed; rejects
 * with a plain error when another daemon answers there, or when the path cannot be a socket.
 */
export async function serveControl(options: {
  path: string;
  handlers: ControlHandlers;
  /** Without them it only shows. */
  commands?: ControlCommands;
  /** Answers at `/`, to browsers. */
  page?: PageSource;
}): Promise<ControlServer> {
  const { path, handlers, commands } = options;
  const page = options.page && new PageServer(options.page);
  prepareDirectory(path);
  await removeStaleSocket(path);
  const streams = new EventStreams(handlers);
  const server = createServer((request, response) => {
    if (page?.serve(request, response)) return;
    if (commands && request.method === 'POST') void execute(commands, request, response);
    else void respond({ handlers, streams }, request, response);
  });
  await listen(server, path);
  const end = (): Promise<void> => {
    streams.close();
    page?.close();
    return close(server);
  };
  return { close: end };
}

function prepareDirectory(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  } catch (error) {
    throw new Error(`control socket ${path}: cannot make its directory (${codeOf(error)})`);
  }
}

async function removeStaleSocket(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isSocket()) throw new Error(`control socket ${path}: there is something that is not a socket`);
  if (await isAnswered(path)) throw new Error(`control socket ${path}: another heddle is running and owns it`);
  unlinkSync(path);
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    const settle = (answered: boolean) => {
      probe.destroy();
      resolve(answered);
    };
    probe.once('connect', () => settle(true));
    // Any refusal but ECONNREFUSED means somebody may be there (EACCES, EAGAIN with a full backlog).
    probe.once('error', (error) => settle(!['ECONNREFUSED', 'ENOENT'].includes(codeOf(error))));
  });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('error', (error) => reject(new Error(`control socket ${path}: cannot listen (${codeOf(error)})`)));
    // bind(2) runs within this call: no moment in which others could open the socket.
    const umask = process.umask(0o177);
    server.listen(path, () => {
      chmodSync(path, 0o600);
      resolve();
    });
    process.umask(umask);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

interface Served {
  readonly handlers: ControlHandlers;
  readonly streams: EventStreams;
}

async function respond(
  { handlers, streams }: Served,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = await answerTo(handlers, request);
  if (answer.events && !streams.full) return streams.add(response, answer.events);
  const { status, body, octets, text } = answer.events ? TOO_MANY : answer;
  const type = octets ? 'application/octet-stream' : (text?.type ?? 'application/json');
  response.writeHead(status, { 'content-type': type });
  try {
    const pieces = octets ? octetPieces(octets) : text ? textPieces(text.pieces) : jsonPieces(body);
    await pipeline(Readable.from(pieces, { objectMode: false }), response);
  } catch {
    // The client left, or a handler failed half-way: a cut-off body tells the client, who cannot be told otherwise.
    response.destroy();
  }
}

async function answerTo(handlers: ControlHandlers, request: IncomingMessage): Promise<Answer> {
  if (request.method !== 'GET') return failure(405, `only GET is served, not ${request.method}`);
  try {
    return await answer(handlers, request.url ?? '/');
  } catch (error) {
    return failure(500, error instanceof Error ? error.message : String(error));
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
