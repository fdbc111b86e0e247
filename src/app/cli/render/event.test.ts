import { describe, expect, it } from 'vitest';
import type { ControlEvent } from '../../../edge/control/events.js';
import { renderEvent } from './event.js';
import { plainPaint } from './paint.js';

const at = '2026-01-02T03:04:05.678Z';
const PORT = { interface: 'up1', gateway: 'fe80::1' };
const PATH = { kind: 'best-path', at, prefix: 'fc00::/64', colour: 1, local: false, decidedBy: 'aigp' } as const;

describe('renderEvent', () => {
  it.each<[ControlEvent, string]>([
    [
      { ...PATH, preferred: ['up1'], fallback: ['up2', 'up3'] },
      'best-path     fc00::/64  up1, behind it up2 up3  (aigp)',
    ],
    [{ ...PATH, preferred: [], fallback: [], decidedBy: null }, 'best-path     fc00::/64  no path'],
    [{ ...PATH, local: true, preferred: [], fallback: [] }, 'best-path     fc00::/64  our own'],
    [
      { kind: 'fib', at, installed: 4, pending: 2, failed: 0, written: { nextHops: 1, groups: 1, routes: 4 } },
      'fib           4 prefixes in the kernel, 2 on their way, 0 failed',
    ],
    [
      { kind: 'link-quality', at, interface: 'up1', from: 7, to: 3, load: 61.4, queue: 9.6 },
      'link-quality  up1  7 -> 3  load 61%, queue 10%',
    ],
    [
      { kind: 'move', at, flowset: 17, from: null, to: PORT, pauseMs: 0.2, reorderRisk: true },
      'move          flowset 17  - -> up1  after 0.200 ms  may reorder',
    ],
    [
      { kind: 'lost', at, of: 'move', events: 9 },
      'lost          9 events of kind move are not shown: they came too fast',
    ],
  ])('%o', (event, line) => {
    expect(renderEvent(event, plainPaint)).toBe(`03:04:05.678  ${line}`);
  });
});
