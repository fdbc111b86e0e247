import { describe, expect, it } from 'vitest';
import { FLAG, MESSAGE, type NetlinkRequest, parseMessages } from './message.js';
import { RequestQueue } from './request-queue.js';

const REQUEST: NetlinkRequest = { type: MESSAGE.newRoute, flags: FLAG.create, payload: new Uint8Array(12) };
const FAILED = { code: 'ENETUNREACH', message: 'network is unreachable' };

/** A kernel that answers when told to. */
class Kernel {
  readonly datagrams: Uint8Array[] = [];
  private sequence = 100;
  readonly queue = new RequestQueue(
    (datagram) => this.datagrams.push(datagram),
    (count) => this.take(count),
  );

  private take(count: number): number {
    this.sequence += count;
    return this.sequence - count;
  }

  messages(index: number) {
    return parseMessages(this.datagrams[index]!);
  }

  /** Acknowledges the datagram; the requests at `failing` fail. */
  answer(index: number, failing: readonly number[] = []): void {
    const messages = this.messages(index);
    for (const at of failing) this.queue.answered(messages[at]!.sequence, FAILED);
    if (!failing.includes(messages.length - 1)) this.queue.answered(messages.at(-1)!.sequence, undefined);
  }
}

function requests(count: number): NetlinkRequest[] {
  return new Array<NetlinkRequest>(count).fill(REQUEST);
}

describe('request queue', () => {
  it('puts many messages into a datagram and asks for one acknowledgement', async () => {
    const kernel = new Kernel();
    const result = kernel.queue.add(requests(50));
    expect(kernel.datagrams).toHaveLength(1);
    const messages = kernel.messages(0);
    expect(messages.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 50 }, (_, index) => 100 + index));
    expect(messages.filter(({ flags }) => flags & FLAG.ack).map(({ sequence }) => sequence)).toEqual([149]);
    kernel.answer(0);
    expect(await result).toEqual([]);
  });

  it('lets payloads write themselves, between others', () => {
    const kernel = new Kernel();
    const written = { length: 5, write: (target: Uint8Array, at: number) => void target.fill(9, at, at + 5) };
    void kernel.queue.add([REQUEST, { ...REQUEST, payload: written }, { ...REQUEST, payload: Uint8Array.of(1, 2, 3) }]);
    expect(kernel.messages(0).map(({ payload }) => [...payload])).toEqual([
      new Array(12).fill(0),
      [9, 9, 9, 9, 9],
      [1, 2, 3],
    ]);
    expect(kernel.datagrams[0]).toHaveLength(28 + 24 + 20);
  });

  it('maps failures back to requests, the last of a datagram included', async () => {
    const kernel = new Kernel();
    const result = kernel.queue.add(requests(120));
    kernel.answer(0, [3]);
    kernel.answer(1, [0, 49]);
    kernel.answer(2, [19]);
    expect((await result).map(({ index }) => index)).toEqual([3, 50, 99, 119]);
  });

  it('keeps some datagrams in flight and sends the next as they are answered', async () => {
    const kernel = new Kernel();
    const result = kernel.queue.add(requests(600));
    expect(kernel.datagrams).toHaveLength(8);
    kernel.answer(0);
    expect(kernel.datagrams).toHaveLength(9);
    for (let index = 1; index < 12; index++) kernel.answer(index);
    expect(await result).toEqual([]);
  });

  it('cuts datagrams by size too', () => {
    const kernel = new Kernel();
    void kernel.queue.add(new Array<NetlinkRequest>(5).fill({ ...REQUEST, payload: new Uint8Array(20_000) }));
    expect(kernel.datagrams.map((_, index) => kernel.messages(index).length)).toEqual([1, 1, 1, 1, 1]);
  });

  it('keeps batches apart', async () => {
    const kernel = new Kernel();
    const first = kernel.queue.add(requests(2));
    const second = kernel.queue.add(requests(2));
    kernel.answer(1, [1]);
    kernel.answer(0);
    expect([await first, (await second).map(({ index }) => index)]).toEqual([[], [1]]);
  });

  it('resolves an empty batch without asking', async () => {
    const kernel = new Kernel();
    expect(await kernel.queue.add([])).toEqual([]);
    expect(kernel.datagrams).toEqual([]);
  });

  it('rejects all that waits when answers are lost, and goes on', async () => {
    const kernel = new Kernel();
    const waiting = [kernel.queue.add(requests(600)), kernel.queue.add(requests(1))];
    kernel.queue.abandon(new Error('answers were lost'));
    for (const result of waiting) await expect(result).rejects.toThrow('answers were lost');
    kernel.answer(0, [1]);
    const next = kernel.queue.add(requests(1));
    kernel.answer(8);
    expect(await next).toEqual([]);
  });
});
