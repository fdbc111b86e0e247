/** Statements as words, and rules that read them: a pattern of words, `*` for any one and `...` for the rest, and what is made of those. */

export interface Statement {
  /** From 1 on. */
  readonly line: number;
  readonly text: string;
  readonly words: readonly string[];
}

/** Takes what stood for `*` and `...`; returns why it cannot be translated, or nothing. */
export type Handler<Context> =
  | ((context: Context, ...values: string[]) => string | undefined)
  | ((context: Context, ...values: string[]) => void);
export type Rule<Context> = readonly [pattern: string, handler: Handler<Context>];

/** What the first rule that fits says; `unknown` when none does. */
export function applyRules<Context>(
  rules: readonly Rule<Context>[],
  words: readonly string[],
  { context, unknown }: { readonly context: Context; readonly unknown: string },
): string | undefined {
  for (const [pattern, handler] of rules) {
    const values = valuesOf(pattern.split(' '), words);
    if (values) return handler(context, ...values) ?? undefined;
  }
  return unknown;
}

function valuesOf(pattern: readonly string[], words: readonly string[]): string[] | undefined {
  const hasRest = pattern.at(-1) === '...';
  const fixed = hasRest ? pattern.slice(0, -1) : pattern;
  if (hasRest ? words.length < fixed.length : words.length !== fixed.length) return undefined;
  const values: string[] = [];
  for (const [index, part] of fixed.entries()) {
    if (part === '*') values.push(words[index]!);
    else if (part !== words[index]) return undefined;
  }
  return hasRest ? [...values, words.slice(fixed.length).join(' ')] : values;
}

/** For what needs nothing here. */
export const nothing = (): undefined => undefined;

export function whole(text: string | undefined, least: number, most: number): number | undefined {
  const value = text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

/** What a policy's values are when they are one, and when they are several. */
export function oneOrList<T>(values: readonly T[]): T | T[] {
  return values.length === 1 ? values[0]! : [...values];
}
