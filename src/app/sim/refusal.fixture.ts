/** What a study is refused with, for tests. */
import { ConfigError } from '../config/read-text.js';

/** The lines of the refusal with paths as they are in `folder`, or `nothing wrong`. */
export function refusalOf(folder: string, read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.lines.join('\n').replaceAll(`${folder}/`, '');
    throw error;
  }
  return 'nothing wrong';
}
