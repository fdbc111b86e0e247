/**
 * Names that commands take, from who knows them: files of the disk, daemons by their sockets, neighbours and prefixes of a daemon that is asked,
 * nodes and links of a lab. Where nobody can be asked there are none: a TAB is no place for an error.
 */
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ControlClient } from '../../../edge/control/client.js';
import { SCHEMES } from '../../../simulator/schemes/catalogue.js';
import { knownLabs, loadLab } from '../../lab/lab.js';
import type { LabPlan } from '../../lab/plan.js';
import { linkNames } from '../../verify/failures.js';
import { chooseSocket, nodesIn, RUN_DIRECTORY } from '../socket-choice.js';
import type { Candidate, Wanted } from './complete.js';

/** More than this nobody reads, and a table may have a million. */
const MOST_PREFIXES = 200;
/** Prefixes looked through, the first of the table. */
const LOOKED_THROUGH = 20_000;

type Source = (wanted: Wanted) => Promise<readonly Candidate[]> | readonly Candidate[];

const OF_OPTIONS: Readonly<Record<string, Source>> = {
  '--node': () => plain(nodesIn(RUN_DIRECTORY)),
  '--lab': () => plain(knownLabs()),
  '--family': () => plain(['ipv4', 'ipv6']),
  '--fail': links,
  '--schemes': schemes,
};

/** By command and placeholder. */
const OF_ARGUMENTS: Readonly<Record<string, Source>> = {
  'neighbor NAME': neighbors,
  'show neighbors NAME': neighbors,
  'show route PREFIX': prefixes,
  'explain PREFIX': prefixes,
  'lab exec NODE': (wanted) => inLab(wanted, (lab) => [...lab.routers, ...lab.hosts].map(({ name }) => name)),
  'lab fail A:B': links,
  'lab heal A:B': links,
  'traffic HOST': hosts,
  'trace SRC': hosts,
  'trace DST': hosts,
  'host plan HOST': hosts,
  'sim schemes NAME': schemes,
};

const FILES: readonly string[] = ['FILE', 'PATH', 'DIR', 'TOPOLOGY', 'RESULTS', 'STUDY'];

export async function names(wanted: Wanted): Promise<readonly Candidate[]> {
  const { option, command, placeholder, begun } = wanted;
  const source = option ? OF_OPTIONS[option] : OF_ARGUMENTS[`${command} ${placeholder}`];
  try {
    if (source) return await source(wanted);
    return FILES.includes(placeholder) ? files(begun) : [];
  } catch {
    return [];
  }
}

/** Of a folder as typed, the folders in it with a slash behind; hidden ones when asked for. */
export function files(begun: string): readonly Candidate[] {
  const typed = begun.slice(0, begun.lastIndexOf('/') + 1);
  const folder = typed.startsWith('~/') ? join(homedir(), typed.slice(2)) : typed || '.';
  const hidden = begun.slice(typed.length).startsWith('.');
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => hidden || !name.startsWith('.'))
    .map((entry) => ({ value: `${typed}${entry.name}${entry.isDirectory() ? '/' : ''}`, description: '' }))
    .sort((one, other) => (one.value < other.value ? -1 : 1));
}

async function neighbors(wanted: Wanted): Promise<readonly Candidate[]> {
  const known = await daemonOf(wanted).neighbors();
  const described = (hostname: string | null, state: string) => (hostname === null ? state : `${hostname}, ${state}`);
  const named = known.map(({ name, hostname, state }) => ({ value: name, description: described(hostname, state) }));
  const interfaces = known.filter((one) => one.interface !== '' && one.interface !== one.name);
  return [
    ...interfaces.map((one) => ({ value: one.interface, description: described(one.hostname, one.state) })),
    ...named,
  ];
}

async function prefixes(wanted: Wanted): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  for await (const routes of daemonOf(wanted).routes({ limit: LOOKED_THROUGH })) {
    for (const { prefix, preferred } of routes) {
      if (prefix.startsWith(wanted.begun)) found.push({ value: prefix, description: preferred.join(', ') });
      if (found.length >= MOST_PREFIXES) return found;
    }
  }
  return found;
}

function daemonOf({ options }: Wanted): ControlClient {
  const [socket, node] = [options.get('socket'), options.get('node')];
  return new ControlClient(chooseSocket({ ...(socket && { socket }), ...(node && { node }) }));
}

function hosts(wanted: Wanted): readonly Candidate[] {
  return inLab(wanted, (lab) => lab.hosts.map(({ name }) => name));
}

function links(wanted: Wanted): readonly Candidate[] {
  return inLab(wanted, (lab) => [...linkNames(lab).keys()]);
}

function inLab({ options }: Wanted, list: (lab: LabPlan) => readonly string[]): readonly Candidate[] {
  return plain(list(loadLab(options.get('lab')).plan));
}

/** One, or the last of several with commas between. */
function schemes({ begun, option }: Wanted): readonly Candidate[] {
  const before = option ? begun.slice(0, begun.lastIndexOf(',') + 1) : '';
  return SCHEMES.map(({ name, summary }) => ({ value: `${before}${name}`, description: summary }));
}

function plain(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ value, description: '' }));
}
