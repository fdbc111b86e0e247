import { describe, expect, it } from 'vitest';
import type { Move } from '../../../core/ebpf-plane/tables.js';
import { parsePrefix } from '../../../core/net/prefix.js';
import type { Selection } from '../../../core/rib/types.js';
import type { WatchedSession } from '../../../core/speaker/session-watcher.js';
import type { ControlEvent } from '../../../edge/control/events.js';
import { BestPathEvents } from './best-path-events.js';
import { EventHub, type EventSource } from './event-hub.js';
import { MoveEvents, type MovingPlane } from './move-events.js';
import { FibEvents, LinkQualityEvents, type WatchedLink } from './sampled-events.js';
import { SessionEvents } from './session-events.js';

const at = '2026-01-02T03:04:05.678Z';
const now = () => at;
const PREFIXES = Array.from({ length: 10 }, (_, n) => parsePrefix(`2001:db8:${n}::/48`)!);

describe('EventHub', () => {
  it('looks at its sources while anybody watches, and tells everybody', () => {
    const calls: string[] = [];
    const event: ControlEvent = { kind: 'lost', at, of: 'any', events: 1 };
    const source: EventSource = {
      begin: () => void calls.push('begin'),
      look: () => [event],
      end: () => void calls.push('end'),
    };
    const hub = new EventHub([source]);
    const told: string[] = [];
    const first = hub.watch(() => told.push('first'));
    const second = hub.watch(() => told.push('second'));
    hub.look();
    first();
    first();
    hub.look();
    expect(calls).toEqual(['begin']);
    second();
    expect(calls).toEqual(['begin', 'end']);
    expect(told).toEqual(['first', 'second', 'second']);
  });
});

describe('SessionEvents', () => {
  const session = { name: 'fe80::1%up1', summary: () => ({ lastDown: { message: 'hold timer expired' } }) };
  const watched = session as unknown as WatchedSession;

  it('keeps what happens while somebody watches, up to a thousand', () => {
    const events = new SessionEvents(now);
    events.stateChanged(watched, 'idle', 'connect');
    expect(events.look()).toEqual([]);
    events.begin();
    events.stateChanged(watched, 'open-confirm', 'established');
    events.stateChanged(watched, 'established', 'idle');
    const told = { kind: 'session', at, neighbor: session.name };
    expect(events.look()).toEqual([
      { ...told, from: 'open-confirm', to: 'established', reason: null },
      { ...told, from: 'established', to: 'idle', reason: 'hold timer expired' },
    ]);
    for (let n = 0; n < 1005; n++) events.stateChanged(watched, 'idle', 'connect');
    const many = events.look();
    expect(many.length).toBe(1001);
    expect(many.at(-1)).toEqual({ kind: 'lost', at, of: 'session', events: 5 });
    expect(events.look()).toEqual([]);
  });
});

describe('BestPathEvents', () => {
  const held = new Map<number, number>();
  const add = (id: number, by: number) => void held.set(id, (held.get(id) ?? 0) + by);
  const path = (interfaceName: string) => ({ local: false, interfaceName }) as Selection['primary'][number];
  const rib = {
    hold: (id: number) => add(id, 1),
    release: (id: number) => add(id, -1),
    selection: (id: number): Selection => ({
      ...{ prefix: PREFIXES[id % PREFIXES.length]!, best: path('up1'), primary: [path('up1')] },
      ...{ fallback: [path('up2')], decidedBy: 'aigp', origin: 65001, colour: 1 },
    }),
  };
  const idle = () => [...held.values()].every((count) => count === 0);

  it('tells a prefix that changed twice once, and holds it until then', () => {
    const events = new BestPathEvents(rib, now);
    events.prefixesChanged(Uint32Array.of(1, 2), 2);
    expect(events.look()).toEqual([]);
    events.begin();
    events.prefixesChanged(Uint32Array.of(7, 8, 7, 9), 3);
    expect(held.get(7)).toBe(1);
    const told = { kind: 'best-path', at, colour: 1, local: false, preferred: ['up1'], fallback: ['up2'] };
    expect(events.look()).toEqual(
      ['7', '8'].map((n) => ({ ...told, prefix: `2001:db8:${n}::/48`, decidedBy: 'aigp' })),
    );
    expect(idle()).toBe(true);
    events.prefixesChanged(Uint32Array.of(3), 1);
    events.end();
    expect(idle()).toBe(true);
  });

  it('tells a thousand at a time, and how many were too many', () => {
    const events = new BestPathEvents(rib, now);
    events.begin();
    events.prefixesChanged(
      Uint32Array.from({ length: 10_500 }, (_, id) => id),
      10_500,
    );
    const first = events.look();
    expect(first.length).toBe(1001);
    expect(first.at(-1)).toEqual({ kind: 'lost', at, of: 'best-path', events: 500 });
    for (let look = 0; look < 9; look++) expect(events.look().length).toBe(1000);
    expect(events.look()).toEqual([]);
    expect(idle()).toBe(true);
  });
});

describe('what is sampled', () => {
  it('is told when it is not as it was', () => {
    let fib = { installed: 1, pending: 1, failed: 0, written: { nextHops: 1, groups: 1, routes: 1 } };
    const events = new FibEvents(() => fib, now);
    events.begin();
    expect(events.look()).toEqual([]);
    fib = { ...fib, installed: 2, pending: 0 };
    expect(events.look()).toEqual([{ kind: 'fib', at, ...fib }]);
    expect(events.look()).toEqual([]);
  });

  it('tells of a link whose band changed, not of one that is new', () => {
    const link: WatchedLink = { interface: 'up1', quality: 7, load: 5, queue: 0 };
    let links = [link];
    const events = new LinkQualityEvents(() => links, now);
    events.begin();
    links = [
      { ...link, quality: 3, load: 60 },
      { ...link, interface: 'up2' },
    ];
    expect(events.look()).toEqual([{ kind: 'link-quality', at, interface: 'up1', from: 7, to: 3, load: 60, queue: 0 }]);
    expect(events.look()).toEqual([]);
  });
});

describe('MoveEvents', () => {
  const move = (gap: number): Move => ({ time: 5n, gap: BigInt(gap), class: 0, flowset: 17, from: 1, to: 2 });
  const ring: Move[] = [];
  let counted = 40n;
  const plane: MovingPlane = {
    takeMoves: () => ring.splice(0),
    moves: () => counted,
    port: (number) => (number === 2 ? { interface: 'up2', gateway: 'fe80::2' } : null),
    inactivity: 128_000,
  };
  const time = { now, at: (nanoseconds: bigint) => `at ${nanoseconds}` };

  it('tells of moves, of those that may reorder, and of those that the ring had no room for', () => {
    const events = new MoveEvents(() => plane, time);
    ring.push(move(1));
    events.begin();
    expect(events.look()).toEqual([]);
    ring.push(move(128_000), move(128_001));
    counted += 2n;
    const told = { kind: 'move', at: 'at 5', flowset: 17, from: null, to: { interface: 'up2', gateway: 'fe80::2' } };
    expect(events.look()).toEqual([
      { ...told, pauseMs: 0.128, reorderRisk: true },
      { ...told, pauseMs: 0.128001, reorderRisk: false },
    ]);
    ring.push(move(200_000));
    counted += 8n;
    expect(events.look().at(-1)).toEqual({ kind: 'lost', at, of: 'move', events: 7 });
    // A port went, and its counter with it.
    counted = 3n;
    expect(events.look()).toEqual([]);
    ring.push(move(200_000));
    counted = 4n;
    expect(events.look()).toEqual([{ ...told, pauseMs: 0.2, reorderRisk: false }]);
  });

  it('takes every move for a risk where nothing pauses, and has none without a plane', () => {
    const { inactivity: _, ...rest } = plane;
    const events = new MoveEvents(() => ({ ...rest, inactivity: undefined }), time);
    events.begin();
    ring.push(move(1e9));
    counted += 1n;
    expect(events.look()).toMatchObject([{ reorderRisk: true }]);
    expect(new MoveEvents(() => undefined, time).look()).toEqual([]);
  });
});
