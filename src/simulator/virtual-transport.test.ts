/** Streams over a virtual wire, without speakers. */
import { expect, it } from 'vitest';
import type { Stream } from '../core/ports/transport.js';
import { VirtualFabric } from './virtual-fabric.js';

async function connected() {
  const wires = [{ a: { node: 'a', interface: 'to-b' }, b: { node: 'b', interface: 'to-a' } }];
  const shape = { routers: [], hosts: ['a', 'b'], wires };
  const fabric = new VirtualFabric(shape, { seed: 1, delay: 0.01, log: () => ({ write: () => {} }) });
  fabric.raiseLinks();
  await fabric.clock.runUntil(1500);
  const [a, b] = [fabric.node('a'), fabric.node('b')];
  const heard: string[] = [];
  await b.transport.listen(179, (stream) =>
    stream.start({
      data: (bytes) => void heard.push(new TextDecoder().decode(bytes)),
      drain: () => {},
      closed: (error) => void heard.push(error ? `error: ${error.message}` : 'end'),
    }),
  );
  const target = { interfaceName: 'to-b', local: a.links.byIndex(1)!.linkLocal!, port: 179 };
  const opening = a.transport.connect(
    { ...target, remote: b.links.byIndex(1)!.linkLocal! },
    new AbortController().signal,
  );
  let near: Stream | undefined;
  void opening.then((stream) => {
    near = stream;
  });
  await fabric.clock.runUntil(1501);
  near!.start({ data: () => {}, drain: () => {}, closed: () => {} });
  return { fabric, near: near!, heard };
}

const bytes = (text: string) => new TextEncoder().encode(text);

it('sends what waits behind a segment on its way as one segment', async () => {
  const { fabric, near, heard } = await connected();
  for (const text of ['a', 'b', 'c', 'd']) near.write(bytes(text));
  await fabric.clock.runUntil(1502);
  expect(heard).toEqual(['a', 'bcd']);
  expect(near.pending).toBe(0);
});

it('resets behind a segment that is on its way', async () => {
  const { fabric, near, heard } = await connected();
  near.write(bytes('a'));
  near.destroy();
  await fabric.clock.runUntil(1502);
  expect(heard).toEqual(['a', 'error: connection reset by peer']);
});

it('sends a segment that met a dead wire again, and what came meanwhile behind it', async () => {
  const { fabric, near, heard } = await connected();
  fabric.silence('a', 'b');
  near.write(bytes('a'));
  await fabric.clock.runUntil(1600);
  near.write(bytes('b'));
  fabric.silence('a', 'b', false);
  await fabric.clock.runUntil(1690);
  expect(heard).toEqual([]);
  await fabric.clock.runUntil(1702);
  expect(heard).toEqual(['a', 'b']);
});
