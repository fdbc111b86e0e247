/** What a client sends, up to a limit. */
import type { IncomingMessage } from 'node:http';

/** Rejects when there is more than `most` characters. */
export async function readBody(request: IncomingMessage, most: number): Promise<string> {
  request.setEncoding('utf8');
  let text = '';
  for await (const piece of request) {
    text += piece;
    if (text.length > most) throw new Error(`the body is longer than ${most} characters`);
  }
  return text;
}
