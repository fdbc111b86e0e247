/** The schemes of a study, with the options that it gives them, within their limits. */
import { SimulationInputError } from '../../simulator/input-error.js';
import type { Topology } from '../../simulator/network/topology.js';
import { SCHEMES } from '../../simulator/schemes/catalogue.js';
import type { SchemeDefinition, SchemeOptions } from '../../simulator/schemes/scheme.js';
import type { FieldPath } from '../config/problem.js';
import { suggest } from '../config/suggestion.js';
import { StudyProblem } from './study-problem.js';
import type { StudyFile } from './study-schema.js';

/** A scheme with the options that a study gives it. */
export interface ChosenScheme {
  /** What it is called in tables: its name, and after it the options that differ from its defaults. */
  readonly label: string;
  readonly definition: SchemeDefinition;
  readonly options: SchemeOptions;
}

interface Named {
  readonly at: FieldPath;
  readonly chosen: ChosenScheme;
}

/**
 * The schemes of the file, or of them only those named (by name or label; one that the file does not have, with its defaults). Throws StudyProblem for
 * what is wrong with the file, SimulationInputError for what is wrong with `only`.
 */
export function schemesOf({ schemes }: StudyFile, topology: Topology, only?: readonly string[]): ChosenScheme[] {
  const found = schemes.flatMap((given, index) =>
    named(given).map(([name, options]): Named => {
      const at = typeof given === 'string' ? ['schemes', index] : ['schemes', index, name];
      return { at, chosen: withOptions(name, options, at) };
    }),
  );
  const twice = repeated(found.map(({ chosen }) => chosen));
  if (twice >= 0) throw new StudyProblem(found[twice]!.at, saidTwice(found[twice]!.chosen));
  if (!only) return found.map(({ chosen, at }) => fitting(chosen, topology, at));
  const wanted = only.map((name) => fileOrDefaults(name, found, topology));
  const again = repeated(wanted);
  if (again >= 0) throw new SimulationInputError(saidTwice(wanted[again]!));
  return wanted;
}

function named(given: StudyFile['schemes'][number]): [name: string, options: SchemeOptions][] {
  if (typeof given === 'string') return [[given, {}]];
  return Object.entries(given).map(([name, options]) => [name, options ?? {}]);
}

/** Index of the first that stands there already; -1: none does. */
function repeated(schemes: readonly ChosenScheme[]): number {
  const labels = schemes.map(({ label }) => label);
  return labels.findIndex((label, index) => labels.indexOf(label) !== index);
}

function saidTwice({ label }: ChosenScheme): string {
  return `${label} stands there twice; expected each scheme once`;
}

function fileOrDefaults(name: string, found: readonly Named[], topology: Topology): ChosenScheme {
  const known =
    found.find(({ chosen }) => chosen.label === name) ?? found.find(({ chosen }) => chosen.definition.name === name);
  if (known) return fitting(known.chosen, topology, known.at);
  try {
    return fitting(withOptions(name, {}), topology, []);
  } catch (error) {
    // Nothing in the file is wrong.
    if (error instanceof StudyProblem) throw new SimulationInputError(error.message);
    throw error;
  }
}

/** As a study file has it, with every option. */
export function schemeInFile({ definition, options }: ChosenScheme): StudyFile['schemes'][number] {
  return { [definition.name]: options };
}

/** The scheme itself, when the fabric is within its limits. Throws StudyProblem. */
function fitting(chosen: ChosenScheme, topology: Topology, at: FieldPath): ChosenScheme {
  const refusal = chosen.definition.refuses?.(topology, chosen.options);
  if (refusal !== undefined) throw new StudyProblem(at, `${chosen.label}: ${refusal}`);
  return chosen;
}

/** A scheme by name, with options other than its defaults. Throws StudyProblem. */
export function withOptions(name: string, given: SchemeOptions, at: FieldPath = ['schemes']): ChosenScheme {
  const definition = SCHEMES.find((scheme) => scheme.name === name);
  if (!definition) {
    const names = SCHEMES.map((scheme) => scheme.name);
    const near = suggest(name, names);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    throw new StudyProblem(at, `unknown scheme ${name}${hint} (there are ${names.join(', ')})`);
  }
  for (const [key, value] of Object.entries(given)) checkOption(definition, [...at, key], value);
  const usual = definition.defaultsWith?.({ ...definition.defaults, ...given }) ?? definition.defaults;
  const different = Object.entries(given).filter(([key, value]) => usual[key] !== value);
  const label =
    different.length === 0 ? name : `${name} ${different.map(([key, value]) => `${key}=${value}`).join(' ')}`;
  return { label, definition, options: { ...usual, ...given } };
}

function checkOption({ name, defaults }: SchemeDefinition, at: FieldPath, value: unknown): void {
  const key = String(at.at(-1));
  const usual = Object.hasOwn(defaults, key) ? defaults[key] : undefined;
  if (usual === undefined) {
    const keys = Object.keys(defaults);
    const known = keys.length === 0 ? 'it has none' : `it has ${keys.join(', ')}`;
    const near = suggest(key, keys);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    throw new StudyProblem(at, `unknown option of ${name}${hint} (${known})`, true);
  }
  if (typeof value === typeof usual) return;
  throw new StudyProblem(at, `expected a ${typeof usual} such as ${usual}, found ${JSON.stringify(value)}`);
}
