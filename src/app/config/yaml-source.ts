/**
 * A YAML text as plain values, with the line and column of every key and value. Syntax errors and duplicate keys
 * come out as located problems; with a duplicate key the rest of the document can still be judged.
 */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import { type FieldPath, formatFieldPath, type LocatedProblem, type Problem } from './problem.js';

/** Aliases may repeat nodes this often before the document counts as an attack. */
const MAX_ALIASES = 100;

export interface YamlSource {
  /** `undefined` when the text is not YAML at all. */
  readonly value: unknown;
  readonly problems: readonly LocatedProblem[];
  /** Adds line and column to a problem, and the field's path to its message. */
  locate(problem: Problem): LocatedProblem;
}

export function parseYaml(text: string): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
  const problems = document.errors.map((error) => yamlProblem(text, lines, error));
  const locate = (problem: Problem): LocatedProblem => {
    const { line, col } = lines.linePos(offsetOf(document, problem.path, problem.atKey ?? false));
    const field = formatFieldPath(problem.path);
    const message = field === '' ? problem.message : `${field}: ${problem.message}`;
    return { severity: problem.severity, line: Math.max(1, line), column: Math.max(1, col), message };
  };
  keepAsdot(document);
  const readable = document.errors.every((error) => error.code === 'DUPLICATE_KEY');
  try {
    return { value: readable ? document.toJS({ maxAliasCount: MAX_ALIASES }) : undefined, problems, locate };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { value: undefined, problems: [...problems, locate({ severity: 'error', path: [], message })], locate };
  }
}

/** Keys whose values are AS numbers; `spines` and `leaves` in a topology. */
const AS_KEYS = ['as', 'accept-remote-as', 'remote-as', 'local-as', 'prepend', 'spines', 'leaves'];

/** AS 1.10 is not AS 1.1 (RFC 5396): what YAML takes for a fraction stays the text that it is. */
function keepAsdot(document: Document.Parsed): void {
  visit(document, {
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || !AS_KEYS.includes(String(key.value))) return;
      for (const item of isSeq(value) ? value.items : [value]) {
        if (isScalar(item) && typeof item.value === 'number' && item.source?.includes('.')) item.value = item.source;
      }
    },
  });
}

function yamlProblem(text: string, lines: LineCounter, error: YAMLError): LocatedProblem {
  const { line, col } = lines.linePos(error.pos[0]);
  return { severity: 'error', line, column: col, message: yamlMessage(text.slice(error.pos[0]), error) };
}

function yamlMessage(rest: string, error: YAMLError): string {
  if (error.code === 'DUPLICATE_KEY') {
    const key = /^(?:"[^"\n]*"|'[^'\n]*'|[^\s:,}]+)/.exec(rest)?.[0] ?? '';
    return `duplicate key ${key.replaceAll(/["']/g, '')}: each key may appear once in a mapping`;
  }
  if (error.code === 'MULTIPLE_DOCS') return 'more than one YAML document; a configuration is one document';
  const hint = /nested mappings|block collections|implicit map/i.test(error.message)
    ? ' (quote an address that ends in ::)'
    : '';
  return `not valid YAML: ${error.message.split('\n')[0]}${hint}`;
}

/** Offset of the deepest node that exists on `path`. */
function offsetOf(document: Document.Parsed, path: FieldPath, atKey: boolean): number {
  let node: Node | null = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const [depth, step] of path.entries()) {
    const found = child(document, node, step);
    if (found === undefined) return offset;
    node = found.value;
    const last = depth === path.length - 1;
    const range = (last && !atKey && found.value !== null ? found.value : (found.key ?? found.value))?.range;
    offset = range?.[0] ?? offset;
  }
  return offset;
}

interface Child {
  readonly key: Node | null;
  readonly value: Node | null;
}

function child(document: Document.Parsed, parent: Node | null, step: string | number): Child | undefined {
  const node = isAlias(parent) ? parent.resolve(document) : parent;
  if (isMap<Node, Node | null>(node)) {
    const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
    return pair && { key: pair.key, value: pair.value };
  }
  if (isSeq<Node>(node) && typeof step === 'number') {
    const item = node.items[step];
    return item && { key: null, value: item };
  }
  return undefined;
}
