import { describe, expect, it } from 'vitest';
import { foreignness } from './same-origin.js';

const HOSTS = ['127.0.0.1:8179', 'localhost:8179'];
const status = (method: string, headers: Record<string, string>) => foreignness({ method, headers }, HOSTS)?.status;
const host = HOSTS[0]!;
const json = { host, origin: `http://${host}`, 'content-type': 'application/json' };

describe('who may talk to a server on loopback', () => {
  it('answers those who call it by its own name', () => {
    expect(status('GET', { host })).toBeUndefined();
    expect(status('GET', { host: HOSTS[1]! })).toBeUndefined();
  });

  it.each(['evil.example:8179', '127.0.0.1', '', '127.0.0.1:8180'])('does not answer to the name "%s"', (name) => {
    expect(status('GET', { host: name })).toBe(421);
  });

  it('lets a link from elsewhere open the page, and no other page read it', () => {
    expect(status('GET', { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).toBeUndefined();
    expect(status('GET', { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(403);
    expect(status('GET', { host, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' })).toBe(403);
    expect(status('GET', { host, origin: 'http://evil.example' })).toBe(403);
  });

  it('takes changes from its own page alone, as JSON', () => {
    expect(status('POST', json)).toBeUndefined();
    expect(status('POST', { ...json, origin: 'http://localhost:8179' })).toBe(403);
    expect(status('POST', { host, 'content-type': 'application/json' })).toBe(403);
    expect(status('POST', { ...json, 'content-type': 'text/plain' })).toBe(415);
    expect(status('POST', { ...json, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).toBe(403);
  });
});
