/** For tests of YAML files: a complete document in which each place in turn takes each of many wrong values. */
import { parse, stringify } from 'yaml';
import { type FieldPath, formatFieldPath } from './problem.js';

const WRONG = [null, true, -1, 1.5, 1e21, '', 'any', [], ['any'], [[1]], {}, { any: 1 }];

/** zod's own sentences, which say nothing to who writes the file. */
export const NOT_OUR_WORDS = /Invalid|Too (?:big|small)|expected (?:string|record|array|object|int)\b/;

/** Every place of the document by its name, with the texts that are wrong there. */
export function wrongTexts(document: string): (readonly [place: string, texts: readonly string[]])[] {
  const complete = parse(document) as object;
  return placesOf(complete).map((place) => [
    formatFieldPath(place),
    WRONG.map((value) => stringify(changed(complete, place, value))),
  ]);
}

function placesOf(value: unknown, path: FieldPath = []): FieldPath[] {
  const own = path.length > 0 ? [path] : [];
  if (typeof value !== 'object' || value === null) return own;
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [...own, ...inner.flatMap(([step, child]) => placesOf(child, [...path, step]))];
}

function changed(complete: object, place: FieldPath, value: unknown): object {
  const document = structuredClone(complete);
  const parent = place.slice(0, -1).reduce<object>((node, step) => Reflect.get(node, step) as object, document);
  Reflect.set(parent, place.at(-1)!, value);
  return document;
}
