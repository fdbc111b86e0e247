import { describe, expect, it } from 'vitest';
import { GivenUp, within } from './limit.js';

/** Fails in its own way once it is told to end. */
function slow(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('cut off')));
  });
}

describe('a limit', () => {
  const name = 'GoBGP';
  const { signal } = new AbortController();

  it('is nothing to who is done before', async () => {
    expect(await within({ seconds: 60, name, signal }, async () => 1)).toBe(1);
    await expect(within({ seconds: 60, name, signal }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('gives up who is not', async () => {
    const given = within({ seconds: 0.01, name, signal }, slow);
    await expect(given).rejects.toThrow('GoBGP was given up after 0.01 s');
    await expect(given).rejects.toBeInstanceOf(GivenUp);
  });

  it('is no reason when everything ends', async () => {
    const all = new AbortController();
    const work = within({ seconds: 60, name, signal: all.signal }, slow);
    all.abort(new Error('interrupted'));
    await expect(work).rejects.toThrow('interrupted');
  });
});
