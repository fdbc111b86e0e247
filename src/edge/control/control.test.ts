/** Server and client against each other over real sockets. */
import { existsSync, linkSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { createServer as createPlainServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatPrefix } from '../../core/net/prefix.js';
import { ControlClient, ControlError } from './client.js';
import { DLB, MEASUREMENTS, NEIGHBOR, PLANE_PREFIX, SUMMARY } from './samples.fixture.js';
import type { ControlHandlers, FabricRow, FibDifference, FibEntry, Interface, Route, RouteSummary } from './schema.js';
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
  neighbors: () => [NEIGHBOR],
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

async function serve(handlers: Partial<ControlHandlers> = {}): Promise<ControlClient> {
  const server: ControlServer = await serveControl({ path, handlers: { ...HANDLERS, ...handlers } });
  closers.push(() => server.close());
  return new ControlClient(path);
}

function raw(target: string, method = 'GET'): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath: path, path: target, method, agent: false }, async (response) => {
      let body = '';
      for await (const piece of response.setEncoding('utf8')) body += piece;
      resolve({ status: response.statusCode, body });
    });
    outgoing.once('error', reject).end();
  });
}

describe('resources', () => {
  it('come through as the handlers gave them', async () => {
    const client = await serve();
    expect(await client.summary()).toEqual(SUMMARY);
    expect(await client.neighbors()).toEqual([NEIGHBOR]);
    expect(await client.neighbor(NEIGHBOR.name)).toEqual([NEIGHBOR]);
    expect(await client.route('FC00:2:1:1::/64')).toEqual(ROUTE);
    expect(await client.fib()).toEqual([FIB_ENTRY]);
    expect(await client.fibNotes()).toEqual(['a note']);
    expect(await client.fibDifferences()).toEqual({ same: SAME, differences: [FIB_DIFFERENCE] });
    expect(await client.fabric()).toEqual({ uplinks: [UPLINK], rows: [FABRIC_ROW] });
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
    ['/nothing', 'GET', 404, 'no resource /nothing'],
    ['/summary/x', 'GET', 404, 'no resource /summary/x'],
    ['/summary', 'POST', 405, 'only GET is served, not POST'],
  ])('%s by %s is refused', async (target, method, status, error) => {
    await serve();
    expect(await raw(target, method)).toEqual({ status, body: JSON.stringify({ error }) });
  });

  it('answers a handler that throws with its message, and lives on', async () => {
    const client = await serve({
      summary: () => {
        throw new Error('table is busy');
      },
    });
    await expect(client.summary()).rejects.toThrow(new ControlError('table is busy', 500));
    expect(await client.neighbors()).toEqual([NEIGHBOR]);
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
