/**
 * Samples of the docs that tests run: fenced blocks that begin with "```console run". A line that begins with `$ ` is typed, one that begins with `> `
 * goes on with it; what follows is what it prints (shape.ts). All such blocks of a page are one session in one shell, from top to bottom; other blocks are
 * text. `docs/README.md` tells authors the same.
 */
export interface Sample {
  /** In the page, from 1. */
  readonly line: number;
  readonly command: string;
  /** Lines that it prints. */
  readonly output: readonly string[];
}

const OPENING = /^```console run$/;

export function samplesOf(markdown: string): readonly Sample[] {
  const samples: { line: number; command: string; output: string[] }[] = [];
  let inside = false;
  for (const [index, line] of markdown.split('\n').entries()) {
    const last = samples.at(-1);
    if (!inside) inside = OPENING.test(line);
    else if (line === '```') inside = false;
    else if (line.startsWith('$ ')) samples.push({ line: index + 1, command: line.slice(2), output: [] });
    else if (last === undefined) throw new Error(`line ${index + 1}: a block begins with what is typed, after "$ "`);
    else if (line.startsWith('> ') && last.output.length === 0) last.command += `\n${line.slice(2)}`;
    else last.output.push(line);
  }
  return samples;
}
