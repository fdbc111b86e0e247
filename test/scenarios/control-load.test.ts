/** Two hundred clients of the control API at once, some that take nothing and some that leave half-way: no KEEPALIVE is late for them. */
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tearDown } from '../../src/app/lab/build.js';
import { controlSocket, type Lab } from '../../src/app/lab/lab.js';
import { ControlClient } from '../../src/edge/control/client.js';
import { parseExposition } from '../../src/edge/control/metrics/exposition.fixture.js';
import { ask } from '../harness/control-api.js';
import { labUnusable, startLab } from '../harness/lab.js';

const CLIENTS = 200;
/** Beside them: those that take nothing of a long table, and those that leave in the middle of it. */
const STUCK = 20;
const LEAVERS = 20;
/** Milliseconds of it: some KEEPALIVEs of each session. */
const LOAD = 15_000;
/** Seconds, of half a KEEPALIVE interval of 3 s; a bucket of the histogram. */
const LATEST = '1';
const PREFIXES = Array.from({ length: 5000 }, (_, n) => `{ prefix: "fc00:e:0:${n.toString(16)}::/64" }`);
const LAB = `name: capl\nspines: 2\nleaves: 2\nsettings: { leaf2: { advertise: [${PREFIXES.join(', ')}] } }\n`;

/** What they ask in turn; most of it is long. */
const PATHS = [
  ...['/summary', '/neighbors', '/routes', '/fib', '/fabric', '/bfd', '/interfaces', '/dlb', '/metrics'],
  ...['/openapi.json', '/mrt', '/route/fc00:e:0:1::1', '/routes?limit=10', '/nothing', '/fib/diff'],
];

describe.skipIf(labUnusable({ peers: false }))('two hundred clients', () => {
  let lab: Lab;
  const socketPath = () => controlSocket(lab, 'leaf1');
  const client = () => new ControlClient(socketPath());

  /** KEEPALIVEs in all and those in time, and sessions. */
  async function state() {
    const metrics = parseExposition(await client().metrics());
    const buckets = metrics.get('heddle_bgp_keepalive_lateness_seconds')!.samples;
    const upTo = (bound: string) =>
      [...buckets].find(([labels]) => labels.endsWith(`_bucket{le="${bound}"}`))?.[1] ?? 0;
    const sessions = (await client().neighbors()).map(({ name, state, establishedCount }) => ({
      ...{ name, state, establishedCount },
    }));
    return { sent: upTo('+Inf'), inTime: upTo(LATEST), sessions };
  }

  /** Asks again and again; resolves with the number of answers. */
  async function hammer(first: number, until: number): Promise<number> {
    let turn = first;
    for (; performance.now() < until; turn++) {
      const { status } = await ask({ socketPath: socketPath() }, PATHS[turn % PATHS.length]!);
      expect([200, 404, 503]).toContain(status);
    }
    return turn - first;
  }

  async function leaveHalfWay(until: number): Promise<void> {
    while (performance.now() < until)
      await new Promise<void>((resolve) => {
        const sent = get({ socketPath: socketPath(), path: '/routes', agent: false }, (response) => {
          response.once('data', () => sent.destroy()).once('error', () => undefined);
        });
        sent.once('error', () => undefined).once('close', resolve);
      });
  }

  function takeNothing(): Socket {
    const socket = connect(socketPath(), () => socket.write('GET /routes HTTP/1.1\r\nhost: heddle\r\n\r\n'));
    return socket.pause().on('error', () => undefined);
  }

  beforeAll(async () => {
    lab = await startLab(LAB);
  });
  afterAll(async () => {
    if (lab) await tearDown(lab);
  });

  it('delay no KEEPALIVE, and end no session', async () => {
    const before = await state();
    const stuck = Array.from({ length: STUCK }, takeNothing);
    const until = performance.now() + LOAD;
    const leavers = Array.from({ length: LEAVERS }, () => leaveHalfWay(until));
    const answers = await Promise.all(Array.from({ length: CLIENTS }, (_, index) => hammer(index, until)));
    await Promise.all(leavers);
    const after = await state();
    for (const socket of stuck) socket.destroy();
    expect(Math.min(...answers)).toBeGreaterThan(0);
    expect(after.sent - before.sent).toBeGreaterThan(4);
    expect(after.inTime - before.inTime).toBe(after.sent - before.sent);
    expect(after.sessions).toEqual(before.sessions.map((session) => ({ ...session, state: 'established' })));
  });
});
