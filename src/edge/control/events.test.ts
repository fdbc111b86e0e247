import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ControlClient } from './client.js';
import { MOST_STREAMS } from './event-streams.js';
import { type ControlEvent, EVENT_KINDS, EventFrames, eventFrame } from './events.js';
import { HANDLERS } from './samples.fixture.js';
import { type ControlServer, serveControl } from './server.js';

const AT = '2026-01-02T03:04:05.678Z';
const session = (neighbor: string): ControlEvent => ({
  ...{ kind: 'session', at: AT, neighbor, from: 'idle', to: 'connect', reason: null },
});
const QUALITY: ControlEvent = { kind: 'link-quality', at: AT, interface: 'up1', from: 7, to: 3, load: 60, queue: 10 };

describe('EventFrames', () => {
  it('puts together what comes in pieces, and leaves out signs of life', () => {
    const text = `${eventFrame(session('a'))}: alive\n\n${eventFrame(QUALITY)}`;
    for (const size of [1, 7, 100, 10_000]) {
      const frames = new EventFrames();
      const data: string[] = [];
      for (let at = 0; at < text.length; at += size) data.push(...frames.push(text.slice(at, at + size)));
      expect(data.map((one) => JSON.parse(one))).toEqual([session('a'), QUALITY]);
    }
  });
});

describe('GET /events', () => {
  let directory: string;
  let path: string;
  let server: ControlServer;
  const listeners = new Set<(event: ControlEvent) => void>();
  const tell = (event: ControlEvent): void => {
    for (const listener of listeners) listener(event);
  };
  const watching = (count: number) => expect.poll(() => listeners.size).toBe(count);

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'heddle-events-'));
    path = join(directory, 'leaf1.sock');
    const watch = (listener: (event: ControlEvent) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    };
    server = await serveControl({ path, handlers: { ...HANDLERS, watch } });
  });

  afterEach(async () => {
    await server.close();
    await watching(0);
    rmSync(directory, { recursive: true });
  });

  it('tells of the kinds that were asked for, and ends with the daemon', async () => {
    const told: ControlEvent[] = [];
    const done = (async () => {
      for await (const event of new ControlClient(path).events(['link-quality'])) told.push(event);
    })();
    await watching(1);
    tell(session('a'));
    tell(QUALITY);
    await expect.poll(() => told).toEqual([QUALITY]);
    await server.close();
    await done;
    expect(told).toEqual([QUALITY]);
  });

  it('is left at once when the client does not want it any more', async () => {
    const leave = new AbortController();
    const events = new ControlClient(path).events(EVENT_KINDS, leave.signal);
    const first = events.next();
    await watching(1);
    tell(session('a'));
    expect((await first).value).toEqual(session('a'));
    const second = events.next();
    leave.abort();
    expect(await second).toEqual({ done: true, value: undefined });
  });

  it('counts what a client does not take, and says so once it takes again', async () => {
    const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      request({ socketPath: path, path: '/events', agent: false }, resolve).once('error', reject).end();
    });
    await watching(1);
    const told = 20_000;
    for (let n = 0; n < told; n++)
      tell(session(`neighbour ${n} of those whose names are long enough to fill a socket`));
    const frames = new EventFrames();
    const events: ControlEvent[] = [];
    response.setEncoding('utf8').on('data', (piece: string) => {
      events.push(...frames.push(piece).map((data): ControlEvent => JSON.parse(data)));
    });
    const lost = () => events.flatMap((event) => (event.kind === 'lost' ? [event.events] : []));
    await expect.poll(() => lost().length).toBe(1);
    expect(events.length - 1 + lost()[0]!).toBe(told);
    expect(lost()[0]).toBeGreaterThan(told / 2);
    response.destroy();
  });

  it('refuses one client too many, and kinds that there are not', async () => {
    const clients = Array.from({ length: MOST_STREAMS }, () => new AbortController());
    const many = clients.map(({ signal }) => new ControlClient(path).events(EVENT_KINDS, signal));
    const waiting = many.map((events) => events.next());
    await watching(MOST_STREAMS);
    const refused = new ControlClient(path).events(['move']).next();
    await expect(refused).rejects.toThrow(`${MOST_STREAMS} clients follow events already`);
    for (const client of clients) client.abort();
    await Promise.all(waiting);
    const get = (target: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = request({ socketPath: path, path: target, agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        sent.once('error', reject).end();
      });
    expect(await get('/events?kinds=weather')).toBe(400);
  });
});
