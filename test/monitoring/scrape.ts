/** What a daemon answers to /metrics on its control socket. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

export function scrape(socketPath: string, path = '/metrics'): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path, agent: false }, (response) => {
      if (response.statusCode === 200) resolve(text(response));
      else reject(new Error(`${path}: ${response.statusCode}`));
    })
      .on('error', reject)
      .end();
  });
}
