/** What command lines share: those of the tools, and of `heddle` the numbers. Pure. */

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

export interface NumberRange {
  readonly least: number;
  readonly most?: number;
}

/** Decimal digits, and nothing else; `undefined` for all that is no whole number of that range. */
export function wholeNumberIn(
  text: string,
  { least, most = Number.MAX_SAFE_INTEGER }: NumberRange,
): number | undefined {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

/** Throws when it is none. */
export function wholeNumber(option: string, text: string, range: NumberRange): number {
  const value = wholeNumberIn(text, range);
  if (value !== undefined) return value;
  const most = range.most === undefined ? '' : ` to ${range.most}`;
  throw new Error(`--${option} ${text}: expected a whole number from ${range.least}${most}`);
}

/** Those of a list with commas, in the order of `known`. Throws for one that is not known. */
export function chosen<Name extends string>(option: string, text: string, known: readonly Name[]): readonly Name[] {
  const given = text.split(',').filter((part) => part !== '');
  const unknown = given.find((part) => !known.some((name) => name === part));
  if (unknown !== undefined) throw new Error(`--${option}: ${unknown} is none of ${known.join(', ')}`);
  return known.filter((name) => given.includes(name));
}
