/** Results of a study as a document: what is written to a file, put together again from shards, and reported. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type ComparedScheme, compare } from '../../simulator/results/comparison.js';
import type { RunResult } from '../../simulator/results/run-result.js';
import { packageVersion } from '../version.js';
import type { Finding, MeasuredPart, Transport } from './findings/evidence.js';
import { findingsOf } from './findings/findings.js';
import type { TimedRun } from './run-study.js';
import type { Study } from './study.js';

const PS_PER_US = 1e6;

export interface StudyResults {
  readonly heddle: string;
  readonly study: string;
  readonly description?: string;
  /** All that the study has, in order; a shard has runs of some. */
  readonly schemes: readonly string[];
  readonly seeds: readonly number[];
  readonly fabric: { readonly hosts: number; readonly switches: number; readonly links: number };
  readonly transport: Transport;
  /** The profile that hosts and switches have, and the keys of it that the study has changed. */
  readonly profile: { readonly name: string; readonly changed: readonly string[] };
  /** Simulated microseconds after which a run was ended, done or not. */
  readonly limit: number;
  /** The part of a run by whose flows it is measured, simulated microseconds. */
  readonly measure?: MeasuredPart;
  readonly runs: readonly (RunResult & { readonly seconds: number; readonly routingSeconds: number })[];
}

export function resultsOf(study: Study, runs: readonly TimedRun[]): StudyResults {
  const { file, topology, profile, schemes, seeds } = study;
  return {
    heddle: packageVersion,
    study: file.name,
    ...(file.description !== undefined && { description: file.description }),
    schemes: schemes.map(({ label }) => label),
    seeds,
    fabric: { hosts: topology.hosts, switches: topology.switches, links: topology.links.length },
    transport: { reliability: profile.reliability, congestion: profile.congestion, pfc: profile.buffer.pfc },
    profile: { name: file.profile, changed: study.changed },
    limit: file.limit / PS_PER_US,
    ...(file.measure && {
      measure: {
        from: file.measure.from / PS_PER_US,
        ...(file.measure.until !== undefined && { until: file.measure.until / PS_PER_US }),
      },
    }),
    runs: runs.map(({ result, seconds, routingSeconds }) => ({ ...result, seconds, routingSeconds })),
  };
}

/** All of it for other programs: what is written to files, and what `--json` prints. */
export interface ResultsDocument extends StudyResults {
  readonly comparison: readonly ComparedScheme[];
  readonly findings: readonly Finding[];
}

export function documentOf(results: StudyResults): ResultsDocument {
  return { ...results, comparison: compare(results.runs), findings: findingsOf(results.runs, results) };
}

/** `profile rocev2, but for transport.dcqcn.gain`: what the numbers are of. */
export function profileLine({ profile: { name, changed } }: Pick<StudyResults, 'profile'>): string {
  return `profile ${name}${changed.length === 0 ? '' : `, but for ${changed.join(', ')}`}`;
}

/** What a file of results must have to be one; the rest is taken as it was written. */
const outline = z.looseObject({
  study: z.string(),
  schemes: z.array(z.string()),
  seeds: z.array(z.number()),
  fabric: z.looseObject({ hosts: z.number() }),
  transport: z.looseObject({ reliability: z.string() }),
  profile: z.looseObject({ name: z.string() }),
  runs: z.array(
    z.looseObject({
      scheme: z.string(),
      seed: z.number(),
      flows: z.looseObject({ count: z.number() }),
      octets: z.looseObject({ resent: z.number() }),
    }),
  ),
});

/** Something that is not what `heddle sim compare` writes. */
export class ResultsError extends Error {}

/** Files of one study, as one: shards. Throws ResultsError. */
export function readResults(files: readonly string[]): StudyResults {
  return mergedResults(files.map((file) => ({ file, results: readOne(file) })));
}

/** Results of one study, each with the file that it is from, as one. Throws ResultsError. */
export function mergedResults(
  parts: readonly { readonly file: string; readonly results: StudyResults }[],
): StudyResults {
  const [first, ...others] = parts;
  if (!first) throw new ResultsError('no file of results');
  for (const { file, results } of others) {
    if (identity(results) !== identity(first.results)) {
      throw new ResultsError(
        `${file}: results of another study, other schemes or other seeds than those of ${first.file}`,
      );
    }
  }
  const seen = new Map<string, string>();
  for (const { file, results } of parts) {
    for (const { scheme, seed } of results.runs) {
      const key = `${scheme}, seed ${seed}`;
      if (seen.has(key)) throw new ResultsError(`${file}: ${key} stands in ${seen.get(key)} already`);
      seen.set(key, file);
    }
  }
  return {
    ...first.results,
    runs: inOrder(
      first.results,
      parts.flatMap(({ results }) => results.runs),
    ),
  };
}

/** What shards of one study have in common. */
function identity({ study, schemes, seeds, fabric, profile }: StudyResults): string {
  return JSON.stringify([study, schemes, seeds, fabric, profile]);
}

function inOrder({ schemes, seeds }: StudyResults, runs: StudyResults['runs']): StudyResults['runs'] {
  const place = ({ scheme, seed }: StudyResults['runs'][number]) =>
    seeds.indexOf(seed) * schemes.length + schemes.indexOf(scheme);
  return [...runs].sort((a, b) => place(a) - place(b));
}

/** Runs that the study has and these results have not, such as `ecmp, seed 3`. */
export function missingRuns({ schemes, seeds, runs }: StudyResults): string[] {
  const there = new Set(runs.map(({ scheme, seed }) => `${scheme}, seed ${seed}`));
  return schemes.flatMap((scheme) => seeds.map((seed) => `${scheme}, seed ${seed}`)).filter((run) => !there.has(run));
}

/** Whatever a file of results has in it. Throws ResultsError. */
export function readResultsFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ResultsError(`${file}: ${error instanceof SyntaxError ? 'is no JSON' : 'cannot be read'}`);
  }
}

function readOne(file: string): StudyResults {
  const value = readResultsFile(file);
  const parsed = outline.safeParse(value);
  if (!parsed.success) throw new ResultsError(`${file}: no results of heddle sim compare, or those of another version`);
  return value as StudyResults;
}
