/** What the command lines of the benchmarks share. Pure. */

/** What is not to be understood, in one plain line. */
export class OptionError extends Error {}

/** Whatever `parse` throws, as OptionError. */
export function understood<Options>(parse: () => Options): Options {
  try {
    return parse();
  } catch (error) {
    throw new OptionError(error instanceof Error ? error.message : String(error));
  }
}

/** Of `--rounds`. Throws when it is no number from 1. */
export function parseRounds(text: string): number {
  return wholeNumber('rounds', text, { least: 1 });
}

/** Throws when it is no whole number of that range. */
export function wholeNumber(option: string, text: string, { least, most }: { least: number; most?: number }): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= (most ?? value)) return value;
  throw new Error(`--${option} ${text}: expected a number from ${least}${most === undefined ? '' : ` to ${most}`}`);
}

/** Those of a list with commas, in the order of `known`. Throws for one that is not known. */
export function chosen<Name extends string>(option: string, text: string, known: readonly Name[]): readonly Name[] {
  const given = text.split(',').filter((part) => part !== '');
  const unknown = given.find((part) => !known.some((name) => name === part));
  if (unknown !== undefined) throw new Error(`--${option}: ${unknown} is none of ${known.join(', ')}`);
  return known.filter((name) => given.includes(name));
}
