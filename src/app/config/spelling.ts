/** Keys that may be written in British or in American English, but not in both. */
import type { z } from 'zod';

/** Two spellings of one key: the value of the one given, a problem when both are. */
export function spelled<T>(
  british: T | undefined,
  american: T | undefined,
  key: string,
  context: Pick<z.RefinementCtx, 'addIssue'>,
) {
  if (british !== undefined && american !== undefined) {
    context.addIssue({ code: 'custom', message: `${key} is given in both spellings: keep one` });
  }
  return british ?? american;
}
