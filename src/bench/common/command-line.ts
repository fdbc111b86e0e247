/** A benchmark on its command line: `--help`, an error in one line, and exit codes: 2 for options that are wrong, 128 and the signal's number for one that ended it, 1 else. */
import { OptionError } from '../../app/option-values.js';
import { Interruption } from './interruption.js';

export async function runBenchmark(
  main: (parameters: readonly string[]) => Promise<void>,
  usage: string,
  parameters = process.argv.slice(2),
): Promise<void> {
  if (parameters.includes('--help') || parameters.includes('-h')) {
    console.log(usage);
    return;
  }
  try {
    await main(parameters);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    if (error instanceof OptionError) console.error(usage);
    process.exitCode = error instanceof Interruption ? error.status : error instanceof OptionError ? 2 : 1;
  }
}
