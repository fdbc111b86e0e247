/** What a study lets happen to links, as links of its fabric. */
import type { Topology } from '../../simulator/network/topology.js';
import type { FieldPath } from '../config/problem.js';
import { suggest } from '../config/suggestion.js';
import { StudyProblem } from './study-problem.js';
import type { StudyFile } from './study-schema.js';

export interface FabricFailure {
  readonly at: number;
  readonly until: number | undefined;
  readonly link: number;
  readonly rate: number | undefined;
  readonly loss: number | undefined;
}

/** Throws StudyProblem: a failure that ends before it begins, of a link that is not there, or of a host's, which no router of the play has. */
export function failuresOf({ failures }: StudyFile, topology: Topology): FabricFailure[] {
  return failures.map(({ at, until, link: name, rate, loss }, index) => {
    const path = ['failures', index];
    if (until !== undefined && until <= at) {
      throw new StudyProblem([...path, 'until'], `link ${name}: expected a time after that of at`);
    }
    if (loss === 1) {
      throw new StudyProblem(
        [...path, 'loss'],
        `link ${name}: expected less than 100%; a link without rate and loss is down`,
      );
    }
    const link = linkNamed(topology, name, [...path, 'link']);
    const { a, b } = topology.links[link]!;
    if (rate === undefined && loss === undefined && (a < topology.hosts || b < topology.hosts)) {
      throw new StudyProblem(
        [...path, 'link'],
        `${name} is a host's only link; expected a rate or loss with it, or a link between switches`,
      );
    }
    return { at, until, link, rate, loss };
  });
}

function linkNamed(topology: Topology, text: string, path: FieldPath): number {
  const match = /^([^:/]+):([^:/]+)(?:\/(\d{1,6}))?$/.exec(text);
  if (!match) {
    throw new StudyProblem(
      path,
      `expected a link such as leaf1:spine2 or leaf1:spine2/2, found ${JSON.stringify(text)}`,
    );
  }
  const [one, other] = [match[1]!, match[2]!].map((name) => nodeNamed(topology, name, path));
  const between = topology.links.flatMap(({ a, b }, index) =>
    (a === one && b === other) || (a === other && b === one) ? [index] : [],
  );
  const number = Number(match[3] ?? 1);
  const link = between[number - 1];
  if (link !== undefined) return link;
  const found =
    between.length === 0
      ? `${match[1]} has links to ${neighboursOf(topology, one!)}`
      : `there ${between.length === 1 ? 'is one' : `are ${between.length}`} between the two`;
  throw new StudyProblem(path, `there is no link ${text} in the fabric; ${found}`);
}

function nodeNamed({ names }: Topology, name: string, path: FieldPath): number {
  const node = names.indexOf(name);
  if (node >= 0) return node;
  const near = suggest(name, names);
  const kinds = [...new Set(names.map((one) => one.replace(/\d+$/, '')))].map((kind) => rangeOf(names, kind));
  throw new StudyProblem(
    path,
    `there is no ${name} in the fabric${near === undefined ? '' : `; did you mean ${near}?`} (it has ${kinds.join(', ')})`,
  );
}

/** `leaf1 to leaf8`. */
function rangeOf(names: readonly string[], kind: string): string {
  const all = names.filter((name) => name.replace(/\d+$/, '') === kind);
  return all.length === 1 ? all[0]! : `${all[0]} to ${all.at(-1)}`;
}

/** More names than these are no help on one line. */
const MOST_NAMES = 8;

function neighboursOf({ links, names }: Topology, node: number): string {
  const others = links.flatMap(({ a, b }) => (a === node ? [b] : b === node ? [a] : []));
  const found = [...new Set(others)].map((other) => names[other]!);
  const shown = found.slice(0, MOST_NAMES).join(', ');
  return found.length > MOST_NAMES ? `${shown} and ${found.length - MOST_NAMES} others` : shown;
}
