/** What is wrong with an option that is a number, in a line; undefined: nothing. */
export function refusesRange(option: string, value: number, least: number, most: number): string | undefined {
  if (value >= least && value <= most) return undefined;
  return `${option} ${value}: not from ${least} to ${most}`;
}

/** The same of an option that counts something. */
export function refusesCount(option: string, value: number, least: number, most: number): string | undefined {
  if (Number.isInteger(value)) return refusesRange(option, value, least, most);
  return `${option} ${value}: not a whole number from ${least} to ${most}`;
}
