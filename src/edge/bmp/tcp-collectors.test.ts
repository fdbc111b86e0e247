import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TcpCollectors } from './tcp-collectors.js';

let server: Server;
let sockets: Socket[];
let port: number;

beforeEach(async () => {
  sockets = [];
  server = createServer((socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  port = typeof address === 'object' && address ? address.port : 0;
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

function connected(signal = new AbortController().signal) {
  return new TcpCollectors().connect({ host: '127.0.0.1', port }, signal);
}

describe('a connection to a station', () => {
  it('carries what is written, whole, to an orderly end', async () => {
    const stream = await connected();
    stream.start({ data: () => {}, drain: () => {}, closed: () => {} });
    stream.write(Uint8Array.of(1, 2));
    stream.write(Uint8Array.of(3));
    stream.end();
    await expect.poll(() => sockets.length).toBe(1);
    let octets: number[] = [];
    sockets[0]!.on('data', (chunk) => {
      octets = [...octets, ...chunk];
    });
    await expect.poll(() => octets).toEqual([1, 2, 3]);
  });

  it('tells how much a station has not taken, and when there is room again', async () => {
    const stream = await connected();
    let drained = 0;
    stream.start({ data: () => {}, drain: () => drained++, closed: () => {} });
    await expect.poll(() => sockets.length).toBe(1);
    sockets[0]!.pause();
    let free = true;
    for (let i = 0; i < 1000 && free; i++) free = stream.write(new Uint8Array(65_536));
    expect(free).toBe(false);
    expect(stream.pending).toBeGreaterThan(0);
    sockets[0]!.resume();
    await expect.poll(() => drained).toBe(1);
    stream.destroy();
  });

  it('tells when the station is gone', async () => {
    const stream = await connected();
    let closed = 0;
    stream.start({ data: () => {}, drain: () => {}, closed: () => closed++ });
    await expect.poll(() => sockets.length).toBe(1);
    sockets[0]!.destroy();
    await expect.poll(() => closed).toBe(1);
  });

  it('fails in one word, and can be given up', async () => {
    const controller = new AbortController();
    const attempt = connected(controller.signal);
    controller.abort();
    await expect(attempt).rejects.toThrow('given up');
    server.close();
    const unused = { host: '127.0.0.1', port: 1 };
    await expect(new TcpCollectors().connect(unused, new AbortController().signal)).rejects.toThrow('ECONNREFUSED');
  });
});
