import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../../core/net/address.js';
import type { Stream } from '../../core/ports/transport.js';
import { TcpTransport } from './tcp-transport.js';

const LOOPBACK = parseAddress('::1')!;
const transport = new TcpTransport();
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '::1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** The port that it listens on: another one where somebody has taken the free one in the meantime. */
async function listen(accept: (stream: Stream) => void = () => {}): Promise<number> {
  for (;;) {
    const port = await freePort();
    try {
      const listener = await transport.listen(port, accept);
      cleanups.push(() => listener.close());
      return port;
    } catch (error) {
      if (!String(error).includes('is in use')) throw error;
    }
  }
}

function target(port: number, interfaceName = '') {
  return { interfaceName, local: LOOPBACK, remote: LOOPBACK, port };
}

/** What a stream reports, and promises for the moments a test waits for. */
function observe(stream: Stream) {
  const received: Uint8Array[] = [];
  const ends: (Error | undefined)[] = [];
  let drains = 0;
  let tell = (): void => {};
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        tell = resolve;
      });
    }
  };
  stream.start({
    data: (bytes) => {
      received.push(bytes);
      tell();
    },
    drain: () => {
      drains++;
      tell();
    },
    closed: (error) => {
      ends.push(error);
      tell();
    },
  });
  cleanups.push(() => stream.destroy());
  return {
    ends,
    until,
    drains: () => drains,
    octets: () => received.reduce((total, bytes) => total + bytes.length, 0),
    received: () => [...Buffer.concat(received)],
  };
}

/** The promise is wrapped, for an `async` function would wait for it. */
async function accepting(): Promise<{ port: number; accepted: Promise<Stream> }> {
  let resolve: (stream: Stream) => void = () => {};
  const accepted = new Promise<Stream>((settle) => {
    resolve = settle;
  });
  return { port: await listen(resolve), accepted };
}

async function pair(): Promise<{ near: Stream; far: Stream }> {
  const { port, accepted } = await accepting();
  const near = await transport.connect(target(port), new AbortController().signal);
  return { near, far: await accepted };
}

describe('streams over loopback', () => {
  it('carry bytes both ways and name both ends', async () => {
    const { near, far } = await pair();
    const atNear = observe(near);
    const atFar = observe(far);
    expect(near.write(Uint8Array.of(1, 2, 3))).toBe(true);
    far.write(Uint8Array.of(9));
    await atFar.until(() => atFar.octets() === 3);
    await atNear.until(() => atNear.octets() === 1);
    expect(atFar.received()).toEqual([1, 2, 3]);
    expect(formatAddress(far.remote)).toBe('::1');
    expect([far.remotePort, far.localPort]).toEqual([near.localPort, near.remotePort]);
    expect(far.interfaceName).toBe('');
  });

  it('flush what is queued before the end, and report the end once on both sides', async () => {
    const { near, far } = await pair();
    const atNear = observe(near);
    const atFar = observe(far);
    const message = new Uint8Array(1 << 20).fill(7);
    near.write(message);
    near.end();
    near.end();
    expect(near.write(Uint8Array.of(1))).toBe(false);
    await atFar.until(() => atFar.ends.length > 0);
    await atNear.until(() => atNear.ends.length > 0);
    expect(atFar.octets()).toBe(message.length);
    expect(atFar.ends).toEqual([undefined]);
    expect(atNear.ends).toEqual([undefined]);
  });

  it('say when the reader is slow, how much waits, and when it is gone', async () => {
    const { near, far } = await pair();
    const atNear = observe(near);
    const block = new Uint8Array(8 << 20);
    expect(near.write(block)).toBe(false);
    expect(near.pending).toBeGreaterThan(0);
    const atFar = observe(far);
    await atNear.until(() => atNear.drains() > 0);
    expect(near.pending).toBe(0);
    await atFar.until(() => atFar.octets() === block.length);
  });

  it('end with a plain reason when the other side resets', async () => {
    const { port, accepted } = await accepting();
    const client = connect(port, '::1');
    const stream = await accepted;
    const seen = observe(stream);
    client.resetAndDestroy();
    await seen.until(() => seen.ends.length > 0);
    expect(seen.ends.map((error) => error?.message)).toEqual(['reset by the neighbour']);
  });

  it('report an end that happened before they were started, after the caller is done', async () => {
    const { near } = await pair();
    near.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    const seen = observe(near);
    expect(seen.ends).toEqual([]);
    await seen.until(() => seen.ends.length === 1);
    expect(seen.ends).toEqual([undefined]);
  });
});

describe('failures in plain words', () => {
  it('port in use', async () => {
    const port = await listen();
    await expect(transport.listen(port, () => {})).rejects.toThrow(
      `port ${port} is in use by another program (address ::)`,
    );
  });

  it('nothing listens', async () => {
    const port = 1;
    await expect(transport.connect(target(port), new AbortController().signal)).rejects.toThrow(
      `::1 refused: nothing listens on its port ${port}`,
    );
  });

  it('an address of ours that is not there', async () => {
    const from = { ...target(179), local: parseAddress('2001:db8::77')! };
    await expect(transport.connect(from, new AbortController().signal)).rejects.toThrow(
      'our address 2001:db8::77 is not there or not usable yet',
    );
  });

  it('an interface that does not exist', async () => {
    const linkLocal = parseAddress('fe80::1')!;
    const nowhere = { interfaceName: 'no-such-if', local: linkLocal, remote: linkLocal, port: 179 };
    await expect(transport.connect(nowhere, new AbortController().signal)).rejects.toThrow(
      'no way to fe80::1%no-such-if: there is no interface no-such-if',
    );
  });

  it('an attempt that is given up', async () => {
    const port = await listen();
    const attempt = new AbortController();
    const connecting = transport.connect(target(port), attempt.signal);
    attempt.abort();
    await expect(connecting).rejects.toThrow('given up');
    await expect(transport.connect(target(port), attempt.signal)).rejects.toThrow('given up');
  });
});

describe('streams that wait for their turn to be read', () => {
  /** Keeps the thread busy for longer than a turn of reading is. */
  function keepBusy(): void {
    for (const end = performance.now() + 30; performance.now() < end; );
  }

  /** Two clients say something at the same time; what the second one said waits while that of the first to be read keeps the thread busy. */
  async function waitingBehind(work: (second: Stream) => void): Promise<string[]> {
    const streams: Stream[] = [];
    const port = await listen((stream) => streams.push(stream));
    const clients = [connect(port, '::1'), connect(port, '::1')];
    for (const client of clients) {
      cleanups.push(() => client.destroy());
      client.on('error', () => {});
    }
    await expect.poll(() => streams.length).toBe(2);
    const seen: string[] = [];
    let second: Stream | undefined;
    for (const stream of streams) {
      stream.start({
        data: (bytes) => {
          if (stream === second) seen.push(new TextDecoder().decode(bytes));
          if (second !== undefined) return;
          second = streams.find((other) => other !== stream)!;
          keepBusy();
          work(second);
        },
        drain: () => {},
        closed: () => stream === second && seen.push('closed'),
      });
    }
    for (const client of clients) client.end('bye');
    await expect.poll(() => seen.includes('closed')).toBe(true);
    return seen;
  }

  it('have what came before the end delivered before it', async () => {
    expect(await waitingBehind(() => {})).toEqual(['bye', 'closed']);
  });

  it('are dropped with what waits when they are destroyed meanwhile', async () => {
    expect(await waitingBehind((second) => second.destroy())).toEqual(['closed']);
  });
});
