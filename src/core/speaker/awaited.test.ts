/** The words for what a start waits for. */
import { describe, expect, it } from 'vitest';
import { awaited } from './awaited.js';

const up = (name: string) => ({ name, isUp: true });
const down = (name: string) => ({ name, isUp: false });
const DONE = { owners: [up('eth1')], withoutEndOfRib: [], tablesIdle: true, kernelIdle: true };

describe('what a start waits for', () => {
  it('is nothing once all is done', () => {
    expect(awaited(DONE)).toEqual([]);
  });

  it('is a link, where none is up', () => {
    expect(awaited({ ...DONE, owners: [] })).toEqual(['a fabric link or a neighbor that is up']);
  });

  it('names who has no session and who owes its End-of-RIB, four of them at most', () => {
    const owners = [up('eth1'), ...['eth2', 'eth3', 'eth4', 'eth5', 'eth6', 'eth7'].map(down)];
    expect(awaited({ ...DONE, owners, withoutEndOfRib: ['fe80::1%eth1'] })).toEqual([
      'a session with eth2, eth3, eth4, eth5 and 2 more',
      'End-of-RIB from fe80::1%eth1',
    ]);
  });

  it('is our own work at last', () => {
    expect(awaited({ ...DONE, tablesIdle: false, kernelIdle: false })).toEqual(['the choice of paths', 'the kernel']);
  });
});
