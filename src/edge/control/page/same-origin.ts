/**
 * Who may talk to a server on loopback. Any page that a browser shows can send requests there, in a form or by a name that it makes point to us
 * (DNS rebinding): answers go to nobody who calls us by another name, and changes are taken from our own page alone.
 */
import type { IncomingMessage } from 'node:http';
import { type Answer, failure } from '../answers.js';

/** What is wrong with a request; `undefined` when it is one of ours. `hosts`: names that we go by, with port. */
export function foreignness(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  hosts: readonly string[],
): Answer | undefined {
  const { host = '', origin } = headers;
  if (!hosts.includes(host))
    return failure(421, `this is not ${host || 'a server without a name'}: open http://${hosts[0]}/`);
  const isOwn = origin === undefined || origin === `http://${host}`;
  // Whoever follows a link to us sees the page; no other page reads it.
  const comes = method === 'GET' && headers['sec-fetch-mode'] === 'navigate';
  const site = headers['sec-fetch-site'] ?? 'none';
  if (!isOwn || !(comes || site === 'none' || site === 'same-origin'))
    return failure(403, 'only its own page may ask this server');
  if (method !== 'POST') return undefined;
  if (origin === undefined) return failure(403, 'a change needs the Origin of this page');
  const type = (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  return type === 'application/json' ? undefined : failure(415, 'a change is sent as application/json');
}
