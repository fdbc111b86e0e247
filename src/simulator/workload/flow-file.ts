/**
 * Flows as text, to look at, to keep and to run again. Our form has a line a flow, blanks between words, `#` before a remark:
 *
 *   START SOURCE DESTINATION OCTETS [dscp=N | pcp=N]
 *   53.125 host1 host17 1785            (start in nanoseconds, three decimals at most; hosts by name)
 *
 * The other form is that of the public ns-3 models of RoCEv2 fabrics: the number of flows, then `source destination priority octets start` with hosts
 * by number, the priority that of 802.1Q, and seconds.
 */
import { SimulationInputError } from '../input-error.js';
import type { Topology } from '../network/topology.js';
import { CONTROL_CLASS, TRAFFIC_CLASSES, type TrafficClass } from '../network/traffic-classes.js';
import { serviceClassOf } from './flow-class.js';
import type { Flow } from './flow-list.js';

const PS_PER_NS = 1000;
const PS_PER_SECOND = 1e12;
const NS_PER_SECOND = 1e9;
const MOST_OCTETS = 2 ** 40;
/** What the ns-3 models have for RDMA, and begin to send at. */
const NS3_PRIORITY = 3;
export const NS3_OFFSET = 2;

interface Line {
  readonly number: number;
  readonly words: readonly string[];
}

/** Reads either form: the first line of ns-3's is a number alone. `classes`: where the switches put code points. */
export function parseFlows(
  text: string,
  topology: Topology,
  classes: readonly TrafficClass[] = TRAFFIC_CLASSES,
): Flow[] {
  const flows = parseEither(text, topology);
  for (const { line, flow } of flows) check(line, flow, classes);
  return flows.map(({ flow }) => flow);
}

interface FlowLine {
  readonly line: Line;
  readonly flow: Flow;
}

function parseEither(text: string, topology: Topology): FlowLine[] {
  const lines = linesOf(text);
  const [first, ...rest] = lines;
  if (!first) throw new SimulationInputError('no flow in the flow file');
  if (first.words.length === 1) return parseNs3(first, rest, topology);
  const hosts = new Map(topology.names.slice(0, topology.hosts).map((name, host) => [name, host]));
  return lines.map((line) => ({ line, flow: parseLine(line, hosts) }));
}

function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .map((line, index) => ({ number: index + 1, words: words(line) }))
    .filter((line) => line.words.length > 0);
}

function words(line: string): string[] {
  const remark = line.indexOf('#');
  const said = (remark < 0 ? line : line.slice(0, remark)).trim();
  return said === '' ? [] : said.split(/\s+/);
}

function parseLine(line: Line, hosts: ReadonlyMap<string, number>): Flow {
  const [start, source, destination, octets, mark, ...more] = line.words;
  if (octets === undefined || more.length > 0) {
    throw bad(line, `${line.words.length} words, expected START SOURCE DESTINATION OCTETS [dscp=N | pcp=N]`);
  }
  return {
    source: hostNamed(line, source!, hosts),
    destination: hostNamed(line, destination!, hosts),
    octets: wholeNumber(line, 'octets', octets),
    start: Math.round(decimal(line, 'start', start!, 3) * PS_PER_NS),
    ...(mark !== undefined && markOf(line, mark)),
  };
}

function markOf(line: Line, mark: string): Pick<Flow, 'dscp' | 'pcp'> {
  const [, key, value] = /^(dscp|pcp)=(\d{1,2})$/.exec(mark) ?? [];
  const most = key === 'dscp' ? 63 : 7;
  if (key === undefined || Number(value) > most) {
    throw bad(line, `${mark}: expected dscp=0 to dscp=63 or pcp=0 to pcp=7`);
  }
  return key === 'dscp' ? { dscp: Number(value) } : { pcp: Number(value) };
}

function hostNamed(line: Line, name: string, hosts: ReadonlyMap<string, number>): number {
  const host = hosts.get(name);
  if (host === undefined) throw bad(line, `${name} is no host of this fabric`);
  return host;
}

function parseNs3(count: Line, lines: readonly Line[], { hosts }: Topology): FlowLine[] {
  const said = wholeNumber(count, 'number of flows', count.words[0]!);
  if (said !== lines.length) {
    throw bad(count, `${said} flows are announced and ${lines.length} follow`);
  }
  if (said === 0) throw new SimulationInputError('no flow in the flow file');
  return lines.map((line) => ({ line, flow: parseNs3Line(line, hosts) }));
}

function parseNs3Line(line: Line, hosts: number): Flow {
  const [source, destination, priority, octets, start, ...more] = line.words;
  if (start === undefined || more.length > 0) {
    throw bad(line, `${line.words.length} words, expected SOURCE DESTINATION PRIORITY OCTETS SECONDS`);
  }
  const pcp = wholeNumber(line, 'priority', priority!);
  if (pcp > 7) throw bad(line, `priority ${pcp}: 0 to 7`);
  const seconds = decimal(line, 'start', start, 12);
  if (seconds < NS3_OFFSET) throw bad(line, `start ${start}: flows of this form begin at ${NS3_OFFSET} seconds`);
  return {
    source: hostNumbered(line, source!, hosts),
    destination: hostNumbered(line, destination!, hosts),
    octets: wholeNumber(line, 'octets', octets!),
    start: Math.round((seconds - NS3_OFFSET) * NS_PER_SECOND) * PS_PER_NS,
    ...(pcp !== NS3_PRIORITY && { pcp }),
  };
}

function hostNumbered(line: Line, word: string, hosts: number): number {
  const host = wholeNumber(line, 'host', word);
  if (host >= hosts) throw bad(line, `host ${host}: this fabric has hosts 0 to ${hosts - 1}`);
  return host;
}

function check(line: Line, flow: Flow, classes: readonly TrafficClass[]): void {
  if (flow.source === flow.destination) throw bad(line, 'a host that sends to itself');
  if (flow.octets < 1 || flow.octets > MOST_OCTETS) throw bad(line, `${flow.octets} octets: 1 to ${MOST_OCTETS}`);
  if (serviceClassOf(flow, classes) === CONTROL_CLASS) {
    throw bad(line, 'its mark leads into the class of congestion notifications, which are not flows');
  }
}

/** With so many decimals at most; made once, and not for each line. */
const THREE_DECIMALS = /^\d{1,12}(\.\d{1,3})?$/;
const TWELVE_DECIMALS = /^\d{1,12}(\.\d{1,12})?$/;

function wholeNumber(line: Line, what: string, word: string): number {
  if (!/^\d{1,15}$/.test(word)) throw bad(line, `${what} ${word}: not a whole number`);
  return Number(word);
}

function decimal(line: Line, what: string, word: string, decimals: 3 | 12): number {
  if ((decimals === 3 ? THREE_DECIMALS : TWELVE_DECIMALS).test(word)) return Number(word);
  throw bad(line, `${what} ${word}: not a number with at most ${decimals} decimals`);
}

function bad(line: Line, reason: string): SimulationInputError {
  return new SimulationInputError(`flow file line ${line.number}: ${reason}`);
}

/** Our form; `parseFlows` reads the same flows from it. */
export function writeFlows(flows: readonly Flow[], topology: Topology): string {
  const lines = flows.map(({ source, destination, octets, start, dscp, pcp }) => {
    const mark = pcp !== undefined ? ` pcp=${pcp}` : dscp !== undefined ? ` dscp=${dscp}` : '';
    return `${start / PS_PER_NS} ${topology.names[source]} ${topology.names[destination]} ${octets}${mark}`;
  });
  return ['# start (ns) source destination octets', ...lines, ''].join('\n');
}

/** The form of the ns-3 models, for a run of them with the same flows: starts to the nanosecond. */
export function writeNs3Flows(flows: readonly Flow[]): string {
  const lines = flows.map(({ source, destination, octets, start, pcp }) => {
    const seconds = (start / PS_PER_SECOND + NS3_OFFSET).toFixed(9);
    return `${source} ${destination} ${pcp ?? NS3_PRIORITY} ${octets} ${seconds}`;
  });
  return [`${flows.length}`, ...lines, ''].join('\n');
}
