/**
 * UPDATEs without end: valid ones, valid ones with faults put in, and damaged ones of both kinds, of captures and of inputs that did
 * something new; each into a session of some kind. The same seed gives the same UPDATEs.
 */
import { Dice } from './dice.js';
import type { Finds } from './finds.js';
import { InterestingInputs } from './interesting-inputs.js';
import { mutate } from './mutate.js';
import { OctetWriter } from './octet-writer.js';
import { DUE, type JudgeContext, type Verdict } from './rfc7606-judge.js';
import { type UpdateDraft, validDraft, writeDraft } from './update-draft.js';
import { dueFor, putFaults } from './update-faults.js';
import { UPDATE_SESSIONS } from './update-sessions.js';
import { UpdateTarget } from './update-target.js';

/** An extended message without its header (RFC 8654). */
const MOST_OCTETS = 65535 - 19;
const MOST_FAULTS = 2;

export interface UpdateFuzzerOptions {
  readonly seed: number;
  readonly finds: Finds;
  /** Bodies of real UPDATEs. */
  readonly seeds: readonly Uint8Array[];
  /** Inputs that did something new are mutated further. */
  readonly guided: boolean;
}

export class UpdateFuzzer {
  readonly target: UpdateTarget;
  readonly interesting = new InterestingInputs();
  count = 0;
  /** With faults that are known, and thereby with two oracles. */
  known = 0;
  private readonly dice: Dice;
  private readonly writer = new OctetWriter(MOST_OCTETS);

  constructor(private readonly options: UpdateFuzzerOptions) {
    this.dice = new Dice(options.seed);
    this.target = new UpdateTarget(options.finds);
  }

  run(count: number): void {
    for (let left = count; left > 0; left--) this.one();
  }

  private one(): void {
    const { dice, writer, target, interesting } = this;
    const place = dice.below(UPDATE_SESSIONS.length);
    const origin = dice.below(10);
    const start = origin >= 8 ? dice.pick(this.options.seeds) : origin >= 5 ? interesting.pick(dice) : undefined;
    const isWhole = origin < 3;
    const known = start ? this.copy(start) : this.write(place, isWhole);
    if (!isWhole) mutate(writer, dice, interesting.pick(dice) ?? dice.pick(this.options.seeds));
    else this.known++;
    this.count++;
    const body = writer.written();
    const verdict = target.receive(place, body, isWhole ? known : undefined);
    if (this.options.guided) this.note(place, verdict, body);
  }

  /** A finding met for the first time in such a session, or several met together for the first time. A reset says little more. */
  private note(place: number, { pattern, findings, due }: Verdict, body: Uint8Array): void {
    const { interesting } = this;
    let isNew = findings.length > 1 && due < DUE.reset && interesting.isNew(pattern);
    for (const found of findings) if (interesting.isNew(found * 8 + place)) isNew = true;
    if (isNew) interesting.keep(body, this.dice);
  }

  private copy(input: Uint8Array): undefined {
    this.writer.length = 0;
    this.writer.octets(input);
  }

  /** What is due for it. What is damaged afterwards has seldom a fault before. */
  private write(place: number, isWhole: boolean): number {
    const { dice, writer } = this;
    const { context } = UPDATE_SESSIONS[place]!;
    const draft = validDraft(dice, context);
    const faults =
      dice.once(4) || !(isWhole || dice.once(6))
        ? []
        : putFaults(draft, 1 + dice.below(MOST_FAULTS), { dice, context });
    writeDraft(draft, writer, dice);
    const hasRoutes = draft.nlri.length > 0 || draft.attributes.some(({ type }) => type === 14);
    return Math.max(dueFor(faults, hasRoutes), uselessOf(draft, context));
  }
}

/** What is discarded in such a session whatever it holds (RFC 7606 section 7, RFC 6793 section 4.1, RFC 7311 section 3.2). */
function uselessOf({ attributes }: UpdateDraft, { external, fourOctetAs, aigp }: JudgeContext): number {
  const types = [...(external ? [5, 9, 10] : []), ...(fourOctetAs ? [17, 18] : []), ...(aigp ? [] : [26])];
  return attributes.some(({ type }) => types.includes(type)) ? DUE.discard : DUE.nothing;
}
