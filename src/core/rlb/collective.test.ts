import { describe, expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { bandwidthOf, megabits, TRAFFIC_PATTERNS, type TrafficPattern } from './bus-bandwidth.js';
import { addWords, type Collective, collectiveOf, type Send } from './collective.js';

interface Rank {
  readonly collective: Collective;
  readonly memory: Uint32Array;
  received: number;
}

/** Plays a job with messages that arrive one at a time, in the order of each pair of ranks. `pick` says whose is next. */
function play(
  pattern: TrafficPattern,
  ranks: number,
  { words, pick }: { words: number; pick: (count: number) => number },
) {
  const members = Array.from({ length: ranks }, (_, rank): Rank => {
    const collective = collectiveOf(pattern, { rank, ranks, words, seed: 5 });
    const memory = new Uint32Array(collective.memory);
    collective.fill(memory);
    return { collective, memory, received: 0 };
  });
  const waiting: { from: number; send: Send }[] = members.flatMap(({ collective }, from) =>
    collective.start().map((send) => ({ from, send })),
  );
  let carried = 0;
  while (waiting.length > 0) {
    const heads = waiting.filter(
      (one, index) => waiting.findIndex(({ from, send }) => from === one.from && send.to === one.send.to) === index,
    );
    const next = heads[pick(heads.length)]!;
    waiting.splice(waiting.indexOf(next), 1);
    const { from, send } = next;
    const receiver = members[send.to]!;
    receiver.memory.set(members[from]!.memory.subarray(send.from, send.from + send.words), send.into);
    receiver.received++;
    carried += send.words;
    const step = receiver.collective.received(from);
    if (step.add) addWords(receiver.memory, step.add);
    waiting.push(...step.sends.map((more) => ({ from: send.to, send: more })));
  }
  return { members, carried };
}

describe('collectives', () => {
  it.each(TRAFFIC_PATTERNS)('%s ends with the right words everywhere, in whatever order messages arrive', (pattern) => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 6 }), fc.integer({ min: 0, max: 40 }), fc.nat(), (count, words, dice) => {
        const ranks = pattern === 'send' ? 2 : count;
        let state = dice;
        const pick = (choices: number) => {
          state = (Math.imul(state, 1103515245) + 12345) >>> 1;
          return state % choices;
        };
        const { members, carried } = play(pattern, ranks, { words, pick });
        for (const [rank, { collective, memory, received }] of members.entries()) {
          expect(received).toBe(collective.receipts);
          if (pattern !== 'send' || rank === 1) expect(collective.check(memory)).toBeUndefined();
        }
        if (pattern === 'all-reduce') expect(carried).toBe(2 * (ranks - 1) * words);
      }),
    );
  });

  it.each(TRAFFIC_PATTERNS)('%s finds a word that is wrong', (pattern) => {
    const { members } = play(pattern, 2, { words: 20, pick: () => 0 });
    const { collective, memory } = members[1]!;
    const at = pattern === 'all-to-all' ? 20 + 3 : 3;
    memory[at]! ^= 1;
    expect(collective.check(memory)).toEqual({ index: at, found: memory[at], expected: (memory[at]! ^ 1) >>> 0 });
  });
});

describe('bandwidth', () => {
  it.each([
    ['send', 2, 800, 800],
    ['all-reduce', 2, 800, 800],
    ['all-reduce', 8, 800, 1400],
    ['all-to-all', 8, 800, 700],
  ] as const)('%s of %i GPUs', (pattern, gpus, algorithm, bus) => {
    expect(bandwidthOf(pattern, gpus, { octets: 1_000_000, milliseconds: 10 })).toEqual({ algorithm, bus });
  });

  it('of no time is none', () => {
    expect(megabits(5, 0)).toBe(0);
  });
});
