/** What a client sends, up to a limit. */
import type { IncomingMessage } from 'node:http';

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** Rejects with BodyTooLarge when there are more than `most` characters; the rest is read and forgotten, so that the client can take its answer. */
export function readBody(request: IncomingMessage, most: number): Promise<string> {
  request.setEncoding('utf8');
  return new Promise((resolve, reject) => {
    let text = '';
    request.on('data', (piece: string) => {
      if (text.length <= most) text += piece;
      if (text.length > most) reject(new BodyTooLarge(`the body is longer than ${most} characters`));
    });
    request.once('end', () => resolve(text));
    request.once('error', reject);
    request.once('close', () => reject(new Error('the client left')));
  });
}

/** Whether there is one, of any length. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
