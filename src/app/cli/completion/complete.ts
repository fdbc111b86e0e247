/**
 * What may stand at the end of a command line, for the shells: subcommands, options and their values from the commands themselves, names from
 * who knows them (names.ts). The scripts of the shells (scripts.ts) call it for every TAB, so that a new command is completed without a line here.
 */
import type { Argument, Command, Option } from 'commander';

export interface Candidate {
  readonly value: string;
  /** Empty where the value says it all. */
  readonly description: string;
}

/** What is asked for the values of an option or argument. */
export interface Wanted {
  /** `--node`; absent of an argument. */
  readonly option?: string;
  /** As the help has it: `NAME`, `PREFIX`, `FILE`. */
  readonly placeholder: string;
  /** What is typed of it. */
  readonly begun: string;
  /** After the program: `show routes`. */
  readonly command: string;
  /** Given so far, by their names in camel case. */
  readonly options: ReadonlyMap<string, string>;
}

export type Names = (wanted: Wanted) => Promise<readonly Candidate[]>;

/** Of a line whose words after `heddle` these are, the last being the one at the cursor, which may be empty. In the order of the help. */
export async function complete(
  program: Command,
  words: readonly string[],
  names: Names,
): Promise<readonly Candidate[]> {
  const begun = words.at(-1) ?? '';
  const place = placeAfter(program, words.slice(0, -1));
  const candidates = await candidatesAt(place, begun, names);
  return candidates.filter(({ value }) => value.startsWith(begun));
}

interface Place {
  readonly command: Command;
  readonly commands: readonly string[];
  /** The option whose value comes next. */
  readonly awaiting: Option | undefined;
  readonly options: ReadonlyMap<string, string>;
  /** How many arguments the command has so far. */
  readonly given: number;
  /** After `--`. */
  readonly operands: boolean;
}

function placeAfter(program: Command, words: readonly string[]): Place {
  let place: Place = {
    command: program,
    commands: [],
    awaiting: undefined,
    options: new Map(),
    given: 0,
    operands: false,
  };
  for (const word of words) place = step(place, word);
  return place;
}

function step(place: Place, word: string): Place {
  const { command, awaiting, options } = place;
  if (awaiting) return { ...place, awaiting: undefined, options: new Map(options).set(awaiting.attributeName(), word) };
  if (!place.operands && word === '--') return { ...place, operands: true };
  if (!place.operands && word.startsWith('-')) return afterOption(place, word);
  const below = place.given === 0 ? command.commands.find((one) => named(one, word)) : undefined;
  if (below) return { ...place, command: below, commands: [...place.commands, below.name()] };
  return { ...place, given: place.given + 1 };
}

function afterOption(place: Place, word: string): Place {
  const [flag = '', value] = splitOnce(word);
  const option = optionsFor(place.command).find(({ long, short }) => long === flag || short === flag);
  if (!option) return place;
  if (value === undefined && (option.required || option.optional)) return { ...place, awaiting: option };
  return { ...place, options: new Map(place.options).set(option.attributeName(), value ?? '') };
}

function named(command: Command, word: string): boolean {
  return command.name() === word || command.aliases().includes(word);
}

async function candidatesAt(place: Place, begun: string, names: Names): Promise<readonly Candidate[]> {
  const { command, awaiting } = place;
  if (awaiting) return valuesOf(place, awaiting, begun, names);
  if (!place.operands && begun.startsWith('-')) return optionsAt(place, begun, names);
  const argument = argumentAt(command, place.given);
  const values = argument ? await valuesOf(place, argument, begun, names) : [];
  return place.given === 0 ? [...subcommandsOf(command), ...values] : values;
}

/** Those not given yet; `--option=` is followed by its values. */
async function optionsAt(place: Place, begun: string, names: Names): Promise<readonly Candidate[]> {
  const [flag = '', value] = splitOnce(begun);
  const option = value === undefined ? undefined : optionsFor(place.command).find(({ long }) => long === flag);
  if (option) {
    const values = await valuesOf(place, option, value ?? '', names);
    return values.map((one) => ({ ...one, value: `${flag}=${one.value}` }));
  }
  const own = place.command.createHelp().visibleOptions(place.command);
  return [...own, ...optionsFor(place.command).filter((one) => !place.command.options.includes(one))]
    .filter((one) => one.variadic || !place.options.has(one.attributeName()))
    .flatMap(({ long, short, description }) => {
      const shown = long ?? short;
      return shown ? [{ value: shown, description }] : [];
    });
}

/** Its own, and those of the program that go with every command. */
function optionsFor(command: Command): readonly Option[] {
  const { parent } = command;
  return parent
    ? [...command.options, ...optionsFor(parent).filter(({ long }) => long !== '--version')]
    : command.options;
}

function subcommandsOf(command: Command): Candidate[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((one) => ({ value: one.name(), description: one.description() }));
}

function argumentAt({ registeredArguments }: Command, index: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic ? last : undefined);
}

function valuesOf(
  { commands, options }: Place,
  taker: Option | Argument,
  begun: string,
  names: Names,
): Promise<readonly Candidate[]> | readonly Candidate[] {
  if (taker.argChoices) return taker.argChoices.map((value) => ({ value, description: '' }));
  const command = commands.join(' ');
  if (!('flags' in taker)) return names({ placeholder: taker.name(), begun, command, options });
  const placeholder = /[<[](?<name>[^\]>.]+)/.exec(taker.flags)?.groups?.name ?? '';
  return names({ placeholder, begun, command, options, ...(taker.long && { option: taker.long }) });
}

function splitOnce(word: string): readonly [string, string?] {
  const at = word.indexOf('=');
  return word.startsWith('--') && at > 0 ? [word.slice(0, at), word.slice(at + 1)] : [word];
}
