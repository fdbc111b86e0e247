/** Puts an answer into an HTTP response: JSON, text or octets piece by piece, only as fast as the client takes them. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Answer } from './answers.js';
import { jsonPieces, type Turn, textPieces } from './json-stream.js';
import { octetPieces } from './octet-stream.js';

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Resolves when it is sent, or the client has left. */
export async function send(answer: Answer, response: ServerResponse, turn: Turn): Promise<void> {
  const { status, body, octets, text, headers } = answer;
  const type = octets ? 'application/octet-stream' : (text?.type ?? 'application/json');
  response.on('error', () => response.destroy());
  response.writeHead(status, { ...HEADERS, ...headers, 'content-type': type });
  if (response.req.method === 'HEAD') return void response.end();
  try {
    const pieces = octets ? octetPieces(octets, turn) : text ? textPieces(text.pieces, turn) : jsonPieces(body, turn);
    await pipeline(Readable.from(pieces, { objectMode: false }), response);
  } catch {
    // The client left, or a handler failed half-way: a cut-off body tells the client, who cannot be told otherwise.
    response.destroy();
  }
}
