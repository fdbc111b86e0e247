/** Streams over a virtual wire, without speakers. */
import { expect, it } from 'vitest';
import type { Stream } from '../core/ports/transport.js';
import { Impairment } from './impairment.js';
import { Suspension } from './suspension.js';
import { VirtualFabric } from './virtual-fabric.js';

/** Two hosts on a wire, which has come up; nobody listens yet. */
async function wired() {
  const wires = [{ a: { node: 'a', interface: 'to-b' }, b: { node: 'b', interface: 'to-a' } }];
  const shape = { routers: [], hosts: ['a', 'b'], wires };
  const fabric = new VirtualFabric(shape, { seed: 1, delay: 0.01, log: () => ({ write: () => {} }) });
  fabric.raiseLinks();
  await fabric.clock.runUntil(1500);
  const [a, b] = [fabric.node('a'), fabric.node('b')];
  const [near, far] = [a.links.byIndex(1)!, b.links.byIndex(1)!];
  const target = { interfaceName: 'to-b', local: near.linkLocal!, remote: far.linkLocal!, port: 179 };
  return { fabric, a, b, far, target };
}

async function connected(suspension = new Suspension()) {
  const { fabric, a, b, target } = await wired();
  const heard: string[] = [];
  await suspension.transport(b.transport).listen(179, (stream) =>
    stream.start({
      data: (bytes) => void heard.push(new TextDecoder().decode(bytes)),
      drain: () => {},
      closed: (error) => void heard.push(error ? `error: ${error.message}` : 'end'),
    }),
  );
  const opening = a.transport.connect(target, new AbortController().signal);
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

it('keeps what comes for a stopped process as it came', async () => {
  const suspension = new Suspension();
  const { fabric, near, heard } = await connected(suspension);
  suspension.suspend();
  for (const text of ['a', 'b', 'c', 'd', 'e', 'f']) {
    near.write(bytes(text));
    near.write(bytes(text.toUpperCase()));
    await fabric.clock.runUntil(fabric.clock.now() + 0.015);
  }
  await fabric.clock.runUntil(1502);
  suspension.resume();
  expect(heard.join('')).toBe('aAbBcCdDeEfF');
  expect(heard.filter((segment) => segment.length > 1).length).toBeGreaterThan(1);
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

it('closes a stream that was ended when nobody takes what is left of it', async () => {
  const { fabric, near, heard } = await connected();
  fabric.silence('a', 'b');
  near.write(bytes('a'));
  near.end();
  await fabric.clock.runUntil(6500);
  expect(fabric.node('a').transport.openStreams).toBe(1);
  await fabric.clock.runUntil(6502);
  expect(fabric.node('a').transport.openStreams).toBe(0);
  fabric.silence('a', 'b', false);
  await fabric.clock.runUntil(7000);
  expect(heard).toEqual(['a', 'error: connection reset by peer']);
  expect(fabric.node('b').transport.openStreams).toBe(0);
});

it('resets a stream whose answer comes behind the refusal of an earlier SYN', async () => {
  const { fabric, a, b, far, target } = await wired();
  // The refusal takes 250 ms, the answer to the SYN after it, sent 200 ms later, 200 ms.
  const draws = [0, 0.5, 0, 0.4];
  far.cable!.impair(far, new Impairment({ reordering: 1, jitter: 500 }, { next: () => draws.shift() ?? 0 }));
  const opening = a.transport.connect(target, new AbortController().signal).catch((error: Error) => error.message);
  await fabric.clock.runUntil(1600);
  const closed: (string | undefined)[] = [];
  await b.transport.listen(179, (stream) =>
    stream.start({ data: () => {}, drain: () => {}, closed: (error) => closed.push(error?.message) }),
  );
  await fabric.clock.runUntil(1740);
  expect(b.transport.openStreams).toBe(1);
  await fabric.clock.runUntil(2000);
  expect(await opening).toBe('connection refused');
  expect([a.transport.openStreams, b.transport.openStreams]).toEqual([0, 0]);
  expect(closed).toEqual(['connection reset by peer']);
});
