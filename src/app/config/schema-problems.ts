/** zod's issues as problems: what was expected, what was found there, and a suggestion for a misspelt key. */
import type { z } from 'zod';
import type { FieldPath, Problem } from './problem.js';
import { suggest } from './suggestion.js';

export interface KeyPlaces {
  /** The keys that a mapping at `path` may have. */
  readonly known: (path: FieldPath) => readonly string[];
  /** The mappings that may have the key, in words; empty when none may. */
  readonly places: (key: string) => readonly string[];
}

/** `root` is the document as plain values. */
export function schemaProblems(issues: readonly z.core.$ZodIssue[], root: unknown, keys: KeyPlaces): Problem[] {
  const problems = issues.flatMap((issue) => issueProblems(issue, [], { root, ...keys }));
  // A number can be neither whole nor small enough: two issues, one sentence.
  return [...new Map(problems.map((problem) => [JSON.stringify([problem.path, problem.message]), problem])).values()];
}

interface Context extends KeyPlaces {
  readonly root: unknown;
}

function issueProblems(issue: z.core.$ZodIssue, base: FieldPath, context: Context): Problem[] {
  const path = [...base, ...fieldPath(issue.path)];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(path, key, context));
  if (issue.code === 'invalid_key') return [atKey(path, issue.issues[0]?.message ?? issue.message)];
  if (issue.code === 'invalid_union') {
    // The branch of the right type is the one whose fault is further in.
    const branch = issue.errors.find((errors) => errors.some(isFurtherIn));
    if (branch !== undefined) return branch.flatMap((inner) => issueProblems(inner, path, context));
  }
  return isMisspelt(path, context)
    ? []
    : [suggested(valueProblem(path, expectation(issue), context.root), issue, context)];
}

function isFurtherIn(issue: z.core.$ZodIssue): boolean {
  return issue.path.length > 0 || issue.code === 'unrecognized_keys';
}

function fieldPath(path: readonly PropertyKey[]): FieldPath {
  return path.map((step) => (typeof step === 'number' ? step : String(step)));
}

function atKey(path: FieldPath, message: string): Problem {
  return { severity: 'error', path, atKey: true, message };
}

export function unknownKey(path: FieldPath, key: string, { known, places }: KeyPlaces): Problem {
  const here = known(path);
  const near = suggest(key, here);
  const elsewhere = places(key);
  // A whole word of another place is no short form of a longer one here.
  const isShort = near?.startsWith(`${key}-`) && elsewhere.length > 0;
  if (near !== undefined && !isShort) return atKey([...path, key], `unknown key; did you mean ${near}?`);
  const hint = elsewhere.length > 0 ? ` here; it belongs ${elsewhere.join(', or ')}` : choice(here);
  return atKey([...path, key], `unknown key${hint}`);
}

/** More keys than these are no help on one line. */
const MOST_KEYS = 16;

function choice(known: readonly string[]): string {
  return known.length > MOST_KEYS ? '; none of those known here is like it' : `; expected one of ${known.join(', ')}`;
}

/** A key that is not there, beside an unknown one that it is suggested for: one mistake. */
function isMisspelt(path: FieldPath, { root, known }: Context): boolean {
  const mapping = valueAt(root, path.slice(0, -1));
  const wanted = path.at(-1);
  if (typeof mapping !== 'object' || mapping === null || typeof wanted !== 'string') return false;
  if (Object.hasOwn(mapping, wanted)) return false;
  const keys = known(path.slice(0, -1));
  return Object.keys(mapping).some((key) => !keys.includes(key) && suggest(key, keys) === wanted);
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_type') return issue.message;
  if (issue.expected === 'object' || issue.expected === 'record') {
    return issue.message.startsWith('expected ') ? issue.message : 'expected a mapping (key: value)';
  }
  return issue.message;
}

function valueProblem(path: FieldPath, message: string, root: unknown): Problem {
  if (!message.startsWith('expected ')) return { severity: 'error', path, message };
  const found = valueAt(root, path);
  if (found === undefined) return { severity: 'error', path, message: `missing; ${message}` };
  return { severity: 'error', path, message: `${message}, found ${describeValue(found, message)}` };
}

/** One of a few words: the one that was probably meant. */
function suggested(problem: Problem, issue: z.core.$ZodIssue, { root }: Context): Problem {
  const found = valueAt(root, problem.path);
  if (issue.code !== 'invalid_value' || typeof found !== 'string') return problem;
  const near = suggest(found, issue.values.map(String));
  return near === undefined ? problem : { ...problem, message: `${problem.message}; did you mean ${near}?` };
}

function valueAt(root: unknown, path: FieldPath): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.getOwnPropertyDescriptor(value, step)?.value;
  }
  return value;
}

function describeValue(value: unknown, expected: string): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (typeof value !== 'string') return String(value);
  const quoted = JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
  const isNumber = /^\d+$/.test(value) && /number|seconds|colour|port/.test(expected);
  return isNumber ? `the text ${quoted} (a number has no quotes)` : quoted;
}
