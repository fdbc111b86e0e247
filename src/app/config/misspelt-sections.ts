/**
 * Sections with a misspelt name, judged as if it were spelt right: one wrong letter must not hide what is wrong inside. Names of single
 * values are left to schema-problems.ts.
 */
import type { FieldPath } from './problem.js';
import { suggest } from './suggestion.js';

export interface CorrectedSections {
  /** The document with the names that were meant. */
  readonly value: unknown;
  /** The misspelt names, and where in `value` they are. */
  readonly misspelt: readonly { readonly path: FieldPath; readonly key: string }[];
  /** The path in the file of one in `value`. */
  original(path: FieldPath): FieldPath;
}

export function correctSections(value: unknown, known: (path: FieldPath) => readonly string[]): CorrectedSections {
  /** The names in the file, by the path that was meant. */
  const names = new Map<string, string>();
  const original = (path: FieldPath): FieldPath =>
    path.map((step, depth) => names.get(JSON.stringify(path.slice(0, depth + 1))) ?? step);
  const misspelt: { path: FieldPath; key: string }[] = [];
  const correct = (node: unknown, path: FieldPath): unknown => {
    if (Array.isArray(node)) return node.map((item: unknown, index) => correct(item, [...path, index]));
    if (!isMapping(node)) return node;
    const keys = known(path);
    const taken = new Set(Object.keys(node));
    const entries = Object.entries(node).map(([key, child]): [string, unknown] => {
      const meant = keys.length > 0 && !keys.includes(key) && isSection(child) ? suggest(key, keys) : undefined;
      if (meant === undefined || taken.has(meant)) return [key, correct(child, [...path, key])];
      taken.add(meant);
      names.set(JSON.stringify([...path, meant]), key);
      misspelt.push({ path, key });
      return [meant, correct(child, [...path, meant])];
    });
    return Object.fromEntries(entries);
  };
  return { value: correct(value, []), misspelt, original };
}

function isSection(value: unknown): boolean {
  return Array.isArray(value) || isMapping(value);
}

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
