import { describe, expect, it } from 'vitest';
import type { DownReason } from '../../../core/session/types.js';
import type { WatchedSession } from '../../../core/speaker/session-watcher.js';
import { downWord, linkWord, sessionWord } from './down-words.js';
import { SessionMeter } from './session-meter.js';

const SESSION = {} as WatchedSession;
const reason = (kind: DownReason['kind'], code?: number): DownReason => ({
  ...{ kind, message: 'gone' },
  ...(code !== undefined && { code }),
});

describe('SessionMeter', () => {
  it('counts drops by reason, with each reason there from the start', () => {
    const meter = new SessionMeter();
    expect(new Set(meter.drops.values())).toEqual(new Set([0]));
    const before = meter.drops.size;
    meter.down(SESSION, reason('notification-sent', 4));
    meter.down(SESSION, reason('notification-sent', 3));
    meter.down(SESSION, reason('notification-received', 4));
    meter.down(SESSION, reason('link-down'));
    meter.down(SESSION, reason('link-down'));
    expect(meter.drops.size).toBe(before);
    expect(Object.fromEntries([...meter.drops].filter(([, count]) => count > 0))).toEqual({
      'hold-timer-expired': 1,
      'notification-sent': 1,
      'notification-received': 1,
      'link-down': 2,
    });
  });

  it('has how late KEEPALIVEs were in seconds', () => {
    const meter = new SessionMeter();
    for (const late of [0, 0.2, 30, 700, 99_000]) meter.keepaliveDue(SESSION, late);
    const { buckets, sum } = meter.keepaliveLateness.counts;
    expect(sum).toBeCloseTo(99.7302);
    expect(buckets.filter(({ count }) => count > 0)).toEqual([
      { bound: 0.001, count: 2 },
      { bound: 0.05, count: 1 },
      { bound: 1, count: 1 },
      { bound: Number.POSITIVE_INFINITY, count: 1 },
    ]);
  });

  it('counts prefixes that are selected otherwise', () => {
    const meter = new SessionMeter();
    meter.prefixesChanged(new Uint32Array(8), 3);
    meter.prefixesChanged(new Uint32Array(8), 2);
    expect(meter.selectionChanges).toBe(5);
  });
});

describe('words for reasons', () => {
  it('say what holds a session before what ended it', () => {
    expect(sessionWord({ kind: 'shutdown' }, reason('administrative'))).toBe('shutdown');
    expect(sessionWord(undefined, reason('bfd-down', 6))).toBe('bfd-down');
    expect(sessionWord(undefined, undefined)).toBe('never-up');
    expect(downWord(reason('connect-failed'))).toBe('connect-failed');
  });

  it('have no addresses in them', () => {
    expect(linkWord('no carrier')).toBe('no-carrier');
    expect(linkWord('duplicate address: another node on the link uses fe80::1')).toBe('duplicate-address');
    expect(linkWord('link-local address fe80::1 is tentative (duplicate address detection)')).toBe(
      'no-link-local-address',
    );
    expect(linkWord('cannot open an ND socket')).toBe('unusable');
  });
});
