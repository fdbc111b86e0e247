/**
 * Reads what the kernel's verifier says of a program that it refuses, and says it in the program's own terms: after which label, which
 * instruction, and why.
 */
import type { Program } from './instruction.js';
import { instructionText, placeOf } from './listing.js';

export interface Refusal {
  /** Of the instruction that the verifier stopped at; `undefined` when it is about the whole program. */
  readonly index: number | undefined;
  /** Its own words. */
  readonly reason: string;
}

/** `12: (79) r1 = *(u64 *)(r2 +0)`, also with the state of the registers before it. */
const STEP = /^(\d+): (?:\([0-9a-f]{2}\)|R\d|\()/;
const ABOUT = /\binsn (\d+)/;
/** What stands after the reason. */
const SUMMARY = /^(processed \d+ insns|verification time|stack depth|max_states)/;

export function readRefusal(log: string): Refusal | undefined {
  const lines = log.split('\n').filter((line) => line.trim() !== '' && !SUMMARY.test(line));
  let index: number | undefined;
  let reason: string | undefined;
  for (const line of lines) {
    const step = STEP.exec(line);
    if (step) index = Number(step[1]);
    reason = step ? undefined : line.trim();
  }
  if (reason === undefined) return undefined;
  const about = ABOUT.exec(reason);
  return { index: about ? Number(about[1]) : index, reason };
}

/** One line; `undefined` when the log says nothing. */
export function explainRefusal(program: Program, log: string): string | undefined {
  const refusal = readRefusal(log);
  if (!refusal) return undefined;
  const { index, reason } = refusal;
  if (index === undefined || index >= program.instructions.length) return reason;
  return `${reason}, at ${placeOf(program, index)}: ${instructionText(program, index)}`;
}
