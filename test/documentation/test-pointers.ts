/** How pages name tests: the file as code, then the title, or a case of a table of titles, in italics. */
import { existsSync, readFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);

export interface TestPointer {
  readonly file: string;
  readonly title: string;
}

export const read = (file: string) => readFileSync(new URL(file, ROOT), 'utf8');

export function pointersIn(proof: string): readonly TestPointer[] {
  return [...proof.matchAll(/`([^`]+\.ts)`: \*([^*]+)\*/g)].map(([, file = '', title = '']) => ({ file, title }));
}

/** The file is not there, or the title stands in it as no string. */
export function isStale({ file, title }: TestPointer): boolean {
  if (!existsSync(new URL(file, ROOT))) return true;
  const source = read(file);
  return ![`'${title}'`, `"${title}"`, `\`${title}\``].some((literal) => source.includes(literal));
}
