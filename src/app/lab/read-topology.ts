/** A topology file from disk, with errors that name file, line and field. */
import { z } from 'zod';
import { keyPlaces, knownKeys } from '../config/known-keys.js';
import { formatProblem, type LocatedProblem } from '../config/problem.js';
import { ConfigError, readText } from '../config/read-text.js';
import { schemaProblems } from '../config/schema-problems.js';
import { parseYaml } from '../config/yaml-source.js';
import type { Topology } from './topology.js';
import { topologySchema } from './topology-file.js';

export type ParsedTopology =
  | { readonly topology: Topology }
  | { readonly topology?: never; readonly problems: readonly LocatedProblem[] };

/** Throws ConfigError with every error in the file. */
export function readTopology(file: string): Topology {
  const parsed = parseTopology(readText(file));
  if (parsed.topology !== undefined) return parsed.topology;
  throw new ConfigError(parsed.problems.map((problem) => formatProblem(file, problem)));
}

export function parseTopology(text: string): ParsedTopology {
  const source = parseYaml(text);
  if (source.problems.length > 0) return { problems: source.problems };
  if (source.value === null) {
    const message = 'the file is empty; expected name, spines, leaves';
    return { problems: [source.locate({ severity: 'error', path: [], message })] };
  }
  const parsed = topologySchema.safeParse(source.value);
  if (parsed.success) return { topology: parsed.data };
  const schema = topologyJsonSchema();
  const problems = schemaProblems(parsed.error.issues, source.value, {
    known: (path) => knownKeys(schema, path),
    places: (key) => keyPlaces(schema, key),
  });
  const located = problems.map(source.locate).sort((a, b) => a.line - b.line || a.column - b.column);
  return { problems: located };
}

/** JSON Schema (draft 2020-12) of the topology file, for editors. */
export function topologyJsonSchema(): object {
  return z.toJSONSchema(topologySchema, { io: 'input' });
}
