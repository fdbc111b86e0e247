/** Passes a GET on to a daemon's control socket, and its answer back, for as long as both ends stay. */
import { request as httpRequest, type ServerResponse } from 'node:http';
import { failure } from '../answers.js';
import { explain } from '../endpoint.js';

export function forward(socketPath: string, path: string, response: ServerResponse): void {
  const asked = httpRequest({ socketPath, path, method: 'GET', agent: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
    answer.once('error', () => response.destroy());
  });
  asked.once('error', (error) => {
    if (response.headersSent) return void response.destroy();
    const { status, body } = failure(502, explain(error, socketPath));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  response.once('close', () => asked.destroy());
  asked.end();
}
