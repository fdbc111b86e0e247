/** Types the samples of a page one after the other, and holds what they print against what the page says. */
import { readFileSync } from 'node:fs';
import { poll } from '../../src/app/lab/poll.js';
import { type Sample, samplesOf } from './samples.js';
import { misfit } from './shape.js';
import { type Answer, Shell } from './shell.js';

/** They look and change nothing: typed again until they show what they should, as a reader does who was too quick. */
const LOOKS = /\b(show|explain|trace|verify|status|doctor|tail|grep|cat|ip)\b/;
const CHANGES = /\b(up|down|fail|heal|kill|add|del|set|sed)\b/;
/** Milliseconds. */
const PATIENCE = { timeout: 120_000, interval: 200 };

/** Runs all of them; throws at the first that does not show what the page says. */
export async function runSamples(page: string): Promise<number> {
  const samples = samplesOf(readFileSync(page, 'utf8'));
  const shell = new Shell();
  try {
    for (const [index, sample] of samples.entries()) {
      const mayFail = samples[index + 1]?.command === 'echo $?';
      await run(shell, sample, { page, mayFail });
    }
  } finally {
    await shell.close();
  }
  return samples.length;
}

interface Place {
  readonly page: string;
  /** Its exit code is shown next. */
  readonly mayFail: boolean;
}

async function run(shell: Shell, sample: Sample, { page, mayFail }: Place): Promise<void> {
  let answer: Answer = { lines: [], exitCode: 0 };
  let wrong: string | undefined;
  const once = async () => {
    answer = await shell.type(sample.command);
    const failed = answer.exitCode !== 0 && !mayFail;
    wrong = failed ? `exit code 0, not ${answer.exitCode}` : misfit(sample.output, answer.lines);
    return wrong === undefined;
  };
  const looks = LOOKS.test(sample.command) && !CHANGES.test(sample.command);
  if (looks ? await poll(once, PATIENCE) : await once()) return;
  throw new Error(
    `${page}:${sample.line}: $ ${sample.command}\nthe page says: ${wrong}\nit printed:\n${answer.lines.join('\n')}`,
  );
}
