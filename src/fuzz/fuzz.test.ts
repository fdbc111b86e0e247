/** A bounded slice of `npm run fuzz`: the same inputs every time. */
import { describe, expect, it } from 'vitest';
import { SEED } from '../../test/harness/seed.js';
import { capturedSeeds, corpusInputs, corpusUpdates, octetsOf } from './corpus.js';
import { DecoderFuzzer } from './decoder-fuzzer.js';
import { DECODERS } from './decoders.js';
import { Finds } from './finds.js';
import { SessionFuzzer } from './session-fuzzer.js';
import { UpdateFuzzer } from './update-fuzzer.js';

const SLICE = { updates: 10_000, inputs: 200, sessions: 192 };

const captured = capturedSeeds();
const seeds = [...captured.updateBodies, ...corpusUpdates().map(({ body }) => octetsOf(body))];

describe.each([SEED, SEED + 1])('seed %i', (seed) => {
  it(`finds nothing in ${SLICE.updates} UPDATEs, and leaves nothing behind`, () => {
    const finds = new Finds();
    const fuzzer = new UpdateFuzzer({ seed, finds, seeds, guided: true });
    fuzzer.run(SLICE.updates);
    fuzzer.target.checkLevel();
    expect([...finds.found.values()]).toEqual([]);
    expect(Math.min(...fuzzer.target.outcomes)).toBeGreaterThan(SLICE.updates / 50);
    expect(fuzzer.target.told).toBeGreaterThan(0);
  });

  it('finds nothing in the other decoders', () => {
    const finds = new Finds();
    new DecoderFuzzer(seed, finds, { captured }).run(SLICE.inputs);
    expect([...finds.found.values()]).toEqual([]);
  });

  it(`finds nothing in ${SLICE.sessions} sessions`, async () => {
    const finds = new Finds();
    const fuzzer = new SessionFuzzer(seed, finds);
    await fuzzer.run(SLICE.sessions);
    expect([...finds.found.values()]).toEqual([]);
    expect(fuzzer.known).toBeGreaterThan(SLICE.sessions / 2);
  });
});

it('gives the same UPDATEs for the same seed', () => {
  const outcomes = [1, 2].map(() => {
    const fuzzer = new UpdateFuzzer({ seed: 5, finds: new Finds(), seeds, guided: true });
    fuzzer.run(2000);
    return [fuzzer.target.outcomes, fuzzer.interesting.features];
  });
  expect(outcomes[0]).toEqual(outcomes[1]);
});

describe('an input of the corpus', () => {
  it.each(corpusInputs())('$name ($source), for $decoder', ({ decoder, input }) => {
    DECODERS.find(({ name }) => name === decoder)!.read(octetsOf(input));
  });
});
