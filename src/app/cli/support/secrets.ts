/**
 * Takes secrets out of texts that leave the machine: what stands under keys of secrets in the configuration, wherever else it turns up, and what
 * looks like a secret by itself (keys with values, PEM blocks, credentials of URLs and HTTP). Rather too much than too little.
 */
import { isMap, isScalar, type Pair, parseDocument, visit } from 'yaml';

const REMOVED = '<removed>';

/** Keys whose values are secrets, in YAML, JSON, and lines of logs. */
const SECRET_KEY = /(?:passw(?:or)?d|passphrase|secret|token|credential|key)s?$/i;
/** Shorter values are taken out where they stand under a key, and nowhere else: they would be found in every number. */
const LEAST_LENGTH = 4;

const KEY_NAME = String.raw`["']?[\w.-]*(?:passw(?:or)?d|passphrase|secret|token|credential|(?:private|auth|api|md5|master|signing)[-_]?key)s?["']?`;
const VALUE = String.raw`"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s"',;}\]]+`;

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [new RegExp(String.raw`(\b${KEY_NAME}\s*[:=]\s*)(?:${VALUE})`, 'gi'), `$1${REMOVED}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, REMOVED],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/g, `$1 ${REMOVED}`],
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@:]+:[^\s/@]+@/gi, `$1${REMOVED}@`],
  [/\bmd5keys?:\S+/g, `md5key:${REMOVED}`],
];

export interface CleanConfig {
  readonly text: string;
  /** What was taken out of it. */
  readonly secrets: readonly string[];
}

/** `undefined` when the text is no YAML: nobody knows then where its secrets are. */
export function cleanConfig(text: string): CleanConfig | undefined {
  const document = parseDocument(text);
  if (document.errors.length > 0 || !isMap(document.contents)) return undefined;
  const secrets: string[] = [];
  visit(document, {
    Pair: (_, pair) => {
      if (!isScalar(pair.key) || !SECRET_KEY.test(String(pair.key.value))) return undefined;
      secrets.push(...scalarsOf(pair));
      pair.value = document.createNode(REMOVED);
      return visit.SKIP;
    },
  });
  return { text: new Scrubber(secrets).scrub(document.toString()), secrets };
}

/** All scalars below a pair, as texts. */
function scalarsOf({ value }: Pair): string[] {
  if (isScalar(value)) return [String(value.value), ...(value.source === undefined ? [] : [value.source])];
  const found: string[] = [];
  const take = (_: unknown, scalar: { value: unknown }) => void found.push(String(scalar.value));
  if (value !== null && typeof value === 'object') visit(value as Parameters<typeof visit>[0], { Scalar: take });
  return found;
}

export class Scrubber {
  private readonly known: RegExp | undefined;

  /** @param secrets texts that are nowhere to be left */
  constructor(secrets: readonly string[]) {
    const long = [...new Set(secrets.flatMap(spellings))].filter(({ length }) => length >= LEAST_LENGTH);
    // The longest first, so that one within another leaves nothing of it.
    const alternatives = long.sort((a, b) => b.length - a.length).map(escaped);
    this.known = alternatives.length === 0 ? undefined : new RegExp(alternatives.join('|'), 'g');
  }

  scrub(text: string): string {
    const unknown = PATTERNS.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), text);
    return this.known ? unknown.replace(this.known, REMOVED) : unknown;
  }
}

/** As it is, as JSON has it, as URLs have it, and line by line. */
function spellings(secret: string): string[] {
  const lines = secret.split('\n').map((line) => line.trim());
  return [secret, ...lines].flatMap((text) => [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)]);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
