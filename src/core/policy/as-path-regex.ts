/**
 * Matching of an AS_PATH's text form in time linear in its length: the program of regex-syntax.ts as an automaton whose
 * states are made when they are first needed. A backtracking matcher would let a peer choose a path that takes minutes.
 */
import { type CompiledSyntax, compileSyntax, type Instruction } from './regex-syntax.js';

/** States kept; when a path needs more, they are made anew. */
const MAX_STATES = 512;

interface State {
  readonly matches: boolean;
  /** Matches when the text ends here. */
  readonly matchesAtEnd: boolean;
  /** Instructions that can take the next character. */
  readonly characters: readonly number[];
  readonly next: Map<string, State>;
}

export class AsPathRegex {
  readonly #program: readonly Instruction[];
  readonly #start: State;
  #states = new Map<string, State>();

  private constructor(program: readonly Instruction[]) {
    this.#program = program;
    this.#start = this.#makeState([0], true);
  }

  /** A matcher, or what is wrong with the text and where in it. */
  static parse(text: string): AsPathRegex | Exclude<CompiledSyntax, { program: unknown }> {
    const compiled = compileSyntax(text);
    return 'problem' in compiled ? compiled : new AsPathRegex(compiled.program);
  }

  /** True when the expression matches anywhere in the path. */
  matches(path: string): boolean {
    let state = this.#start;
    for (let i = 0; i < path.length && !state.matches; i++) {
      const character = path[i]!;
      state = state.next.get(character) ?? this.#step(state, character);
    }
    return state.matches || state.matchesAtEnd;
  }

  #step(from: State, character: string): State {
    const kernel = from.characters.filter((at) => this.#takes(at, character)).map((at) => at + 1);
    // A match may begin at every character.
    const key = [0, ...kernel].join(',');
    let state = this.#states.get(key);
    if (!state) {
      if (this.#states.size >= MAX_STATES) this.#forget();
      state = this.#makeState([0, ...kernel], false);
      this.#states.set(key, state);
    }
    from.next.set(character, state);
    return state;
  }

  #forget(): void {
    for (const state of this.#states.values()) state.next.clear();
    this.#states = new Map();
    this.#start.next.clear();
  }

  #takes(at: number, character: string): boolean {
    const instruction = this.#program[at]!;
    if (instruction.kind !== 'set') return false;
    const { negated, characters } = instruction.characters;
    return characters.includes(character) !== negated;
  }

  #makeState(kernel: readonly number[], start: boolean): State {
    const inside = this.#closure(kernel, { start, end: false });
    const atEnd = this.#closure(kernel, { start, end: true });
    return { ...inside, matchesAtEnd: atEnd.matches, next: new Map() };
  }

  /** What can be reached without taking a character. */
  #closure(kernel: readonly number[], place: { start: boolean; end: boolean }) {
    const seen = new Set<number>();
    const characters: number[] = [];
    const open = [...kernel].reverse();
    let matches = false;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      const instruction = this.#program[at]!;
      if (instruction.kind === 'match') matches = true;
      else if (instruction.kind === 'set') characters.push(at);
      else if (instruction.kind === 'split') open.push(...instruction.targets);
      else if (instruction.kind === 'jump') open.push(instruction.target);
      else if (place[instruction.kind]) open.push(at + 1);
    }
    return { matches, characters: characters.sort((a, b) => a - b) };
  }
}
