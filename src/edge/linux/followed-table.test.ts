import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FollowedTable } from './followed-table.js';
import type { NetlinkMessage } from './rtnetlink/message.js';

const message = (sequence: number) => ({ sequence }) as NetlinkMessage;
const event = (sequence: number) => ({ kind: 'message' as const, message: message(sequence) });
const OVERRUN = { kind: 'overrun' as const };

/** A kernel whose dumps are answered by hand. */
class Kernel {
  readonly did: string[] = [];
  readonly dumps: { answer(...sequences: number[]): void; fail(): void }[] = [];
  readonly table = new FollowedTable({
    read: () =>
      new Promise((resolve, reject) => {
        this.dumps.push({
          answer: (...sequences) => resolve(sequences.map(message)),
          fail: () => reject(new Error('no buffers')),
        });
      }),
    replace: (messages) => this.did.push(`replace ${messages.map(({ sequence }) => sequence).join(' ')}`),
    change: ({ sequence }) => this.did.push(`change ${sequence}`),
  });

  async opened(): Promise<this> {
    const reading = this.table.read();
    this.dumps[0]!.answer(1);
    await reading;
    return this;
  }
}

const settled = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a followed table', () => {
  it('applies what comes while it is dumped after the dump', async () => {
    const kernel = new Kernel();
    const reading = kernel.table.read();
    kernel.table.receive(event(7));
    expect(kernel.did).toEqual([]);
    kernel.dumps[0]!.answer(1, 2);
    await reading;
    kernel.table.receive(event(8));
    expect(kernel.did).toEqual(['replace 1 2', 'change 7', 'change 8']);
  });

  it('is dumped again when events were lost, once for several times', async () => {
    const kernel = await new Kernel().opened();
    for (let times = 0; times < 3; times++) kernel.table.receive(OVERRUN);
    await settled();
    expect(kernel.dumps).toHaveLength(2);
    kernel.table.receive(OVERRUN);
    kernel.dumps[1]!.answer(3);
    await settled();
    expect(kernel.dumps).toHaveLength(3);
    kernel.dumps[2]!.answer(4);
    await settled();
    expect(kernel.did).toEqual(['replace 1', 'replace 3', 'replace 4']);
  });

  it('is dumped a second later when a dump failed', async () => {
    const kernel = await new Kernel().opened();
    kernel.table.receive(OVERRUN);
    await settled();
    kernel.dumps[1]!.fail();
    await vi.advanceTimersByTimeAsync(999);
    expect(kernel.dumps).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(kernel.dumps).toHaveLength(3);
  });

  it('is left alone once it is closed', async () => {
    const kernel = await new Kernel().opened();
    kernel.table.receive(OVERRUN);
    await settled();
    kernel.dumps[1]!.fail();
    await settled();
    kernel.table.close();
    await vi.advanceTimersByTimeAsync(5000);
    expect(kernel.dumps).toHaveLength(2);
  });

  it('says at the first reading why there is none', async () => {
    const kernel = new Kernel();
    const reading = kernel.table.read();
    kernel.dumps[0]!.fail();
    await expect(reading).rejects.toThrow('no buffers');
  });
});
