/** Options of the command line that are whole numbers. */
import { InvalidArgumentError } from 'commander';

/** A parser for commander: throws InvalidArgumentError for anything but a whole number of that range. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`);
  };
}
