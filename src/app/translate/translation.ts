/**
 * A configuration of another implementation as one of heddle: the shape that the readers of FRR and of Junos fill, and the text that comes of it.
 * What has no place in it is named line by line, with the reason: as comments at the end, and to whoever asked.
 */
import { stringify } from 'yaml';
import { parseConfig } from '../config/parse-config.js';

/** As in a configuration file; what is given of a session. */
export type Settings = Record<string, unknown>;

export interface HostPrefixDraft {
  readonly prefix: string;
  readonly gateway?: string;
  colour?: number;
}

export interface AdvertisedDraft {
  readonly prefix: string;
  colour?: number;
  'backup-colours'?: number[];
}

/** A term of a policy. */
export interface TermDraft {
  name?: string;
  match?: Settings;
  set?: Settings;
  action?: 'accept' | 'reject' | 'next';
}

export interface Draft {
  name?: string;
  role?: 'leaf' | 'spine';
  as?: number | string;
  'router-id'?: string;
  'cluster-id'?: string;
  families?: string[];
  fabric: Record<string, Settings>;
  neighbors: Record<string, Settings>;
  'peer-groups': Record<string, Settings>;
  hosts: Record<string, { prefixes: HostPrefixDraft[] }>;
  advertise: AdvertisedDraft[];
  'prefix-lists': Record<string, string[]>;
  'community-lists': Record<string, string[]>;
  policies: Record<string, TermDraft[]>;
  dpf?: Settings;
  'graceful-restart'?: Settings;
  timers?: Settings;
}

export interface Leftover {
  /** From 1 on. */
  readonly line: number;
  readonly text: string;
  readonly why: string;
}

export interface Translation {
  readonly draft: Draft;
  /** What the operator should know of what was translated. */
  readonly remarks: readonly string[];
  readonly left: readonly Leftover[];
}

export function emptyDraft(): Draft {
  return {
    fabric: {},
    neighbors: {},
    'peer-groups': {},
    hosts: {},
    advertise: [],
    'prefix-lists': {},
    'community-lists': {},
    policies: {},
  };
}

export interface Written {
  readonly text: string;
  /** What `heddle check` would refuse in it; none but for values that mean something else there. */
  readonly problems: readonly string[];
}

/** @param origin what it was translated from: a file name */
export function writeTranslation({ draft, remarks, left }: Translation, origin: string): Written {
  const head = [
    `Translated from ${origin}. Try it: heddle check FILE, then heddle doctor FILE on the machine.`,
    ...remarks,
  ];
  const tail = left.length === 0 ? [] : ['Not translated:', ...left.map(leftoverText)];
  const body = stringify(withoutEmpty(draft), { lineWidth: 140, aliasDuplicateObjects: false });
  const text = [...head.map(comment), '', body, ...tail.map(comment)].join('\n').trimEnd();
  const parsed = parseConfig(text);
  const problems = parsed.config ? [] : parsed.problems.map(({ line, message }) => `line ${line}: ${message}`);
  return { text: `${text}\n`, problems };
}

/** `line 7: router ospf: why`. */
export function leftoverText({ line, text, why }: Leftover): string {
  return `line ${line}: ${text}: ${why}`;
}

function comment(text: string): string {
  return `# ${printable(text)}`;
}

/** In one line, and without octets that a terminal or YAML would take for something else. */
function printable(text: string): string {
  return text.replaceAll(/[^\t\x20-\x7e\u00a0-\ud7ff\uf900-\ufdcf]/g, '?');
}

/** In the order of a file that is written by hand. */
const ORDER = [
  ...['name', 'role', 'as', 'router-id', 'cluster-id', 'families', 'timers', 'dpf', 'graceful-restart'],
  ...['fabric', 'peer-groups', 'neighbors', 'hosts', 'advertise', 'prefix-lists', 'community-lists', 'policies'],
] as const satisfies readonly (keyof Draft)[];

/** Without a neighbour a file needs the section of the fabric all the same. */
function withoutEmpty(draft: Draft): object {
  const needsFabric = Object.keys(draft.neighbors).length === 0;
  const kept = ORDER.filter(
    (key) => draft[key] !== undefined && (!isEmpty(draft[key]) || (key === 'fabric' && needsFabric)),
  );
  return Object.fromEntries(kept.map((key) => [key, draft[key]]));
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
