/** The part of a command's help that shows how it is typed. */

/** For `addHelpText('after', ...)`. */
export function examples(...lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  ${line}`), ''].join('\n');
}
