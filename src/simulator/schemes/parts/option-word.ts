/** What is wrong with an option that is one of several words, in a line; undefined: nothing. */
export function refusesWord(option: string, value: string, words: readonly string[]): string | undefined {
  return words.includes(value) ? undefined : `${option} ${value}: not one of ${words.join(', ')}`;
}
