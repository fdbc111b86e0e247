import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SystemClock } from './system-clock.js';
import { SystemRandom } from './system-random.js';

const clock = new SystemClock();
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('SystemClock', () => {
  it('wakes once, never before the time', () => {
    const woken: number[] = [];
    const at = clock.now() + 20.4;
    clock.schedule(at, () => woken.push(clock.now()));
    vi.advanceTimersByTime(20);
    expect(woken).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(woken).toHaveLength(1);
    expect(woken[0]).toBeGreaterThanOrEqual(at);
  });

  it('does not wake when it was cancelled', () => {
    const wake = vi.fn();
    clock.schedule(clock.now() + 5, wake)();
    vi.advanceTimersByTime(100);
    expect(wake).not.toHaveBeenCalled();
  });

  it('waits longer than a Node timer can', () => {
    const wake = vi.fn();
    const days = 30 * 24 * 3600 * 1000;
    clock.schedule(clock.now() + days, wake);
    vi.advanceTimersByTime(days - 1000);
    expect(wake).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2000);
    expect(wake).toHaveBeenCalledOnce();
  });

  it('wakes for a time that is past', () => {
    const wake = vi.fn();
    clock.schedule(clock.now() - 50, wake);
    vi.advanceTimersByTime(0);
    expect(wake).toHaveBeenCalledOnce();
  });
});

describe('SystemRandom', () => {
  it('draws from [0, 1)', () => {
    const random = new SystemRandom();
    for (let i = 0; i < 100; i++) {
      const value = random.next();
      expect(value >= 0 && value < 1).toBe(true);
    }
  });
});
