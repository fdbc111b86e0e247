/**
 * Regular expressions over the text form of an AS_PATH (`65001 65002 {65003,65004}`), as operators of other routers write
 * them: literals, `.`, `[0-9]`, `[^ ]`, groups, `|`, `*`, `+`, `?`, `{m,n}`, `^`, `$`, and `_` for any boundary of an AS
 * number. The parser makes a program for as-path-regex.ts.
 */

/** One instruction; a step to the next one where nothing else is said. */
export type Instruction =
  | { readonly kind: 'set'; readonly characters: CharacterSet }
  | { readonly kind: 'split'; readonly targets: readonly [number, number] }
  | { readonly kind: 'jump'; readonly target: number }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }
  | { readonly kind: 'match' };

export interface CharacterSet {
  readonly negated: boolean;
  readonly characters: string;
}

export type CompiledSyntax =
  | { readonly program: readonly Instruction[] }
  /** `at` is the offset in the text at which it went wrong. */
  | { readonly problem: string; readonly at: number };

/** What stands between AS numbers in the text form. */
const BOUNDARIES = ' ,{}()';
const MAX_PROGRAM = 2000;
const MAX_REPEAT = 255;

type Node =
  | { readonly kind: 'set'; readonly characters: CharacterSet }
  | { readonly kind: 'start' | 'end' }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly least: number; readonly most: number };

/** What `_` stands for: a separator, or either end of the path. */
const BOUNDARY: Node = {
  kind: 'choice',
  parts: [{ kind: 'start' }, { kind: 'set', characters: { negated: false, characters: BOUNDARIES } }, { kind: 'end' }],
};

class SyntaxProblem extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

export function compileSyntax(text: string): CompiledSyntax {
  try {
    const program: Instruction[] = [];
    emit(new Parser(text).parse(), program);
    program.push({ kind: 'match' });
    return { program };
  } catch (error) {
    if (error instanceof SyntaxProblem) return { problem: error.message, at: error.at };
    throw error;
  }
}

class Parser {
  #at = 0;

  constructor(private readonly text: string) {}

  parse(): Node {
    const node = this.#choice(0);
    if (this.#at < this.text.length) throw new SyntaxProblem('a ) that closes nothing', this.#at);
    return node;
  }

  /** As deep as its groups: a text that only opens them must not reach the end of our stack. */
  #choice(depth: number): Node {
    if (depth > 50) throw new SyntaxProblem('groups nested too deep', this.#at);
    const parts = [this.#sequence(depth)];
    while (this.text[this.#at] === '|') {
      this.#at++;
      parts.push(this.#sequence(depth));
    }
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts };
  }

  #sequence(depth: number): Node {
    const parts: Node[] = [];
    for (let next = this.text[this.#at]; next !== undefined && next !== '|' && next !== ')'; ) {
      parts.push(this.#repeated(this.#atom(depth)));
      next = this.text[this.#at];
    }
    return { kind: 'sequence', parts };
  }

  #atom(depth: number): Node {
    const at = this.#at++;
    const character = this.text[at]!;
    switch (character) {
      case '(':
        return this.#group(depth, at);
      case '[':
        return this.#characterClass(at);
      case '^':
        return { kind: 'start' };
      case '$':
        return { kind: 'end' };
      case '_':
        return BOUNDARY;
      case '.':
        return { kind: 'set', characters: { negated: true, characters: '' } };
      case '*':
      case '+':
      case '?':
      case '{':
        throw new SyntaxProblem(`nothing before ${character} that could repeat`, at);
      case '\\':
        return this.#escaped(at);
      default:
        return literal(character);
    }
  }

  #group(depth: number, at: number): Node {
    const node = this.#choice(depth + 1);
    if (this.text[this.#at] !== ')') throw new SyntaxProblem('a ( that is not closed', at);
    this.#at++;
    return node;
  }

  #escaped(at: number): Node {
    const character = this.text[this.#at++];
    if (character === undefined) throw new SyntaxProblem('a \\ at the end', at);
    if (character === 'd') return { kind: 'set', characters: { negated: false, characters: '0123456789' } };
    if (/[A-Za-z0-9]/.test(character)) throw new SyntaxProblem(`\\${character} has no meaning here`, at);
    return literal(character);
  }

  #characterClass(at: number): Node {
    const negated = this.text[this.#at] === '^';
    if (negated) this.#at++;
    let characters = '';
    // POSIX: a ] that comes first is one of the characters.
    for (let first = true; first || this.text[this.#at] !== ']'; first = false) {
      if (this.#at >= this.text.length) throw new SyntaxProblem('a [ that is not closed', at);
      characters += this.#classItem();
    }
    this.#at++;
    return { kind: 'set', characters: { negated, characters } };
  }

  #classItem(): string {
    const from = this.text[this.#at++]!;
    const to = this.text[this.#at + 1];
    if (this.text[this.#at] !== '-' || to === undefined || to === ']') return from;
    const [low, high] = [from.charCodeAt(0), to.charCodeAt(0)];
    if (low > high || high > 126) throw new SyntaxProblem(`${from}-${to} is no range`, this.#at - 1);
    this.#at += 2;
    return String.fromCharCode(...Array.from({ length: high - low + 1 }, (_, index) => low + index));
  }

  #repeated(node: Node): Node {
    let part = node;
    for (;;) {
      const next = this.text[this.#at];
      if (next === '*') part = { kind: 'repeat', part, least: 0, most: Number.POSITIVE_INFINITY };
      else if (next === '+') part = { kind: 'repeat', part, least: 1, most: Number.POSITIVE_INFINITY };
      else if (next === '?') part = { kind: 'repeat', part, least: 0, most: 1 };
      else if (next === '{') {
        part = this.#counted(part);
        continue;
      } else return part;
      this.#at++;
    }
  }

  #counted(part: Node): Node {
    const match = /^\{(\d{1,3})(,?)(\d{0,3})\}/.exec(this.text.slice(this.#at));
    if (!match) throw new SyntaxProblem('expected {m}, {m,} or {m,n}', this.#at);
    const least = Number(match[1]);
    const most = match[3] !== '' ? Number(match[3]) : match[2] === ',' ? Number.POSITIVE_INFINITY : least;
    const isOver = least > MAX_REPEAT || (most !== Number.POSITIVE_INFINITY && most > MAX_REPEAT);
    if (isOver || most < least) throw new SyntaxProblem(`${match[0]} is no possible count`, this.#at);
    this.#at += match[0].length;
    return { kind: 'repeat', part, least, most };
  }
}

function literal(character: string): Node {
  return { kind: 'set', characters: { negated: false, characters: character } };
}

function emit(node: Node, program: Instruction[]): void {
  if (program.length > MAX_PROGRAM) throw new SyntaxProblem('too large once its counts are written out', 0);
  switch (node.kind) {
    case 'set':
      program.push({ kind: 'set', characters: node.characters });
      return;
    case 'start':
    case 'end':
      program.push({ kind: node.kind });
      return;
    case 'sequence':
      for (const part of node.parts) emit(part, program);
      return;
    case 'choice':
      return emitChoice(node.parts, program);
    case 'repeat':
      return emitRepeat(node, program);
  }
}

function emitChoice([first, ...rest]: readonly Node[], program: Instruction[]): void {
  if (rest.length === 0) return emit(first!, program);
  const split = program.push({ kind: 'jump', target: 0 }) - 1;
  emit(first!, program);
  const jump = program.push({ kind: 'jump', target: 0 }) - 1;
  program[split] = { kind: 'split', targets: [split + 1, program.length] };
  emitChoice(rest, program);
  program[jump] = { kind: 'jump', target: program.length };
}

function emitRepeat({ part, least, most }: Extract<Node, { kind: 'repeat' }>, program: Instruction[]): void {
  for (let i = 0; i < least; i++) emit(part, program);
  if (most === Number.POSITIVE_INFINITY) {
    const split = program.push({ kind: 'jump', target: 0 }) - 1;
    emit(part, program);
    program.push({ kind: 'jump', target: split });
    program[split] = { kind: 'split', targets: [split + 1, program.length] };
    return;
  }
  const splits: number[] = [];
  for (let i = least; i < most; i++) {
    splits.push(program.push({ kind: 'jump', target: 0 }) - 1);
    emit(part, program);
  }
  for (const split of splits) program[split] = { kind: 'split', targets: [split + 1, program.length] };
}
