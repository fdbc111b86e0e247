/** Parts of a support archive that a daemon tells: every `show`, as JSON and as text, and its metrics. */
import type { ControlClient } from '../../../edge/control/client.js';
import { renderBfd } from '../render/bfd.js';
import { renderDlb, renderPlanePrefixes } from '../render/dlb.js';
import { renderFabric } from '../render/fabric.js';
import { renderFib, renderFibDifferences } from '../render/fib.js';
import { renderInterfaces } from '../render/interfaces.js';
import { renderNeighbor, renderNeighbors } from '../render/neighbors.js';
import { plainPaint } from '../render/paint.js';
import { renderRoutes } from '../render/routes.js';
import { renderSummary } from '../render/summary.js';
import type { Part } from './bundle.js';

/** Prefixes: a full table of a million would take minutes. */
const MOST_ROUTES = 20_000;
const WIDTH = 200;

export function daemonParts(client: ControlClient): Part[] {
  const paint = plainPaint;
  return [
    ...show(
      'summary',
      () => client.summary(),
      (value) => renderSummary(value, paint),
    ),
    ...show(
      'neighbors',
      () => client.neighbors(),
      (value) => [
        ...renderNeighbors(value, paint),
        ...value.flatMap((one) => ['', ...renderNeighbor(one, paint, WIDTH)]),
      ],
    ),
    ...show(
      'interfaces',
      () => client.interfaces(),
      (value) => renderInterfaces(value, paint),
    ),
    ...show(
      'fabric',
      () => client.fabric(),
      (value) => renderFabric(value, paint, WIDTH),
    ),
    ...show(
      'bfd',
      () => client.bfd(),
      (value) => renderBfd(value, paint),
    ),
    ...show(
      'dlb',
      () => client.dlb(),
      (value) => renderDlb(value, paint),
    ),
    ...show(
      'dlb-prefixes',
      () => client.planePrefixes(),
      (value) => renderPlanePrefixes(value, paint),
    ),
    ...show(
      'routes',
      () => gathered(client.routes({ limit: MOST_ROUTES })),
      (value) => gathered(renderRoutes(inOnePiece(value), paint)),
    ),
    ...show(
      'fib',
      async () => ({ entries: await client.fib(), notes: await client.fibNotes() }),
      (value) => renderFib(value.entries, value.notes, paint),
    ),
    ...show(
      'fib-diff',
      () => client.fibDifferences(),
      (value) => renderFibDifferences(value, paint),
    ),
    { name: 'metrics.txt', read: () => client.metrics() },
  ];
}

/** Asked once: the text is made of what the JSON was made of. */
function show<T>(
  name: string,
  ask: () => Promise<T>,
  render: (value: T) => readonly string[] | Promise<readonly string[]>,
): Part[] {
  let asked: Promise<T> | undefined;
  const answer = () => (asked ??= ask());
  return [
    { name: `show/${name}.json`, read: async () => `${JSON.stringify(await answer(), null, 2)}\n` },
    { name: `show/${name}.txt`, read: async () => (await render(await answer())).map((line) => `${line}\n`).join('') },
  ];
}

async function gathered<T>(pieces: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const piece of pieces) for (const one of piece) all.push(one);
  return all;
}

async function* inOnePiece<T>(value: T): AsyncGenerator<T> {
  yield value;
}
