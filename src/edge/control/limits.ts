/**
 * What one client may take of a listener: so many connections, headers of a size, time to ask and time to take what it asked for. A request that is none
 * is answered in JSON as any other.
 */
import type { IncomingMessage, Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { failure } from './answers.js';

/** Beyond these a request is refused in words, and at twice as many the connection. */
export const MOST_CONNECTIONS = 256;

/** Octets, milliseconds. */
export const HTTP_LIMITS = {
  maxHeaderSize: 8192,
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 1000,
} satisfies ServerOptions;

/** Of one connection, which may send them all without waiting for answers; then it is closed. */
export const MOST_REQUESTS = 100;

/** Milliseconds in which a client takes nothing of what it asked for. */
const STUCK = 60_000;

const WORDS: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, `the headers are longer than ${HTTP_LIMITS.maxHeaderSize} octets`],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not come in time'],
};

export const CROWDED = failure(503, `${MOST_CONNECTIONS} connections are open already`, { connection: 'close' });

/** Sets them; what it returns says whether a request came by one connection too many. `opened`: when the server has a connection. */
export function limit(
  server: Server,
  opened: 'connection' | 'secureConnection',
): (request: IncomingMessage) => boolean {
  const open = new Set<Socket>();
  const over = new WeakSet<Socket>();
  server.maxConnections = 2 * MOST_CONNECTIONS;
  server.maxRequestsPerSocket = MOST_REQUESTS;
  server.setTimeout(STUCK);
  server.on(opened, (socket: Socket) => {
    if (open.size >= MOST_CONNECTIONS) over.add(socket);
    else open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuse(error.code ?? '', socket));
  return ({ socket }) => over.has(socket);
}

function refuse(code: string, socket: Socket): void {
  if (!socket.writable || code === 'ECONNRESET') return void socket.destroy();
  const [status, words] = WORDS[code] ?? [400, 'this is no HTTP request'];
  const body = JSON.stringify({ error: words });
  const head = `HTTP/1.1 ${status} ${words}\r\nconnection: close\r\ncontent-type: application/json`;
  socket.end(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`, () => socket.destroy());
}
