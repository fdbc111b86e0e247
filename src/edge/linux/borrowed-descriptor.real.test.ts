import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { writeAs } from './borrowed-descriptor.js';

const unusable = process.getuid?.() === 0 ? undefined : 'root is needed to write as another process';
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('a descriptor of another process', () => {
  it('is written to among what that process writes', async () => {
    const server = createServer().listen(0, '::1');
    await once(server, 'listening');
    const accepted = once(server, 'connection');
    const { port } = server.address() as AddressInfo;
    const client = connect(port, '::1');
    const [[socket]] = (await Promise.all([accepted, once(client, 'connect')])) as [[Socket], unknown];
    const heard = once(socket, 'data');
    expect(writeAs(process.pid, descriptorOf(client), Uint8Array.of(1, 2, 3))).toBe(true);
    expect(await heard).toEqual([Buffer.of(1, 2, 3)]);
    client.destroy();
    server.close();
  });

  it('is gone where there is none', () => {
    expect(writeAs(process.pid, 60_000, new Uint8Array(1))).toBe(false);
    expect(writeAs(4_000_000, 1, new Uint8Array(1))).toBe(false);
  });
});

function descriptorOf(socket: Socket): number {
  return (socket as unknown as { readonly _handle: { readonly fd: number } })._handle.fd;
}
