/** The control API over TCP: who gets in, over what, and what a reload reads again. */
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../../test/harness/certificate.js';
import { ask, type Question } from '../../../test/harness/control-api.js';
import { ControlClient, ControlError } from './client.js';
import { Credentials } from './credentials.js';
import { tcpEndpoint } from './endpoint.js';
import { HANDLERS, SUMMARY } from './samples.fixture.js';
import { serveControl } from './server.js';

const TOKEN = 'correct-horse-battery-staple';
const OTHER = 'another-horse-battery-staple';
const HOST = '127.0.0.1';

let folder: string;
let tokenFile: string;
let closers: (() => Promise<void>)[];
const lines: string[] = [];
const bearer = (token: string): Question => ({ headers: { authorization: `Bearer ${token}` } });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'heddle-tcp-'));
  tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, `${TOKEN}\n`, { mode: 0o600 });
  closers = [];
  lines.length = 0;
});

afterEach(async () => {
  for (const close of closers) await close();
  rmSync(folder, { recursive: true });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, HOST, () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Somebody who follows events, and what it ends with. */
function following(port: number): Promise<{ readonly left: Promise<string> }> {
  return new Promise((resolve, reject) => {
    const sent = get({ host: HOST, port, path: '/events', agent: false, ...bearer(TOKEN) }, (response) => {
      resolve({ left: new Promise((left) => response.resume().once('error', ({ message }) => left(message))) });
    });
    sent.once('error', reject);
  });
}

interface Serving {
  readonly tls?: { readonly certificate: string; readonly key: string };
  readonly readOnly?: boolean;
}

async function serve({ tls, readOnly = false }: Serving = {}) {
  const credentials = new Credentials({ tokenFile, ...(tls && { tls }) });
  const port = await freePort();
  const log = { write: ({ message }: { message: string }) => void lines.push(message) };
  const server = await serveControl({
    path: join(folder, `${tls ? 'secure' : 'plain'}.sock`),
    handlers: HANDLERS,
    commands: { neighbor: () => ({ neighbours: ['x'] }), reload: async () => ({ changes: [], warnings: [] }) },
    tcp: { address: HOST, port, credentials, readOnly, log },
  });
  closers.push(() => server.close());
  return { port, credentials, at: { host: HOST, port, ...(tls && { ca: readFileSync(tls.certificate) }) } };
}

function replaceByFolder(file: string): void {
  rmSync(file);
  mkdirSync(file);
}

describe('a token', () => {
  it('lets in, in any case of its scheme', async () => {
    const { at, port } = await serve();
    expect(lines).toEqual([`listens at http://${HOST}:${port}`]);
    expect(JSON.parse((await ask(at, '/summary', bearer(TOKEN))).text)).toEqual(SUMMARY);
    expect((await ask(at, '/summary', { headers: { authorization: `bearer  ${TOKEN}` } })).status).toBe(200);
    expect((await ask(at, '/reload', { method: 'POST', ...bearer(TOKEN) })).status).toBe(200);
  });

  it.each([
    ['none', {}, 'a token is needed: Authorization: Bearer TOKEN', 'Bearer realm="heddle"'],
    [
      'another scheme',
      { authorization: `Basic ${TOKEN}` },
      'a token is needed: Authorization: Bearer TOKEN',
      'Bearer realm="heddle"',
    ],
    [
      'a wrong one',
      { authorization: `Bearer ${OTHER}` },
      'the token is wrong',
      'Bearer realm="heddle", error="invalid_token"',
    ],
    [
      'the beginning',
      { authorization: `Bearer ${TOKEN.slice(0, -1)}` },
      'the token is wrong',
      'Bearer realm="heddle", error="invalid_token"',
    ],
  ])('is needed for everything: %s', async (_, headers, error, challenge) => {
    const { at } = await serve();
    for (const path of ['/summary', '/openapi.json', '/nothing', '/', '/page/stream', '/events']) {
      const reply = await ask(at, path, { headers });
      expect({ status: reply.status, text: reply.text }).toEqual({ status: 401, text: JSON.stringify({ error }) });
      expect(reply.headers['www-authenticate']).toBe(challenge);
    }
    expect((await ask(at, '/reload', { method: 'POST', headers })).status).toBe(401);
    expect(lines.filter((line) => line.includes('is refused'))).toHaveLength(1);
  });

  it('does not let in for commands where only reading is allowed', async () => {
    const { at } = await serve({ readOnly: true });
    const reply = await ask(at, '/reload', { method: 'POST', ...bearer(TOKEN) });
    expect(reply).toMatchObject({ status: 403 });
    expect(reply.text).toContain('this address is for reading alone');
    expect((await ask(at, '/summary', bearer(TOKEN))).status).toBe(200);
    expect((await ask({ socketPath: join(folder, 'plain.sock') }, '/reload', { method: 'POST' })).status).toBe(200);
  });

  it('is read again, and the old one lets nobody in any more, nor stay', async () => {
    const { at, credentials } = await serve();
    const follower = await following(at.port);
    writeFileSync(tokenFile, OTHER);
    expect(credentials.prepare()()).toEqual(['control: another token']);
    expect((await ask(at, '/summary', bearer(TOKEN))).status).toBe(401);
    expect((await ask(at, '/summary', bearer(OTHER))).status).toBe(200);
    expect(await follower.left).toBe('aborted');
    expect(credentials.prepare()()).toEqual([]);
  });

  it.each([
    ['others may read it', () => chmodSync(tokenFile, 0o640), 'others may read or write it (mode 0640): chmod 600 '],
    ['it is not there', () => rmSync(tokenFile), 'cannot be read (ENOENT)'],
    ['it is a folder', () => replaceByFolder(tokenFile), 'this is no file'],
    ['it is empty', () => writeFileSync(tokenFile, '\n'), 'a token has at least 16 characters'],
    [
      'it has lines',
      () => writeFileSync(tokenFile, `${TOKEN}\n${TOKEN}`),
      'a token is one line of ASCII without spaces',
    ],
    ['it is endless', () => writeFileSync(tokenFile, 'x'.repeat(100_000)), 'at most 512 characters'],
  ])('is refused when %s, and what was there stays', async (_, spoil, words) => {
    const { at, credentials } = await serve();
    spoil();
    const said = `control.token-file ${tokenFile}: `;
    expect(() => credentials.prepare()).toThrow(said);
    expect(() => new Credentials({ tokenFile })).toThrow(words);
    expect((await ask(at, '/summary', bearer(TOKEN))).status).toBe(200);
  });
});

describe('TLS', () => {
  const client = (port: number, ca?: string) =>
    new ControlClient(tcpEndpoint({ url: new URL(`https://${HOST}:${port}`), token: TOKEN, ...(ca && { ca }) }));

  it('is spoken from version 1.2 on, and trusted by who signed it', async () => {
    const tls = makeCertificate(folder, 'one');
    const { port } = await serve({ tls });
    const ca = readFileSync(tls.certificate, 'utf8');
    expect(await client(port, ca).summary()).toEqual(SUMMARY);
    await expect(client(port).summary()).rejects.toThrow(
      new ControlError(
        `the certificate of https://${HOST}:${port} is not trusted (self-signed certificate): --ca names who signed it`,
      ),
    );
    const old = connectTls({
      host: HOST,
      port,
      ca,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    const outcome = new Promise((resolve) =>
      old.once('secureConnect', () => resolve('connected')).once('error', ({ message }) => resolve(message)),
    );
    expect(await outcome).toMatch(/protocol version/);
  });

  it('is not taken for a request without it, nor the other way round', async () => {
    const { port } = await serve({ tls: makeCertificate(folder, 'one') });
    await expect(ask({ host: HOST, port }, '/summary', bearer(TOKEN))).rejects.toThrow();
    const plain = await serve();
    await expect(client(plain.port).summary()).rejects.toThrow(
      `https://${HOST}:${plain.port} does not speak TLS: is it http://?`,
    );
  });

  it('shows another certificate when it is read again', async () => {
    const [one, two] = [makeCertificate(folder, 'one'), makeCertificate(folder, 'two')];
    const { port, credentials } = await serve({ tls: one });
    copyFileSync(two.certificate, one.certificate);
    expect(() => credentials.prepare()).toThrow(
      `control.tls: ${one.certificate} and ${one.key} are no certificate and its key`,
    );
    copyFileSync(two.key, one.key);
    expect(credentials.prepare()()).toEqual(['control: another certificate']);
    expect(await client(port, readFileSync(two.certificate, 'utf8')).summary()).toEqual(SUMMARY);
  });

  it('is refused with files that are none', () => {
    const { certificate, key } = makeCertificate(folder, 'one');
    const opened = (tls: { certificate: string; key: string }) => () => new Credentials({ tokenFile, tls });
    expect(opened({ certificate, key: '/nowhere' })).toThrow('control.tls.key /nowhere: cannot be read (ENOENT)');
    expect(opened({ certificate: tokenFile, key })).toThrow('are no certificate and its key');
  });
});

describe('an address', () => {
  it('that another program has is said, and the socket is not left behind', async () => {
    const { port, credentials } = await serve();
    const path = join(folder, 'other.sock');
    const log = { write: () => undefined };
    const again = serveControl({
      path,
      handlers: HANDLERS,
      tcp: { address: HOST, port, credentials, readOnly: false, log },
    });
    await expect(again).rejects.toThrow(`control http://${HOST}:${port}: cannot listen (EADDRINUSE)`);
    await expect(new ControlClient(path).summary()).rejects.toThrow(`no daemon at ${path}`);
  });
});
