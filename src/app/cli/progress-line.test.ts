import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProgressLine } from './progress-line.js';

describe('the line that says how far work is', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => vi.useRealTimers());

  function lineOn(isTTY: boolean) {
    const out = Object.assign(new PassThrough(), { isTTY, columns: 120 }) as unknown as NodeJS.WriteStream;
    const written = () => String((out as unknown as PassThrough).read() ?? '').replaceAll('\r\u001b[K', '');
    return { line: new ProgressLine(4, out), written };
  }

  it('says what is left of the time when enough is done to tell', () => {
    const { line, written } = lineOn(true);
    vi.advanceTimersByTime(1_000);
    line.show('ecmp', 0.5, '10 us');
    expect(written()).toBe('[###.....................] 0/4  ecmp 50 % (10 us)');
    vi.advanceTimersByTime(9_000);
    line.show('ecmp', 0.8, '20 us');
    expect(written()).toBe('[#####...................] 0/4  40 s left  ecmp 80 % (20 us)');
    line.done('ecmp');
    expect(written()).toBe('[######..................] 1/4  30 s left');
    vi.advanceTimersByTime(90_000);
    line.show('conga', 0, '0 us');
    expect(written()).toContain('1/4  5 min left  conga 0 %');
  });

  it('is a line for each part that ends where there is no terminal', () => {
    const { line, written } = lineOn(false);
    line.show('ecmp', 0.5, '10 us');
    line.done('ecmp', 'failed');
    line.end();
    expect(written()).toBe('1/4 ecmp: failed\n');
  });
});
