/** Options of the command line that are whole numbers. */
import { InvalidArgumentError } from 'commander';
import { wholeNumberIn } from '../option-values.js';

/** A parser for commander: throws InvalidArgumentError for anything but a whole number of that range. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = wholeNumberIn(text, { least, most });
    if (value !== undefined) return value;
    throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`);
  };
}
