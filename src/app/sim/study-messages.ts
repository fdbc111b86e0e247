/**
 * What zod finds wrong with a study, in the words of this program: what was expected. `schemaProblems` adds what is there and where. Every kind of issue
 * has its sentence, so that none of zod's own comes through.
 */
import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

const TYPES: Readonly<Record<string, string>> = {
  object: 'a mapping (key: value)',
  record: 'a mapping (key: value)',
  array: 'a list such as [1, 2]',
  tuple: 'a list such as [1, 2]',
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  null: 'nothing',
};

/** For `safeParse(value, { error: studyMessage })`; schemas that say themselves what they expect go first. */
export function studyMessage(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `expected ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return tooSmall(issue.origin, Number(issue.minimum), issue.inclusive !== false);
    case 'too_big':
      return tooBig(issue.origin, Number(issue.maximum), issue.inclusive !== false);
    case 'not_multiple_of':
      return `expected a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return `expected text in the form of ${issue.format}`;
    case 'unrecognized_keys':
      return `unknown ${issue.keys.length === 1 ? 'key' : 'keys'} ${issue.keys.join(', ')}`;
    case 'invalid_key':
      return 'expected another key';
    case 'invalid_element':
      return 'expected other entries';
    case 'invalid_union':
      return 'expected another kind of value';
    default:
      return issue.message ?? 'expected another value';
  }
}

function tooSmall(origin: string, minimum: number, inclusive: boolean): string {
  if (origin === 'array') return `expected a list of ${minimum} or more`;
  if (origin === 'string')
    return minimum === 1 ? 'expected text, not none' : `expected text of ${minimum} letters or more`;
  return `expected a number ${inclusive ? `from ${minimum} on` : `above ${minimum}`}`;
}

function tooBig(origin: string, maximum: number, inclusive: boolean): string {
  if (origin === 'array') return `expected a list of ${maximum} at most`;
  if (origin === 'string') return `expected text of ${maximum} letters at most`;
  return `expected a number ${inclusive ? `up to ${maximum}` : `below ${maximum}`}`;
}
