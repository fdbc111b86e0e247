/**
 * The control API over TCP, for who has the token: over TLS, or on loopback without it. What comes without the token costs one answer of a line, and reaches
 * neither a handler nor the page.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { EventLog } from '../../core/ports/event-log.js';
import { failure } from './answers.js';
import type { Credentials } from './credentials.js';
import { CROWDED, HTTP_LIMITS, limit } from './limits.js';
import { RefusalLog } from './refusal-log.js';
import type { ControlService } from './service.js';
import { codeOf } from './socket-file.js';

export interface TcpOptions {
  /** As text, without brackets. */
  readonly address: string;
  readonly port: number;
  readonly credentials: Credentials;
  /** Commands are refused. */
  readonly readOnly: boolean;
  readonly log: EventLog;
}

const HANDSHAKE_MS = 5000;
/** Until connections that were let in by another token are ended. */
const GRACE_MS = 1000;

const REFUSALS = {
  missing: failure(401, 'a token is needed: Authorization: Bearer TOKEN', {
    'www-authenticate': 'Bearer realm="heddle"',
  }),
  wrong: failure(401, 'the token is wrong', { 'www-authenticate': 'Bearer realm="heddle", error="invalid_token"' }),
};

/** Resolves with the server when it listens; rejects with a plain error. */
export async function listenOnTcp(options: TcpOptions, service: ControlService): Promise<Server> {
  const { credentials, log } = options;
  const refusals = new RefusalLog(log);
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (isOver(request)) return service.refuse(CROWDED, response);
    const verdict = credentials.judge(request.headers.authorization);
    if (verdict === 'accepted') return service.handle(request, response, !options.readOnly);
    refusals.tell(request.socket.remoteAddress ?? 'nowhere', verdict === 'missing' ? 'no token' : 'a wrong token');
    service.refuse(REFUSALS[verdict], response);
  };
  const { tls } = credentials;
  const secure = tls && createSecureServer({ ...HTTP_LIMITS, ...tls, handshakeTimeout: HANDSHAKE_MS }, answer);
  const server = secure ?? createServer(HTTP_LIMITS, answer);
  const isOver = limit(server, secure ? 'secureConnection' : 'connection');
  credentials.onChange = ({ token }) => {
    if (secure && credentials.tls) secure.setSecureContext(credentials.tls);
    // Who changed it may have asked for that over one of them.
    if (token) setTimeout(() => server.closeAllConnections(), GRACE_MS).unref();
  };
  await listening(server, options);
  log.write({ level: 'info', topic: 'control', message: `listens at ${nameOf(options)}` });
  return server;
}

function nameOf({ address, port, credentials, readOnly }: TcpOptions): string {
  const host = address.includes(':') ? `[${address}]` : address;
  return `${credentials.tls ? 'https' : 'http'}://${host}:${port}${readOnly ? ', for reading alone' : ''}`;
}

function listening(server: Server, options: TcpOptions): Promise<void> {
  const { address: host, port } = options;
  return new Promise((resolve, reject) => {
    server.on('error', (error) => reject(new Error(`control ${nameOf(options)}: cannot listen (${codeOf(error)})`)));
    server.listen({ host, port }, resolve);
  });
}
