/** Server and client against each other over real sockets. */
import { existsSync, linkSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import { connect, createServer as createPlainServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatPrefix } from '../../core/net/prefix.js';
import { ControlClient, ControlError } from './client.js';
import { COMMANDS, type ControlCommands } from './commands.js';
import { MOST_CONNECTIONS, MOST_REQUESTS } from './limits.js';
import { openApiDocument } from './openapi.js';
import { RESOURCES } from './resources.js';
import { DLB, MEASUREMENTS, NEIGHBOR, PLANE_PREFIX, SUMMARY } from './samples.fixture.js';
import type {
  Bfd,
  ControlHandlers,
  FabricRow,
  FibDifference,
  FibEntry,
  Interface,
  Route,
  RouteSummary,
} from './schema.js';
import { type ControlServer, serveControl } from './server.js';

const ROUTE: Route = {
  prefix: 'fc00:2:1:1::/64',
  family: 'ipv6-unicast',
  colour: 1,
  origin: 65102,
  decidedBy: 'aigp',
  fib: 'installed',
  fibError: null,
  paths: [],
};

async function all<Item>(pieces: AsyncIterable<readonly Item[]>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const piece of pieces) items.push(...piece);
  return items;
}

function routeSummary(index: number): RouteSummary {
  return {
    prefix: `10.${index >> 8}.${index & 255}.0/24`,
    family: 'ipv4-unicast',
    colour: null,
    origin: 65102,
    decidedBy: null,
    fib: 'installed',
    preferred: ['to-spine1'],
    fallback: [],
    asPath: '65001 65102',
    aigp: null,
    paths: 1,
    local: false,
  };
}

const FIB_ENTRY: FibEntry = {
  prefix: ROUTE.prefix,
  family: 'ipv6-unicast',
  colour: 1,
  state: 'installed',
  error: null,
  primary: [{ interface: 'to-spine1', gateway: 'fe80::1' }],
  primaryGroup: 10,
  fallback: [],
  fallbackGroup: null,
};

const FABRIC_ROW: FabricRow = {
  prefix: ROUTE.prefix,
  colour: 1,
  origin: 65102,
  cells: [{ state: 'preferred', colour: 1, aigp: '18446744073709551615' }],
};

const BFD: Bfd = {
  state: 'Up',
  remoteState: 'Up',
  reason: null,
  sinceMs: 5,
  intervalMs: 100,
  multiplier: 3,
  strict: false,
  transmitIntervalMs: 100,
  detectionTimeMs: 300,
  localDiscriminator: 1,
  remoteDiscriminator: 2,
  ups: 1,
  failures: 0,
  packets: { sent: 1, received: 1, discarded: 0 },
};

const INTERFACE: Interface = {
  name: 'to-spine1',
  kind: 'fabric',
  colour: 1,
  index: 3,
  adminUp: true,
  carrier: true,
  usable: true,
  reason: null,
  mac: '02:00:00:00:00:01',
  mtu: 9000,
  linkLocal: 'fe80::2',
  addresses: [],
  neighbors: ['fe80::1'],
};

const UPLINK = { interface: 'to-spine1', colour: 1, up: true, reason: null };

const ROUTES = 5_000;

function* manyRoutes(): Generator<RouteSummary> {
  for (let index = 0; index < ROUTES; index++) yield routeSummary(index);
}

function* manyRecords(): Generator<Uint8Array> {
  for (let index = 0; index < 10_000; index++) yield Uint8Array.of(index >> 8, index, 7, 7, 7, 7, 7, 7, 7, 7);
}

const SAME = { routes: 2, groups: 2, nextHops: 2 };

const FIB_DIFFERENCE: FibDifference = {
  object: 'group',
  prefix: null,
  metric: null,
  id: 7,
  wanted: [{ interface: 'to-spine1', gateway: 'fe80::1', weight: 3 }],
  kernel: null,
  foreign: { protocol: 4, interfaces: ['eth0'] },
  cause: 'missing',
  inFlight: false,
  why: 'missing: it is written again',
  advice: null,
};

const HANDLERS: ControlHandlers = {
  measurements: () => MEASUREMENTS,
  summary: () => SUMMARY,
  neighbors: () => [{ ...NEIGHBOR, bfd: BFD }],
  neighbor: (name) => (name === NEIGHBOR.name ? [NEIGHBOR] : []),
  routes: (family) => (family === 'ipv6-unicast' ? [] : manyRoutes()),
  route: (prefix) => (formatPrefix(prefix) === ROUTE.prefix ? ROUTE : undefined),
  fib: () => new Set([FIB_ENTRY]),
  fibNotes: () => ['a note'],
  fibDifferences: async () => ({ same: SAME, differences: new Set([FIB_DIFFERENCE]) }),
  fabric: () => ({ uplinks: [UPLINK], rows: new Set([FABRIC_ROW]) }),
  dlb: () => DLB,
  planePrefixes: () => new Set([PLANE_PREFIX]),
  interfaces: () => [INTERFACE],
  watch: () => () => undefined,
  mrt: (family) => (family === 'ipv6-unicast' ? manyRecords() : []),
};

const PATHS = [...RESOURCES.map(({ path }) => path), '/openapi.json'];

let directory: string;
let path: string;
let closers: Array<() => Promise<void>>;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'heddle-control-'));
  path = join(directory, 'run', 'leaf1.sock');
  closers = [];
});

afterEach(async () => {
  for (const close of closers) await close();
  rmSync(directory, { recursive: true });
});

async function serve(handlers: Partial<ControlHandlers> = {}, commands?: ControlCommands): Promise<ControlClient> {
  const all = { ...HANDLERS, ...handlers };
  const server: ControlServer = await serveControl({ path, handlers: all, ...(commands && { commands }) });
  closers.push(() => server.close());
  return new ControlClient(path);
}

interface Raw {
  readonly status: number | undefined;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

function raw(target: string, method = 'GET', sent?: string): Promise<Raw> {
  const headers = sent === undefined ? {} : { 'content-length': sent.length };
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath: path, path: target, method, agent: false, headers }, async (response) => {
      let body = '';
      for await (const piece of response.setEncoding('utf8')) body += piece;
      resolve({ status: response.statusCode, body, headers: response.headers });
    });
    outgoing.once('error', reject).end(sent);
  });
}

describe('resources', () => {
  it('come through as the handlers gave them', async () => {
    const client = await serve();
    expect(await client.summary()).toEqual(SUMMARY);
    expect(await client.neighbors()).toEqual([{ ...NEIGHBOR, bfd: BFD }]);
    expect(await client.neighbor(NEIGHBOR.name)).toEqual([NEIGHBOR]);
    expect(await client.route('FC00:2:1:1::/64')).toEqual(ROUTE);
    expect(await client.fib()).toEqual([FIB_ENTRY]);
    expect(await client.fibNotes()).toEqual(['a note']);
    expect(await client.fibDifferences()).toEqual({ same: SAME, differences: [FIB_DIFFERENCE] });
    expect(await client.fabric()).toEqual({ uplinks: [UPLINK], rows: [FABRIC_ROW] });
    expect(await client.bfd()).toEqual([{ interface: 'to-spine1', address: NEIGHBOR.address, ...BFD }]);
    expect(await client.interfaces()).toEqual([INTERFACE]);
    expect(await client.dlb()).toEqual(DLB);
    expect(await client.planePrefixes()).toEqual([PLANE_PREFIX]);
  });

  it('finds the longest match of an address', async () => {
    const client = await serve();
    expect(await client.route('fc00:2:1:1::1234')).toEqual(ROUTE);
  });

  it('streams a long table whole, or up to a limit, or of one family', async () => {
    const client = await serve();
    expect(await all(client.routes())).toEqual([...manyRoutes()]);
    expect((await all(client.routes({ limit: 3 }))).map(({ prefix }) => prefix)).toEqual([
      '10.0.0.0/24',
      '10.0.1.0/24',
      '10.0.2.0/24',
    ]);
    expect(await all(client.routes({ family: 'ipv6-unicast' }))).toEqual([]);
  });

  it('walks a table no further than the limit', async () => {
    let walked = 0;
    const client = await serve({
      *routes() {
        for (const route of manyRoutes()) {
          walked += 1;
          yield route;
        }
      },
    });
    await all(client.routes({ limit: 2 }));
    expect(walked).toBe(2);
  });

  it.each([
    ['/route/fc00::/64', 'GET', 404, 'no route fc00::/64'],
    ['/route/fc00%3A%3A%2F64', 'GET', 404, 'no route fc00::/64'],
    ['/route/fc00::1', 'GET', 404, 'no route to fc00::1'],
    ['/route/nonsense', 'GET', 400, 'nonsense is neither a prefix nor an address'],
    ['/neighbors/eth9', 'GET', 404, 'no neighbor eth9'],
    ['/neighbors/%zz', 'GET', 400, 'the path /neighbors/%zz is not valid percent encoding'],
    ['/routes?family=ipx', 'GET', 400, 'family is ipv4 or ipv6, not ipx'],
    ['/routes?limit=0', 'GET', 400, 'limit is a number of routes, not 0'],
    ['/routes?limit=1&limit=2', 'GET', 400, 'limit is given more than once'],
    ['/routes?famly=ipv4', 'GET', 400, 'unknown query parameter famly: /routes takes family, limit'],
    ['/summary?verbose', 'GET', 400, 'unknown query parameter verbose: /summary takes none'],
    ['/summary?__proto__=1', 'GET', 400, 'unknown query parameter __proto__: /summary takes none'],
    ['//', 'GET', 400, 'the target // is no path'],
    ['/nothing', 'GET', 404, `no resource /nothing: there are ${PATHS.join(', ')}`],
    ['/summary/x', 'GET', 404, `no resource /summary/x: there are ${PATHS.join(', ')}`],
    ['/neighbors/', 'GET', 404, `no resource /neighbors/: there are ${PATHS.join(', ')}`],
    ['/nothing', 'POST', 404, `no resource /nothing: there are ${COMMANDS.map(({ path }) => path).join(', ')}`],
    ['/summary', 'POST', 405, '/summary takes GET, HEAD, not POST'],
    ['/openapi.json', 'DELETE', 405, '/openapi.json takes GET, HEAD, not DELETE'],
    ['/reload', 'GET', 405, '/reload takes POST, not GET'],
    ['/reload', 'POST', 403, 'this address is for reading alone: commands go over the control socket'],
  ])('%s by %s is refused', async (target, method, status, error) => {
    await serve();
    expect(await raw(target, method)).toMatchObject({ status, body: JSON.stringify({ error }) });
  });

  it('says with a wrong method which there is', async () => {
    await serve();
    expect((await raw('/summary', 'PUT')).headers.allow).toBe('GET, HEAD');
    expect((await raw('/neighbors/x/reset', 'PUT')).headers.allow).toBe('POST');
  });

  it('answers HEAD as GET, without the body', async () => {
    await serve();
    const { status, body, headers } = await raw('/routes', 'HEAD');
    expect({ status, body, type: headers['content-type'] }).toEqual({
      status: 200,
      body: '',
      type: 'application/json',
    });
    expect(await raw('/events', 'HEAD')).toMatchObject({ status: 200, body: '' });
  });

  it('serves the document that is printed', async () => {
    await serve();
    expect(JSON.parse((await raw('/openapi.json')).body)).toEqual(openApiDocument());
  });

  it('answers a handler that throws with its message, and lives on', async () => {
    const client = await serve({
      summary: () => {
        throw new Error('table is busy');
      },
    });
    await expect(client.summary()).rejects.toThrow(new ControlError('table is busy', 500));
    expect(await client.neighbors()).toEqual([{ ...NEIGHBOR, bfd: BFD }]);
  });

  it('sends a table dump as octets, whole and in order', async () => {
    const client = await serve();
    const pieces: Uint8Array[] = [];
    for await (const piece of client.mrt('ipv6-unicast')) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(1);
    expect(Buffer.concat(pieces).equals(Buffer.concat([...manyRecords()]))).toBe(true);
    for await (const piece of client.mrt()) expect(piece).toHaveLength(0);
  });

  it('tells the client when a table dump breaks off half-way', async () => {
    const client = await serve({
      *mrt() {
        yield* manyRecords();
        throw new Error('gone');
      },
    });
    const all = async () => {
      for await (const piece of client.mrt()) expect(piece.length).toBeGreaterThan(0);
    };
    await expect(all()).rejects.toThrow(`the daemon at ${path} broke off its answer`);
  });

  it('tells the client when a table breaks off half-way', async () => {
    const client = await serve({
      *routes() {
        yield* manyRoutes();
        throw new Error('gone');
      },
    });
    await expect(all(client.routes())).rejects.toThrow(`the daemon at ${path} broke off its answer`);
  });
});

describe('commands', () => {
  const COMMANDED: ControlCommands = {
    neighbor: (name, command) =>
      name === 'eth9' ? { problem: 'no neighbor eth9', unknown: true } : { neighbours: [`${name} ${command.kind}`] },
    reload: async () => ({ problems: ['a', 'b'] }),
  };
  const ERROR = (error: string) => JSON.stringify({ error });

  it.each([
    ['/neighbors/fe80::1%25up1/shutdown', '{"message": "x"}', 200, '{"neighbors":["fe80::1%up1 shutdown"]}'],
    ['/neighbors/up1/refresh', '', 200, '{"neighbors":["up1 refresh"]}'],
    ['/neighbors/eth9/enable', '{}', 404, ERROR('no neighbor eth9')],
    ['/neighbors/%zz/enable', '', 400, ERROR('the path /neighbors/%zz/enable is not valid percent encoding')],
    ['/reload', '', 422, ERROR('a\nb')],
    [
      '/neighbors/up1/reset',
      '{"mesage": "x"}',
      400,
      ERROR('unknown field mesage in the body: /neighbors/{name}/reset takes message'),
    ],
    [
      '/neighbors/up1/enable',
      '{"message": "x"}',
      400,
      ERROR('unknown field message in the body: /neighbors/{name}/enable takes none'),
    ],
    ['/neighbors/up1/reset', '{"message": 7}', 400, ERROR('message in the body is not a text')],
    ['/reload', 'tea', 400, ERROR('the body is no JSON object; fields that /reload takes: none')],
    ['/reload', '[]', 400, ERROR('the body is no JSON object; fields that /reload takes: none')],
    ['/reload?now=yes', '', 400, ERROR('unknown query parameter now: what a command takes stands in its body')],
    ['/reload', ' '.repeat(5_000_000), 413, ERROR('the body is longer than 4096 characters')],
  ])('POST %s is answered (%#)', async (target, sent, status, body) => {
    const client = await serve({}, COMMANDED);
    expect(await raw(target, 'POST', sent)).toMatchObject({ status, body });
    expect(await client.summary()).toEqual(SUMMARY);
  });

  it('are not taken for a body of a GET', async () => {
    await serve();
    expect(await raw('/summary', 'GET', 'x'.repeat(100_000))).toMatchObject({
      status: 400,
      body: ERROR('only a POST has a body'),
    });
  });
});

describe('what is no request', () => {
  /** All that comes back for octets, until the daemon closes. */
  const exchange = (octets: string) =>
    new Promise<string>((resolve, reject) => {
      let answer = '';
      const socket = connect(path, () => socket.write(octets));
      socket.setEncoding('utf8').on('data', (piece) => {
        answer += piece;
      });
      socket.once('error', reject).once('close', () => resolve(answer));
    });

  it.each([
    ['nonsense', 'tea please\r\n\r\n', 400, 'this is no HTTP request'],
    [
      'a huge header',
      `GET /summary HTTP/1.1\r\nx: ${'y'.repeat(20_000)}`,
      431,
      'the headers are longer than 8192 octets',
    ],
    ['headers that never end', 'GET /summary HTTP/1.1\r\nx: y\r\n', 408, 'the request did not come in time'],
  ])('is refused in JSON: %s', async (_, octets, status, error) => {
    const client = await serve();
    const answer = await exchange(octets);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer.split('\r\n\r\n')[1]).toBe(JSON.stringify({ error }));
    expect(await client.summary()).toEqual(SUMMARY);
  });
});

describe('a client that takes nothing', () => {
  /** One that asks, and reads no answer. */
  const ask = (target: string) =>
    new Promise<Socket>((resolve, reject) => {
      const socket = connect(path, () => {
        socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\n\r\n`);
        resolve(socket);
      });
      socket.pause().once('error', reject);
    });

  it('has no more made for it than waits in its connection, and nothing more when it leaves', async () => {
    let made = 0;
    let ended = 0;
    const client = await serve({
      *routes() {
        try {
          for (;;) yield routeSummary(made++ & 0xffff);
        } finally {
          ended++;
        }
      },
    });
    const sockets = await Promise.all(Array.from({ length: 20 }, () => ask('/routes')));
    const still = async () => {
      const before = made;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return before > 0 && made === before;
    };
    await expect.poll(still).toBe(true);
    // 20 connections of some 200 KiB of the kernel's and 100 KiB of the server's, rows of 200 octets.
    expect(made).toBeLessThan(20 * 10_000);
    expect(await client.summary()).toEqual(SUMMARY);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => ended).toBe(20);
  });
});

describe('what is dear', () => {
  it('is answered for a few at the same time', async () => {
    const release: (() => void)[] = [];
    const client = await serve({
      fibDifferences: async () => {
        await new Promise<void>((resolve) => release.push(resolve));
        return { same: SAME, differences: [] };
      },
    });
    const first = Array.from({ length: 4 }, () => client.fibDifferences());
    await expect.poll(() => release.length).toBe(4);
    await expect(client.fibDifferences()).rejects.toThrow(new ControlError('4 clients ask for that already', 503));
    for (const go of release) go();
    expect(await Promise.all(first)).toHaveLength(4);
    const last = client.fibDifferences();
    await expect.poll(() => release.length).toBe(5);
    release[4]!();
    expect(await last).toEqual({ same: SAME, differences: [] });
  });
});

describe('one client too many', () => {
  it('is told so, and is let in when another has left', async () => {
    const client = await serve();
    const sockets = await Promise.all(
      Array.from(
        { length: MOST_CONNECTIONS },
        () =>
          new Promise<Socket>((resolve) => {
            const socket = connect(path, () => resolve(socket));
          }),
      ),
    );
    const error = `${MOST_CONNECTIONS} connections are open already`;
    await expect.poll(() => raw('/summary')).toMatchObject({ status: 503, body: JSON.stringify({ error }) });
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => client.summary().catch(() => undefined)).toEqual(SUMMARY);
  });
});

describe('a client that waits for no answer', () => {
  it('is answered so many times, and then left', async () => {
    const client = await serve();
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(path, () => socket.write('GET /fib/notes HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(500)));
      socket.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      socket.on('error', () => undefined).once('close', () => resolve(text));
    });
    expect(answer.match(/^HTTP\/1\.1 200 /gm)).toHaveLength(MOST_REQUESTS);
    expect(await client.summary()).toEqual(SUMMARY);
  });
});

describe('the socket', () => {
  it('belongs to its owner only, and goes with the server', async () => {
    const server = await serveControl({ path, handlers: HANDLERS });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await server.close();
    expect(existsSync(path)).toBe(false);
  });

  it('is refused while another daemon owns it', async () => {
    const client = await serve();
    await expect(serveControl({ path, handlers: HANDLERS })).rejects.toThrow(
      `control socket ${path}: another heddle is running and owns it`,
    );
    expect(await client.summary()).toEqual(SUMMARY);
  });

  it('replaces one that a killed daemon left behind', async () => {
    path = join(directory, 'leaf1.sock');
    await leaveSocketBehind(path);
    await expect(new ControlClient(path).summary()).rejects.toThrow(`no daemon answers at ${path}`);
    const client = await serve();
    expect(await client.summary()).toEqual(SUMMARY);
  });

  it('is refused where something else is', async () => {
    path = join(directory, 'file');
    writeFileSync(path, '');
    await expect(serve()).rejects.toThrow(`control socket ${path}: there is something that is not a socket`);
    path = join(directory, 'file', 'run', 'leaf1.sock');
    await expect(serve()).rejects.toThrow(`control socket ${path}: cannot make its directory (ENOTDIR)`);
  });
});

describe('the client', () => {
  it('says when no daemon is there', async () => {
    await expect(new ControlClient(path).summary()).rejects.toThrow(
      new ControlError(`no daemon at ${path} (is heddle running?)`),
    );
  });

  it.each([
    ['not JSON', 'nonsense'],
    ['another shape', JSON.stringify({ ...SUMMARY, apiVersion: 2 })],
  ])('says when the answer is %s', async (_, body) => {
    path = join(directory, 'other.sock');
    const server = createServer((_request, response) => response.end(body));
    await listening(server);
    await expect(new ControlClient(path).summary()).rejects.toThrow('is not one this heddle knows: another version?');
  });
});

async function listening(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(path, resolve));
  closers.push(() => new Promise((resolve) => server.close(() => resolve())));
}

/** A bound socket file without a process: what kill -9 leaves. */
async function leaveSocketBehind(at: string): Promise<void> {
  const server = createPlainServer();
  await new Promise<void>((resolve) => server.listen(`${at}.tmp`, resolve));
  linkSync(`${at}.tmp`, at);
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
