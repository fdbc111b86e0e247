/** `heddle sim`: fabrics under RoCEv2 load, packet by packet, and load-balancing schemes compared on them. */
import { accessSync, appendFileSync, constants, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, InvalidArgumentError } from 'commander';
import { SimulationInputError } from '../../../simulator/input-error.js';
import { FIGURE_GROUPS, FIGURES, type Figure } from '../../../simulator/results/figures.js';
import { SCHEMES } from '../../../simulator/schemes/catalogue.js';
import { writeFlows } from '../../../simulator/workload/flow-file.js';
import { ConfigError } from '../../config/read-text.js';
import { suggest } from '../../config/suggestion.js';
import { FLOWS_HEAD, flowLines } from '../../sim/flow-records.js';
import { readSweep, studyJsonSchema } from '../../sim/read-study.js';
import { reportPage } from '../../sim/report/report-page.js';
import { SWEEP_FIGURES, sweepPage } from '../../sim/report/sweep-page.js';
import { resultsCsv } from '../../sim/results-csv.js';
import type { Progress, TimedRun } from '../../sim/run-study.js';
import { runTasks, shardOf, type Task, type TaskFailure, type TaskRuns, tasksOf } from '../../sim/run-tasks.js';
import type { Study } from '../../sim/study.js';
import {
  documentOf,
  missingRuns,
  profileLine,
  type ResultsDocument,
  ResultsError,
  readResults,
  resultsOf,
  type StudyResults,
} from '../../sim/study-results.js';
import { schemeInFile, withOptions } from '../../sim/study-schemes.js';
import { checkWorkload, flowsOf } from '../../sim/study-workload.js';
import { pointText } from '../../sim/sweep.js';
import {
  isSweepFile,
  missingPoints,
  readSweepResults,
  type SweepResults,
  sweepCsv,
  sweepDocumentOf,
  sweepResultsOf,
} from '../../sim/sweep-results.js';
import { examples } from '../examples.js';
import { CommandError, EXIT_CODES_HELP, EXIT_USAGE } from '../exit-codes.js';
import { ProgressLine } from '../progress-line.js';
import { figuresNamed, renderComparison, USUAL_GROUPS } from '../render/comparison.js';
import { renderFindings } from '../render/findings.js';
import { renderScheme, renderSchemes } from '../render/schemes.js';
import { renderSweep } from '../render/sweep.js';
import { wrapped } from '../render/table.js';
import { complain, print, printJson, terminalPaint, terminalWidth } from '../terminal.js';
import { wholeNumber } from '../whole-number.js';

interface Shard {
  readonly index: number;
  readonly count: number;
}

interface CompareOptions extends OutputOptions {
  readonly schemes?: readonly string[];
  readonly seeds?: number;
  readonly jobs: number;
  readonly shard?: Shard;
  readonly flowsOut?: string;
}

interface OutputOptions {
  readonly json?: true;
  readonly columns?: readonly Figure[];
  readonly out?: string;
  readonly csv?: string;
  readonly report?: string;
}

const MOST_SEEDS = 10_000;
const MOST_JOBS = 1024;
/** Tables are no wider, however wide the terminal is, or where there is none. */
const MOST_COLUMNS = 120;
const STUDIES = fileURLToPath(new URL('../../../../studies/', import.meta.url));

const COLUMNS_HELP = `what the tables show: groups (${Object.keys(FIGURE_GROUPS).join(', ')}, all) or figures, by their names in --csv; default: all groups but sizes`;

const COMPARE_HELP = `
A study is a YAML file: the fabric, what hosts send, and the schemes to compare (docs/simulator.md). Those that come with heddle go by
their names; \`heddle sim studies\` lists them. All schemes have the same flows of a seed. Forwarding is that of heddle's own routers, which are
started, and through the study's failures followed, before the packets are.
${examples(
  'heddle sim compare permutation',
  'heddle sim compare my-fabric.yaml --schemes ecmp,conga,rlb --seeds 10 --report report.html',
  'heddle sim compare my-fabric.yaml --seeds 64 --shard 3/8 --out part3.json',
  'heddle sim report part*.json --report report.html',
  'heddle sim compare storage-80 --columns slowdown,sizes',
  'heddle sim compare permutation --json | jq .comparison[].figures.slowdown_p99.mean',
  'heddle sim compare storage-80 --flows-out flows.csv',
)}
Exit codes: 0 done, 1 a run failed (the others are reported), 2 wrong command line or study. Flows that had not ended at the study's limit
are a result, not a failure: the tables say how many, and \`.comparison[].unfinished\` in the JSON.`;

export function register(program: Command): void {
  const sim = program
    .command('sim')
    .description('simulate fabrics under RoCEv2 load, and compare load-balancing schemes on them')
    .addHelpText(
      'after',
      `${examples('heddle sim compare permutation', 'heddle sim schemes conga')}${EXIT_CODES_HELP}`,
    );
  registerCompare(sim);
  registerReport(sim);
  registerLists(sim);
}

function registerCompare(sim: Command): void {
  const command = sim
    .command('compare')
    .description('run the schemes of a study, with all its seeds, and put them side by side')
    .argument('<STUDY>', 'study file, or the name of one that comes with heddle')
    .option('--schemes <NAMES>', 'only these, with the options that the study gives them, or their defaults', list)
    .option('--seeds <N>', 'so many runs a scheme', wholeNumber(1, MOST_SEEDS))
    .option('--jobs <N>', 'runs at a time; default: one a core', wholeNumber(1, MOST_JOBS), availableParallelism())
    .option(
      '--shard <I/N>',
      'only the Ith of N equal parts, for a cluster; put together by `heddle sim report`',
      shard,
    );
  outputs(command)
    .option('--flows-out <FILE>', 'write a line a flow of every run to a file (CSV)')
    .addHelpText('after', COMPARE_HELP)
    .action(compareStudy);
}

function registerReport(sim: Command): void {
  const command = sim
    .command('report')
    .description('tables and pages from results that were written with --out, of shards as well')
    .argument('<RESULTS...>', 'files of results of one study');
  outputs(command)
    .addHelpText(
      'after',
      `${examples('heddle sim report part1.json part2.json --report report.html')}${EXIT_CODES_HELP}`,
    )
    .action((files: readonly string[], options: OutputOptions) => {
      try {
        if (isSweepFile(files[0]!)) {
          const sweep = readSweepResults(files);
          complainOfMissing(
            'runs',
            sweep.points.flatMap(({ results }) => missingRuns(results)),
          );
          complainOfMissing('points', missingPoints(sweep).map(pointText));
          saySweep(sweep, options);
          return;
        }
        const results = readResults(files);
        complainOfMissing('runs', missingRuns(results));
        say(results, options);
      } catch (error) {
        if (error instanceof ResultsError) throw new CommandError(error.message, EXIT_USAGE);
        throw error;
      }
    });
}

function complainOfMissing(what: 'runs' | 'points', missing: readonly string[]): void {
  if (missing.length === 0) return;
  const found =
    missing.length === 1 ? `one is missing (${missing[0]})` : `${missing.length} are missing (${missing[0]}, ...)`;
  complain([`not all ${what} of the study are here: ${found}`]);
}

function registerLists(sim: Command): void {
  sim
    .command('schemes')
    .description('the load-balancing schemes there are, or one with its options')
    .argument('[NAME]', 'one scheme')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('heddle sim schemes', 'heddle sim schemes conweave', 'heddle sim schemes --json'))
    .action(listSchemes);
  sim
    .command('studies')
    .description('the studies that come with heddle')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('heddle sim studies'))
    .action(listStudies);
  sim
    .command('flows')
    .description('the flows that a study draws from a seed, as a flow file to look at or to run again')
    .argument('<STUDY>', 'study file, or the name of one that comes with heddle')
    .option('--seed <N>', 'which draw', wholeNumber(0, 2 ** 31), 1)
    .addHelpText('after', examples('heddle sim flows permutation --seed 3 > flows.txt'))
    .action((name: string, { seed }: { seed: number }) => {
      const study = readStudyOf(studyPath(name));
      process.stdout.write(orUsage(() => writeFlows(flowsOf(study, seed), study.topology)));
    });
  sim
    .command('schema')
    .description('JSON Schema of the study file, for editors')
    .addHelpText('after', examples('heddle sim schema > study.schema.json'))
    .action(() => printJson(studyJsonSchema()));
}

function outputs(command: Command): Command {
  return command
    .option('--json', 'all results as JSON')
    .option('--columns <NAMES>', COLUMNS_HELP, columns)
    .option('--out <FILE>', 'write all results as JSON to a file')
    .option('--csv <FILE>', 'write a line a run to a file')
    .option('--report <FILE>', 'write a page with plots (HTML, opens from disk)');
}

async function compareStudy(name: string, options: CompareOptions): Promise<void> {
  const path = studyPath(name);
  const studies = readSweepOf(path, options.schemes).map((study) => chosenOf(study, options));
  const shares = sharesOf(studies, options.shard);
  const count = shares.flat().length;
  if (options.shard && count === 0) {
    const all = sharesOf(studies, undefined).flat().length;
    complain([`no run for part ${options.shard.index} of ${options.shard.count}: the study has ${all} in all`]);
  }
  orUsage(() => {
    for (const [point, study] of studies.entries()) checkSeeds(study, shares[point]!);
  });
  const { out, csv, report, flowsOut } = options;
  for (const file of [out, csv, report, flowsOut]) if (file !== undefined) requireFolder(file);
  if (flowsOut !== undefined) requireOneList(studies, shares[0]!);
  const line = new ProgressLine(count);
  const results: StudyResults[] = [];
  const failures: string[] = [];
  try {
    for (const [point, study] of studies.entries()) {
      const outcome = await runAll(study, path, { tasks: shares[point]!, options, line });
      if (flowsOut !== undefined) writeFlowRecords(flowsOut, outcome.runs);
      results.push(resultsOf(study, outcome.runs));
      failures.push(...outcome.failures.map((failure) => `${labelOf(study, failure)} failed: ${failure.reason}`));
    }
  } finally {
    line.end();
  }
  if (failures.length === 0 || results.some(({ runs }) => runs.length > 0)) {
    if (studies.length === 1) say(results[0]!, options);
    else saySweep(sweepResultsOf(studies, results), options);
  }
  if (failures.length === 0) return;
  complain(failures);
  throw new CommandError(`${failures.length} of ${count} runs failed`);
}

/** The tasks of each point of a sweep; of a shard, dealt through all of them. */
function sharesOf(studies: readonly Study[], shard: Shard | undefined): Task[][] {
  let before = 0;
  return studies.map((study) => {
    const all = tasksOf(study);
    const own = shard ? shardOf(all, shard.index, shard.count, before) : all;
    before += all.length;
    return own;
  });
}

function requireOneList(studies: readonly Study[], tasks: readonly Task[]): void {
  if (studies.length > 1) throw new CommandError('--flows-out: not of a study that sweeps', EXIT_USAGE);
  orUsage(() => flowsOf(studies[0]!, tasks[0]?.seed ?? studies[0]!.seeds[0]!));
}

function labelOf(study: Study, { scheme, seed }: Task): string {
  const label = `${study.schemes[scheme]!.label}, seed ${seed}`;
  const where = pointText(study.point);
  return where === '' ? label : `${where}: ${label}`;
}

async function runAll(
  study: Study,
  path: string,
  {
    tasks,
    options: { jobs, flowsOut },
    line,
  }: { readonly tasks: readonly Task[]; readonly options: CompareOptions; readonly line: ProgressLine },
): Promise<TaskRuns> {
  const label = (task: Task) => labelOf(study, task);
  const watcher = {
    progress: (task: Task, { finished, messages, now }: Progress) =>
      line.show(label(task), messages === 0 ? 1 : finished / messages, `${Math.round(now)} us`),
    done: (task: Task, { result: { flows } }: TimedRun) =>
      line.done(label(task), flows.finished < flows.count ? 'not all flows ended' : undefined),
    failed: (failure: TaskFailure) => line.done(label(failure), 'failed'),
  };
  return runTasks(study, path, tasks, { jobs, flows: flowsOut !== undefined, watcher });
}

/** Run by run: all of them may be more than a text can hold. */
function writeFlowRecords(file: string, runs: readonly TimedRun[]): void {
  write(file, FLOWS_HEAD);
  for (const { result, flows } of runs) appendFileSync(file, flowLines(result, flows ?? []));
}

/** Whatever is wrong with the flows of a seed is said before the first run. */
function checkSeeds(study: Study, tasks: readonly Task[]): void {
  for (const seed of new Set(tasks.map((task) => task.seed))) checkWorkload(study, seed);
}

/** The study with what the command line says otherwise, in its file as well: threads read that again. */
function chosenOf(study: Study, { schemes, seeds }: CompareOptions): Study {
  return {
    ...study,
    file: {
      ...study.file,
      ...(schemes && { schemes: study.schemes.map(schemeInFile) }),
      ...(seeds !== undefined && { seeds }),
    },
    seeds: seeds === undefined ? study.seeds : Array.from({ length: seeds }, (_, index) => index + 1),
  };
}

function say(results: StudyResults, options: OutputOptions): void {
  const { json, columns } = options;
  const document = documentOf(results);
  writeFiles(options, { document, csv: () => resultsCsv(results), page: () => reportPage(document) });
  if (json) printJson(document);
  else if (document.runs.length > 0)
    print(tables(document, columns ?? FIGURES.filter(({ group }) => USUAL_GROUPS.includes(group))));
  sayWritten(options);
}

function saySweep(results: SweepResults, options: OutputOptions): void {
  const { json, columns } = options;
  const document = sweepDocumentOf(results);
  writeFiles(options, { document, csv: () => sweepCsv(document), page: () => sweepPage(document) });
  if (json) printJson(document);
  else if (document.points.length > 0) {
    const width = Math.min(MOST_COLUMNS, terminalWidth());
    print(renderSweep(document, { figures: columns ?? SWEEP_FIGURES, width, paint: terminalPaint() }));
  }
  sayWritten(options);
}

function tables(document: ResultsDocument, figures: readonly Figure[]): string[] {
  const { comparison, findings } = document;
  const width = Math.min(MOST_COLUMNS, terminalWidth());
  const paint = terminalPaint();
  return [
    ...renderComparison(comparison, { figures, width, paint }),
    ...(findings.length === 0 ? [] : ['', ...renderFindings(findings, { width, paint })]),
    '',
    ...wrapped(profileLine(document), width).map(paint.dim),
  ];
}

function listSchemes(name: string | undefined, { json }: { json?: true }): void {
  const found = name === undefined ? SCHEMES : [orUsage(() => withOptions(name, {})).definition];
  const values = found.map(({ name, summary, defaults, meaning }) => ({ name, summary, defaults, meaning }));
  if (json) printJson(name === undefined ? values : values[0]);
  else if (name === undefined) print(renderSchemes(values, terminalPaint()));
  else print(renderScheme(values[0]!, terminalPaint()));
}

function listStudies({ json }: { json?: true }): void {
  const studies = studyNames().map((name) => {
    const { description } = readStudyOf(`${STUDIES}${name}.yaml`).file;
    return { name, description: description ?? '' };
  });
  if (json) printJson(studies);
  else print(studies.map((study) => `${study.name.padEnd(24)}${study.description}`));
}

function studyPath(name: string): string {
  if (existsSync(name)) return name;
  const names = studyNames();
  if (names.includes(name)) return `${STUDIES}${name}.yaml`;
  const near = suggest(name, names);
  // What has a folder or an ending is meant as a file.
  if (near === undefined && !/^[\w-]+$/.test(name)) return name;
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  throw new CommandError(
    `${name}: no such file, and no study that comes with heddle${hint} (\`heddle sim studies\` lists them)`,
    EXIT_USAGE,
  );
}

function studyNames(): string[] {
  const files = readdirSync(STUDIES).filter((file) => file.endsWith('.yaml'));
  return files.sort().map((file) => file.slice(0, -'.yaml'.length));
}

function readStudyOf(path: string): Study {
  return readSweepOf(path)[0]!;
}

/** @param only names of `--schemes` */
function readSweepOf(path: string, only?: readonly string[]): readonly Study[] {
  try {
    return readSweep(path, only);
  } catch (error) {
    if (error instanceof SimulationInputError) throw new CommandError(`--schemes: ${error.message}`, EXIT_USAGE);
    if (error instanceof ConfigError) throw new CommandError(error.lines.join('\n'), EXIT_USAGE);
    throw error;
  }
}

/** What users wrote and cannot be run ends the command with 2. */
function orUsage<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SimulationInputError) throw new CommandError(error.message, EXIT_USAGE);
    throw error;
  }
}

/** Long runs are not to end in a file that cannot be written. */
function requireFolder(file: string): void {
  try {
    accessSync(dirname(resolve(file)), constants.W_OK);
  } catch {
    throw new CommandError(`${file} cannot be written: no such folder, or no permission`, EXIT_USAGE);
  }
}

interface Contents {
  readonly document: object;
  readonly csv: () => string;
  readonly page: () => string;
}

function writeFiles({ out, csv, report }: OutputOptions, contents: Contents): void {
  if (out !== undefined) write(out, `${JSON.stringify(contents.document)}\n`);
  if (csv !== undefined) write(csv, contents.csv());
  if (report !== undefined) write(report, contents.page());
}

function sayWritten({ out, csv, report }: OutputOptions): void {
  const files = [out, csv, report].filter((file) => file !== undefined);
  if (files.length > 0) complain([`written: ${files.join(', ')}`]);
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function columns(text: string): Figure[] {
  return list(text).flatMap((name) => {
    const found = figuresNamed(name);
    if (found.length > 0) return found;
    const groups = Object.keys(FIGURE_GROUPS);
    const hint = suggest(name, [...groups, ...FIGURES.map(({ key }) => key)]);
    throw new InvalidArgumentError(
      `There is no ${name}${hint === undefined ? '' : ` (did you mean ${hint}?)`}: groups are ${groups.join(', ')} and all; figures have the names of the columns of --csv.`,
    );
  });
}

function list(text: string): string[] {
  return text.split(',').map((one) => one.trim());
}

function shard(text: string): Shard {
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(text);
  const [index, count] = [Number(match?.[1]), Number(match?.[2])];
  if (match && index >= 1 && index <= count) return { index, count };
  throw new InvalidArgumentError('It is a part such as 3/8: the third of eight.');
}
