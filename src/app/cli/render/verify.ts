/** `heddle verify`: matrices of the leaves, differences, and what a failure would do. */
import { counted, countedPrefixes } from '../../../core/net/counted.js';
import type { Fabric } from '../../../edge/control/schema.js';
import { type Difference, grouped, sentence } from '../../verify/difference.js';
import { expectedMatrix, seenMatrix } from '../../verify/matrix.js';
import type { Prediction } from '../../verify/model.js';
import type { FabricState } from '../../verify/observation.js';
import type { Verification } from '../../verify/verify.js';
import type { Move, WhatIf } from '../../verify/what-if.js';
import { type MatrixLayout, renderMatrix, WRONG } from './fabric.js';
import { FABRIC_LEGEND } from './fabric-marks.js';
import type { Paint } from './paint.js';
import { type Row, table } from './table.js';
import { colourText } from './words.js';

export interface Screen {
  readonly paint: Paint;
  readonly width: number;
}

export interface VerifyReport {
  readonly verification: Verification;
  readonly state: FabricState;
  /** What was done beside looking: `1024 probes to 8 prefixes`. */
  readonly done: readonly string[];
}

export function renderVerification({ verification, state, done }: VerifyReport, screen: Screen): string[] {
  const { assumed, differences } = verification;
  const { paint } = screen;
  return [
    paint.dim(`${FABRIC_LEGEND}   ${WRONG} not as expected`),
    ...leaves(assumed).flatMap((leaf) => {
      const seen = state.routers.get(leaf.name);
      if (!seen || seen.silent !== null) return ['', `${leaf.name}: ${paint.bad('no answer')}`];
      const matrix = seenMatrix(assumed, leaf, seen);
      const isWrong = wrongCells(matrix, expectedMatrix(assumed, leaf));
      return ['', ...headed(leaf.name, matrix, { ...screen, isWrong })];
    }),
    '',
    ...notes(assumed, paint),
    ...done.map((line) => paint.dim(line)),
    ...verdict(verification, paint),
    ...grouped(differences).map((group) => paint.bad(`  ${sentence(group)}`)),
  ];
}

function leaves({ plan }: Prediction) {
  return plan.routers.filter(({ role }) => role === 'leaf');
}

function headed(leaf: string, matrix: Fabric, layout: MatrixLayout): string[] {
  const blocks = renderMatrix(matrix, layout);
  return [layout.paint.strong(leaf), ...blocks.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))];
}

function wrongCells(seen: Fabric, expected: Fabric): (prefix: string, uplink: string) => boolean {
  const wrong = new Set(
    seen.rows.flatMap(({ prefix, cells }, row) =>
      cells.flatMap((cell, index) => {
        const due = expected.rows[row]?.cells[index];
        const same = due && cell.state === due.state && cell.colour === due.colour && cell.aigp === due.aigp;
        return same ? [] : [`${prefix} ${seen.uplinks[index]!.interface}`];
      }),
    ),
  );
  return (prefix, uplink) => wrong.has(`${prefix} ${uplink}`);
}

function notes(prediction: Prediction, paint: Paint): string[] {
  return prediction.notes.map((note) => paint.dim(`expected: ${note}`));
}

function verdict({ assumed, differences }: Verification, paint: Paint): string[] {
  const { routers } = assumed.plan;
  const failed = assumed.links.filter(({ up }) => !up).map(({ name }) => name);
  const given = failed.length === 0 ? '' : ` with ${failed.join(', ')} down`;
  const scope = `${counted(routers.length, 'router')}, ${countedPrefixes(assumed.prefixes.length)}`;
  if (differences.length === 0) return [paint.good(`all as expected${given}: ${scope}`)];
  const groups = grouped(differences).length;
  return [paint.bad(`${counted(groups, 'difference')} from what is expected${given} (${scope}):`)];
}

export interface CaptureReport {
  readonly prediction: Prediction;
  /** Directions of sessions that the captures show. */
  readonly sessions: number;
  readonly differences: readonly Difference[];
}

export function renderCaptures({ prediction, sessions, differences }: CaptureReport, paint: Paint): string[] {
  const shown = `${counted(sessions, 'direction')} of sessions`;
  const groups = grouped(differences);
  return [
    ...notes(prediction, paint),
    groups.length === 0
      ? paint.good(`all that was told is as expected: ${shown}`)
      : paint.bad(`${counted(groups.length, 'difference')} from what is expected (${shown}):`),
    ...groups.map((group) => paint.bad(`  ${sentence(group)}`)),
  ];
}

export function renderPrediction(prediction: Prediction, screen: Screen): string[] {
  return [
    screen.paint.dim(FABRIC_LEGEND),
    ...leaves(prediction).flatMap((leaf) => ['', ...headed(leaf.name, expectedMatrix(prediction, leaf), screen)]),
    '',
    ...notes(prediction, screen.paint),
  ];
}

export function renderWhatIf(report: WhatIf, screen: Screen): string[] {
  const { before, after, failed, moves } = report;
  const { paint } = screen;
  return [
    `with ${failed.join(', ')} down, as the model has it:`,
    paint.dim(FABRIC_LEGEND),
    ...leaves(before).flatMap((leaf) => {
      const own = moves.filter(({ router }) => router === leaf.name);
      const texts = new Set(own.map(({ prefix }) => prefix.text));
      const matrix = (prediction: Prediction) =>
        expectedMatrix(prediction, leaf, ({ prefix }) => texts.has(prefix.text));
      if (own.length === 0) return [];
      return [
        '',
        ...headed(`${leaf.name} before`, matrix(before), screen),
        '',
        ...headed(`${leaf.name} after`, matrix(after), screen),
      ];
    }),
    '',
    ...moveLines(report, paint),
    '',
    ...loadLines(report, paint),
    '',
    ...cutOffLines(report, paint),
    ...notes(after, paint),
  ];
}

function moveLines({ moves, thinned }: WhatIf, paint: Paint): string[] {
  return [
    moves.length === 0 ? 'no prefix moves' : `${counted(moves.length, 'route')} move:`,
    ...movesAlike(moves).map((alike) => `  ${moveText(alike, paint)}`),
    ...(thinned.length === 0 ? [] : [`${counted(thinned.length, 'route stays', 'routes stay')}, with less behind`]),
  ];
}

/** Those of one router that go from the same interfaces to the same others. */
function movesAlike(moves: readonly Move[]): (readonly Move[])[] {
  const alike = new Map<string, Move[]>();
  for (const move of moves) {
    const key = JSON.stringify([move.router, move.before.preferred, move.after.preferred]);
    alike.set(key, [...(alike.get(key) ?? []), move]);
  }
  return [...alike.values()];
}

function moveText(alike: readonly Move[], paint: Paint): string {
  const [{ router, prefix, before, after }] = alike as readonly [Move];
  const list = (names: readonly string[]) => (names.length === 0 ? paint.bad('nobody') : names.join(', '));
  const colours = [...new Set(alike.map((move) => move.prefix.colour ?? null))];
  const coloured = colours.map((colour) => paint.fabric(colour)(colourText(colour))).join(', ');
  const what = alike.length === 1 ? prefix.text : countedPrefixes(alike.length);
  return `${router} ${what} (${coloured}): ${list(before.preferred)} -> ${list(after.preferred)}`;
}

/** One unit: what a host sends to another on one colour. */
function loadLines({ loads, after }: WhatIf, paint: Paint): string[] {
  const fabric = after.links.filter(({ kind }) => kind === 'fabric');
  const rows = fabric.map(({ name, a, up }): Row => {
    const ways = [true, false].map((out) => loads.find((one) => one.link === name && (one.from === a.node) === out)!);
    const cells = ways.flatMap(({ before, after: now }) => [
      amount(before),
      { text: amount(now), style: now > before ? paint.warn : now < before ? paint.dim : (text: string) => text },
    ]);
    return { cells: [up ? name : { text: `${name} down`, style: paint.bad }, ...cells] };
  });
  const right = (title: string) => ({ title, align: 'right' as const });
  return [
    'loads when every host sends one unit to every other on each colour:',
    ...table([{ title: 'LINK' }, right('UP'), right('AFTER'), right('DOWN'), right('AFTER')], rows, paint),
  ];
}

function amount(load: number): string {
  return Number.isInteger(load) ? String(load) : load.toFixed(2);
}

function cutOffLines({ cutOff }: WhatIf, paint: Paint): string[] {
  if (cutOff.length === 0) return [paint.good('nobody is cut off')];
  const pairs = new Map<string, number[]>();
  for (const { flow, at } of cutOff) {
    const key = `${flow.from} cannot reach ${flow.to} (dropped at ${at})`;
    pairs.set(key, [...(pairs.get(key) ?? []), flow.colour]);
  }
  return [...pairs].map(([text, colours]) => paint.bad(`${text}: colour ${[...new Set(colours)].join(', ')}`));
}
