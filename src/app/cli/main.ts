/** Entry of bin/heddle: runs a command line; whatever goes wrong becomes one line and an exit code. */
import { EXIT_OK } from './exit-codes.js';
import { buildProgram } from './program.js';
import { report } from './report.js';
import { tolerateClosedOutput } from './terminal.js';

/** Resolves with the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  tolerateClosedOutput();
  process.on('uncaughtException', (error) => process.exit(report(error)));
  try {
    const program = await buildProgram(argv[2]);
    await program.parseAsync(argv);
    return EXIT_OK;
  } catch (error) {
    return report(error);
  }
}
