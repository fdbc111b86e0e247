/** The control API of a daemon that runs: every path of its document, what it refuses, and whom. */
import { spawnSync } from 'node:child_process';
import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tearDown } from '../../src/app/lab/build.js';
import { controlSocket, type Lab } from '../../src/app/lab/lab.js';
import { EventFrames } from '../../src/edge/control/events.js';
import { openApiDocument } from '../../src/edge/control/openapi.js';
import { ApiDocument, ask, type Question } from '../harness/control-api.js';
import { labUnusable, startLab } from '../harness/lab.js';

const LAB = 'name: capi\nspines: 2\nleaves: 2\nbfd: {}\n';
const NOBODY = 65534;

/** As another user: that the socket can be seen, and what connecting to it ends with. */
const CONNECT = `
import os, socket, sys
os.stat(sys.argv[1])
try:
    socket.socket(socket.AF_UNIX).connect(sys.argv[1])
    print("connected")
except OSError as error:
    print(error.strerror)
`;

describe.skipIf(labUnusable({ peers: false }))('the control API', () => {
  let lab: Lab;
  let link: string;
  let prefix: string;
  const socketPath = () => controlSocket(lab, 'leaf1');
  const asked = (path: string, question?: Question) => ask({ socketPath: socketPath() }, path, question);
  const api = new ApiDocument();
  const filled = (path: string) =>
    path.replace('{name}', encodeURIComponent(link)).replace('{destination}', encodeURIComponent(prefix));

  beforeAll(async () => {
    lab = await startLab(LAB);
    link = lab.plan.routers.find(({ name }) => name === 'leaf1')!.fabric[0]!.interface;
    prefix = JSON.parse((await asked('/routes?family=ipv6')).text)[0].prefix;
  });
  afterAll(async () => {
    if (lab) await tearDown(lab);
  });

  it('serves its document', async () => {
    const { status, text } = await asked('/openapi.json');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  });

  const reads = api.operations.filter(({ method, type }) => method === 'get' && type !== 'text/event-stream');

  it.each(reads)('answers GET $path as the document says', async (operation) => {
    const reply = await asked(filled(operation.path));
    expect(reply.status, reply.text).toBe(200);
    expect(reply.headers['content-type']).toBe(operation.type);
    if (operation.type === 'application/json') expect(api.faults(operation, reply)).toEqual([]);
    const empty = ['/fib/notes', '/dlb/prefixes'];
    if (!empty.includes(operation.path)) expect(reply.text.length).toBeGreaterThan(2);
  });

  const commands = api.operations.filter(({ method }) => method === 'post');

  it.each(commands)('does POST $path as the document says', async (operation) => {
    const established = async () => JSON.parse((await asked(filled('/neighbors/{name}'))).text)[0].state;
    if (operation.path.endsWith('/refresh')) await expect.poll(established).toBe('established');
    const reply = await asked(filled(operation.path), { method: 'POST' });
    expect(reply.status, reply.text).toBe(200);
    expect(api.faults(operation, reply)).toEqual([]);
  });

  it('tells of what changes, as the document says', async () => {
    const told: string[] = [];
    const stream = get({ socketPath: socketPath(), path: '/events?kinds=session,best-path,fib', agent: false });
    const frames = new EventFrames();
    stream.once('error', () => undefined);
    await new Promise<void>((resolve) =>
      stream.once('response', (response) => {
        response.on('error', () => undefined);
        response.setEncoding('utf8').on('data', (piece: string) => void told.push(...frames.push(piece)));
        resolve();
      }),
    );
    await asked(filled('/neighbors/{name}/reset'), { method: 'POST', body: '{"message":"try"}' });
    const kinds = () => [...new Set(told.map((one) => JSON.parse(one).kind))].sort();
    await expect.poll(kinds).toEqual(['best-path', 'fib', 'session']);
    stream.destroy();
    expect(told.flatMap((one) => api.faultsOf('Event', one))).toEqual([]);
  });

  const REFUSED: readonly (readonly [string, Question, number, RegExp])[] = [
    ['/nothing', {}, 404, /^no resource \/nothing: there are \/summary, /],
    ['/neighbors/eth9', {}, 404, /^no neighbor eth9$/],
    ['/neighbors/eth9/reset', { method: 'POST' }, 404, /^no neighbor eth9$/],
    ['/route/192.0.2.1', {}, 404, /^no route to 192\.0\.2\.1$/],
    ['/routes?famly=ipv4', {}, 400, /^unknown query parameter famly: \/routes takes family, limit$/],
    ['/reload', { method: 'POST', body: '{"force":true}' }, 400, /^unknown field force in the body/],
    ['/summary', { method: 'DELETE' }, 405, /^\/summary takes GET, HEAD, not DELETE$/],
    ['/reload', { method: 'POST', body: Buffer.alloc(20_000_000, 32) }, 413, /^the body is longer than 4096 /],
    ['/summary', { headers: { tea: 'x'.repeat(12_000) } }, 431, /^the headers are longer than 8192 octets$/],
  ];

  it.each(REFUSED)('refuses %s (%#)', async (path, question, status, words) => {
    const reply = await asked(path, question);
    expect(reply.status).toBe(status);
    expect(api.faultsOf('Error', reply.text)).toEqual([]);
    expect(JSON.parse(reply.text).error).toMatch(words);
    expect((await asked('/summary')).status).toBe(200);
  });

  it('lets no other user in', () => {
    const as = (id: number) =>
      spawnSync('python3', ['-c', CONNECT, socketPath()], { uid: id, gid: id, encoding: 'utf8' });
    expect(as(0)).toMatchObject({ stdout: 'connected\n', status: 0 });
    expect(as(NOBODY)).toMatchObject({ stdout: 'Permission denied\n', status: 0 });
  });
});
