/** No sentence of zod's own reaches whoever writes a study, whatever is wrong. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { schemaProblems } from '../config/schema-problems.js';
import { studyJsonSchema } from './read-study.js';
import { studyMessage } from './study-messages.js';
import { studySchema } from './study-schema.js';

function messagesOf(schema: z.ZodType, value: unknown): string[] {
  const parsed = schema.safeParse(value, { error: studyMessage });
  if (parsed.success) return [];
  const keys = { known: () => [], places: () => [] };
  return schemaProblems(parsed.error.issues, value, keys).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

/** A schema and a value for each kind of issue that zod has. */
const KINDS: readonly (readonly [kind: string, schema: z.ZodType, value: unknown, message: string])[] = [
  ['invalid_type of a text', z.string(), 3, ': expected text, found 3'],
  ['invalid_type of a number', z.number(), 'x', ': expected a number, found "x"'],
  ['invalid_type of a whole number', z.int(), 2.5, ': expected a whole number, found 2.5'],
  ['invalid_type of a number that is none', z.number(), Number.NaN, ': expected a number, found NaN'],
  ['invalid_type of a switch', z.boolean(), 'on', ': expected true or false, found "on"'],
  ['invalid_type of a mapping', z.object({}), [1], ': expected a mapping (key: value), found a list'],
  ['invalid_type of a record', z.record(z.string(), z.string()), 1, ': expected a mapping (key: value), found 1'],
  ['invalid_type of a list', z.array(z.string()), {}, ': expected a list such as [1, 2], found a mapping'],
  ['invalid_type of a pair', z.tuple([z.string()]), {}, ': expected a list such as [1, 2], found a mapping'],
  ['invalid_type of nothing', z.null(), 1, ': expected nothing, found 1'],
  ['invalid_type of a key that is missing', z.object({ a: z.string() }), {}, 'a: missing; expected text'],
  ['invalid_value of a word', z.enum(['a', 'b']), 'c', ': expected one of a, b, found "c"'],
  ['invalid_value of a constant', z.literal('a'), 'b', ': expected a, found "b"'],
  ['too_small, a whole number', z.int().min(1), 0, ': expected a number from 1 on, found 0'],
  ['too_small, a number', z.number().min(1), 0, ': expected a number from 1 on, found 0'],
  ['too_small, a number above', z.number().positive(), 0, ': expected a number above 0, found 0'],
  ['too_small, a list', z.array(z.int()).min(2), [1], ': expected a list of 2 or more, found a list'],
  ['too_small, a text', z.string().min(1), '', ': expected text, not none, found ""'],
  ['too_small, a longer text', z.string().min(3), 'a', ': expected text of 3 letters or more, found "a"'],
  ['too_small, a pair', z.tuple([z.int(), z.int()]), [1], ': expected a list of 2 or more, found a list'],
  ['too_big, a whole number', z.int().max(7), 8, ': expected a number up to 7, found 8'],
  ['too_big, a number', z.number().max(7), 8, ': expected a number up to 7, found 8'],
  ['too_big, a number below', z.number().lt(7), 7, ': expected a number below 7, found 7'],
  ['too_big, a list', z.array(z.int()).max(1), [1, 2], ': expected a list of 1 at most, found a list'],
  ['too_big, a text', z.string().max(1), 'ab', ': expected text of 1 letters at most, found "ab"'],
  ['too_big, a pair', z.tuple([z.int()]), [1, 2], ': expected a list of 1 at most, found a list'],
  ['not_multiple_of', z.int().multipleOf(2), 3, ': expected a multiple of 2, found 3'],
  ['invalid_format', z.email(), 'x', ': expected text in the form of email, found "x"'],
  ['unrecognized_keys', z.strictObject({}), { a: 1 }, 'a: unknown key; expected one of '],
  ['invalid_union', z.union([z.string(), z.int()]), {}, ': expected another kind of value, found a mapping'],
  ['invalid_key', z.record(z.string().max(1), z.int()), { ab: 1 }, 'ab: expected text of 1 letters at most'],
  ['invalid_element', z.map(z.string(), z.int()), new Map([['a', 'x']]), 'expected a number'],
  ['custom', z.int().refine(() => false, 'expected a better one'), 1, ': expected a better one, found 1'],
  ['custom without a word', z.int().refine(() => false), 1, ': expected another value, found 1'],
];

describe('what zod finds wrong', () => {
  it.each(KINDS)('%s', (_, schema, value, message) => {
    const [said, ...more] = messagesOf(schema, value);
    expect(more).toEqual([]);
    expect(said).toContain(message);
  });
});

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly items?: Node;
  readonly prefixItems?: readonly Node[];
  readonly anyOf?: readonly Node[];
}

/** Where a value of a study may stand. */
function placesOf(node: Node, path: readonly (string | number)[]): (readonly (string | number)[])[] {
  return [
    path,
    ...Object.entries(node.properties ?? {}).flatMap(([key, child]) => placesOf(child, [...path, key])),
    ...(typeof node.additionalProperties === 'object' ? placesOf(node.additionalProperties, [...path, 'ecmp']) : []),
    ...(node.items ? placesOf(node.items, [...path, 0]) : []),
    ...(node.prefixItems ?? []).flatMap((child, index) => placesOf(child, [...path, index])),
    ...(node.anyOf ?? []).flatMap((child) => placesOf(child, path)),
  ];
}

/** A document with nothing but this value at this place. */
function documentWith(path: readonly (string | number)[], value: unknown): unknown {
  return path.reduceRight(
    (inner, step) => (typeof step === 'number' ? [...new Array<unknown>(step).fill(0), inner] : { [step]: inner }),
    value,
  );
}

it('every key of a study with every wrong kind of value is refused in words of this program', () => {
  const places = placesOf(studyJsonSchema() as Node, []).filter((path) => path.length > 0);
  expect(places.length).toBeGreaterThan(100);
  const wrong: unknown[] = [null, true, -1, 0, 2.5, 1e300, Number.NaN, '', 'x', '-5ms', [], [[]], {}, { x: 1 }];
  const said = new Set<string>();
  for (const path of places) {
    for (const value of wrong) {
      for (const message of messagesOf(studySchema, documentWith(path, value))) {
        said.add(message.replace(/^[^:]*: /, '').replace(/, found .*$/, ''));
      }
    }
  }
  const ours = /^(missing; )?expected |^unknown key|^a seed stands there twice/;
  expect([...said].filter((message) => !ours.test(message))).toEqual([]);
  expect([...said].filter((message) => /another (kind of )?value|another key/.test(message))).toEqual([]);
});
