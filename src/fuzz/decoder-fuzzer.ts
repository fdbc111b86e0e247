/** Damaged inputs for one decoder after the other; what did something new is damaged further. */
import type { CapturedSeeds } from './corpus.js';
import { DECODERS, type Decoder } from './decoders.js';
import { Dice } from './dice.js';
import type { Finds } from './finds.js';
import { InterestingInputs } from './interesting-inputs.js';
import { mutate } from './mutate.js';
import { OctetWriter } from './octet-writer.js';

const MOST_OCTETS = 65535;
const PATIENCE = 100;
const TRIES = 3;

interface Track {
  readonly decoder: Decoder;
  readonly seeds: readonly Uint8Array[];
  readonly interesting: InterestingInputs;
  count: number;
}

export class DecoderFuzzer {
  slowest = 0;
  readonly tracks: readonly Track[];
  private readonly dice: Dice;
  private readonly writer = new OctetWriter(MOST_OCTETS);

  constructor(
    seed: number,
    private readonly finds: Finds,
    { captured, only }: { readonly captured: CapturedSeeds; readonly only?: string | undefined },
  ) {
    this.dice = new Dice(seed);
    this.tracks = DECODERS.filter(({ name }) => only === undefined || name === only).map((decoder) => ({
      decoder,
      seeds: decoder.seeds(captured),
      interesting: new InterestingInputs(),
      count: 0,
    }));
  }

  get count(): number {
    return this.tracks.reduce((sum, { count }) => sum + count, 0);
  }

  /** So many for each decoder, fewer for the slow ones. */
  run(count: number): void {
    for (const track of this.tracks)
      for (let left = Math.ceil(count / (track.decoder.seldom ?? 1)); left > 0; left--) this.one(track);
  }

  private one(track: Track): void {
    const { dice, writer } = this;
    const { decoder, seeds, interesting } = track;
    track.count++;
    writer.length = 0;
    writer.octets((dice.once(2) ? interesting.pick(dice) : undefined) ?? dice.pick(seeds));
    mutate(writer, dice, dice.pick(seeds));
    const octets = writer.written();
    const before = performance.now();
    try {
      if (interesting.isNew(decoder.read(octets))) interesting.keep(octets, dice);
    } catch (error) {
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      const kind = error instanceof Error ? error.message.replaceAll(/\d+|:.*/g, '').slice(0, 60) : 'an exception';
      this.finds.add(kind, decoder.name, { detail, input: octets });
    }
    const taken = performance.now() - before;
    if (taken > this.slowest) this.confirm(track, octets, taken);
  }

  /** A busy machine can stop anything: what was slow counts when it stays slow. */
  private confirm({ decoder }: Track, octets: Uint8Array, taken: number): void {
    let least = taken;
    for (let tries = 0; tries < TRIES; tries++) {
      const before = performance.now();
      try {
        decoder.read(octets);
      } catch {
        // Noted when it was read the first time.
      }
      least = Math.min(least, performance.now() - before);
    }
    if (least > this.slowest) this.slowest = least;
    if (least > PATIENCE)
      this.finds.add(`longer than ${PATIENCE} ms`, decoder.name, { detail: `${least} ms`, input: octets });
  }
}
