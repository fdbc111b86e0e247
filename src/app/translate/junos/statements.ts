/** A Junos configuration as statements, one for each leaf with all that stands above it: from `set` lines, or from the form with braces. */
import type { Statement } from '../rules.js';

export type JunosStatements = { readonly statements: readonly Statement[] } | { readonly problem: string };

export function junosStatements(text: string): JunosStatements {
  const isSet = /^\s*(?:set|delete|deactivate|activate|insert|edit) /m.test(text) && !/^[^#"]*\{\s*$/m.test(text);
  return isSet ? { statements: setStatements(text) } : braceStatements(text);
}

/** Those that `delete` and `deactivate` take away are gone. */
function setStatements(text: string): Statement[] {
  let statements: Statement[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || /^[\w.-]+@[\w.-]+[>#]/.test(line)) continue;
    const [verb = '', ...words] = wordsOf(line);
    if (verb === 'delete' || verb === 'deactivate')
      statements = statements.filter((one) => !words.every((word, at) => one.words[at] === word));
    else statements.push({ line: index + 1, text: line, words: verb === 'set' ? words : [verb, ...words] });
  }
  return statements;
}

function wordsOf(line: string): string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '',
  );
}

interface Token {
  readonly kind: 'word' | '{' | '}' | ';' | '[' | ']';
  readonly text: string;
  readonly line: number;
}

const TOKEN = /\/\*[\s\S]*?\*\/|#[^\n]*|"(?:[^"\\]|\\.)*"|[{};[\]]|[^\s{};[\]"]+|"/g;

function tokensOf(text: string): Token[] {
  let line = 1;
  let from = 0;
  return [...text.matchAll(TOKEN)].flatMap((match): Token[] => {
    const [token] = match;
    line += text.slice(from, match.index).split('\n').length - 1;
    from = match.index;
    if (token.startsWith('/*') || token.startsWith('#')) return [];
    if (/^[{};[\]]$/.test(token)) return [{ kind: token as Token['kind'], text: token, line }];
    return [
      { kind: 'word', text: token.startsWith('"') ? token.slice(1, -1).replaceAll(/\\(.)/g, '$1') : token, line },
    ];
  });
}

/** Deeper than any configuration is. */
const DEEPEST = 64;

function braceStatements(text: string): JunosStatements {
  const statements: Statement[] = [];
  const above: { readonly words: string[]; readonly line: number; readonly inactive: boolean }[] = [];
  let words: string[] = [];
  let list: string[] | undefined;
  let inList = false;
  const isInactive = () => words[0] === 'inactive:' || above.some(({ inactive }) => inactive);
  for (const { kind, text: word, line } of tokensOf(text)) {
    if (inList && kind === 'word') list?.push(word);
    else if (kind === 'word') words.push(word);
    else if (kind === '[' || kind === ']') {
      inList = kind === '[';
      if (inList) list = [];
    } else if (kind === '{') {
      if (above.length >= DEEPEST) return { problem: `line ${line}: braces more than ${DEEPEST} deep` };
      above.push({ words: active(words), line, inactive: isInactive() });
      words = [];
    } else if (kind === '}') {
      if (above.length === 0) return { problem: `line ${line}: a brace closes what none opened` };
      if (words.length > 0) return { problem: `line ${line}: ${words.join(' ')} ends without a semicolon` };
      above.pop();
    } else if (kind === ';') {
      const path = [...above.flatMap((one) => one.words), ...active(words)];
      const paths = (list ?? ['']).map((one) => (one === '' ? path : [...path, one]));
      if (!isInactive()) statements.push(...paths.map((one) => ({ line, text: one.join(' '), words: one })));
      words = [];
      list = undefined;
    }
  }
  const open = above.at(-1);
  if (open)
    return { problem: `line ${open.line}: the brace of ${open.words.join(' ')} is never closed: the file is cut off` };
  if (words.length > 0 || list)
    return { problem: `the last statement, ${words.join(' ')}, is not complete: the file is cut off` };
  return { statements };
}

function active(words: readonly string[]): string[] {
  return words.filter((word) => word !== 'inactive:' && word !== 'protect:');
}
