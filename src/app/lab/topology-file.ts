/** The YAML shape of a lab topology (labs/*.yaml): keys, defaults and what must fit together. */
import { z } from 'zod';
import { parsePrefix } from '../../core/net/prefix.js';
import type { Role } from '../../core/speaker/config.js';
import { asNumber, colour, wholeNumber } from '../config/file-values.js';
import { parseRate, RATE_EXPECTED } from './link-rate.js';
import { expandPattern, hostName, MAX_INTERFACE_NAME, portName } from './plan.js';
import { DPF_MODES, IMPLEMENTATIONS, type Implementation, isBird, type RouterSpec, type Topology } from './topology.js';

const MAX_ROUTERS = 64;
const DEFAULT_PATTERN = 'fc00:{leaf}:{host}:{uplink}::/64';
const PATTERN_EXPECTED = `expected a pattern such as ${DEFAULT_PATTERN}`;

/** Also part of interface, file and namespace names. */
const nodeName = z
  .string('expected a name such as leaf1')
  .regex(/^[a-z0-9][a-z0-9-]*$/i, 'expected letters, digits and dashes');

const implementation = z.enum(IMPLEMENTATIONS, `expected ${IMPLEMENTATIONS.join(', ')}`);

const ROUTERS_EXPECTED = `expected how many (1 to ${MAX_ROUTERS}) or a list of names`;

const routers = z
  .union(
    [wholeNumber(1, MAX_ROUTERS), z.array(nodeName).min(1, ROUTERS_EXPECTED).max(MAX_ROUTERS, ROUTERS_EXPECTED)],
    ROUTERS_EXPECTED,
  )
  .describe('How many, or their names.');

const rate = z.string(RATE_EXPECTED).transform((text, context): number => {
  const parsed = parseRate(text);
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: 'custom', message: RATE_EXPECTED });
  return z.NEVER;
});

const fileShape = z.strictObject({
  name: z
    .string('expected a name such as demo')
    .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'expected lower-case letters, digits and dashes (at most 32)')
    .describe('Part of every namespace name: heddle-NAME-NODE.'),
  spines: routers,
  leaves: routers,
  'links-per-pair': wholeNumber(1, 8).default(1).describe('Links between each leaf and each spine.'),
  'hosts-per-leaf': wholeNumber(0, 16).default(1).describe('Hosts behind each leaf.'),
  colours: z
    .array(colour, 'expected a list of colours')
    .optional()
    .describe('One per uplink of a leaf, spine by spine. Default: 1, 2, 3, ...'),
  addressing: z
    .strictObject({
      ipv6: z
        .string(PATTERN_EXPECTED)
        .default(DEFAULT_PATTERN)
        .describe('Pattern with {leaf}, {host} and {uplink}; a /64.'),
      ipv4: z.string(PATTERN_EXPECTED).optional().describe('Such as 10.{leaf}.{host}{uplink}.0/24. Default: no IPv4.'),
    })
    .prefault({})
    .describe('Prefixes of the hosts.'),
  as: z
    .strictObject({
      spines: asNumber.default(65001).describe('Of the first spine.'),
      leaves: asNumber.default(65101).describe('Of the first leaf.'),
    })
    .prefault({})
    .describe('AS number of the first one of each; the others follow.'),
  implementation: implementation.default('heddle').describe('What the routers run.'),
  implementations: z
    .record(z.string(), implementation)
    .default({})
    .describe('Exceptions: spines, leaves, or a node by its name.'),
  'dpf-mode': z
    .enum(DPF_MODES, `expected ${DPF_MODES.join(', ')}`)
    .default('policy')
    .describe(
      'session: interfaces have the colours, at both ends; needed to keep several links per pair apart. none: no colours, all uplinks are equal (ECMP), to compare with.',
    ),
  'link-rate': rate
    .optional()
    .describe('What a link between leaf and spine carries each way, such as 50mbit. Default: what the machine can.'),
  'host-rate': rate.optional().describe('The same of the links to hosts.'),
  bfd: z
    .strictObject({
      interval: wholeNumber(10, 60_000, 'milliseconds').default(300).describe('Milliseconds between packets.'),
      multiplier: wholeNumber(1, 255).default(3).describe('Packets missed before the path counts as broken.'),
    })
    .optional()
    .describe('BFD on every fabric link. Default: none.'),
  password: z
    .string('expected a text')
    .regex(/^[A-Za-z0-9._-]{1,80}$/, 'expected 1 to 80 letters, digits, dots, dashes and underscores')
    .optional()
    .describe('TCP MD5 on every session. Default: none.'),
  gtsm: z
    .boolean('expected true or false')
    .default(false)
    .describe(
      'Every router asks hop limit 255 of its neighbours (RFC 5082), where heddle by itself does so among its like.',
    ),
  settings: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .default({})
    .describe(
      "Of heddle's configuration file, by spines, leaves or a node's name: keys with what stands for the lab's own.",
    ),
  timers: z
    .strictObject({
      hold: wholeNumber(3, 65535, 'seconds').default(9).describe('Hold time of every session, seconds.'),
    })
    .prefault({})
    .describe('Of the sessions.'),
});
type FileShape = z.output<typeof fileShape>;

export const topologySchema = fileShape.transform((file, context): Topology => {
  const topology = toTopology(file);
  const problem = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
  checkNames(file, topology, problem);
  checkNumbers(topology, problem);
  checkAddressing(topology, problem);
  return topology;
});

type Report = (path: (string | number)[], message: string) => void;

function toTopology(file: FileShape): Topology {
  const spines = specs(file, 'spine');
  const uplinks = spines.length * file['links-per-pair'];
  return {
    name: file.name,
    spines,
    leaves: specs(file, 'leaf'),
    linksPerPair: file['links-per-pair'],
    hostsPerLeaf: file['hosts-per-leaf'],
    colours: file.colours ?? Array.from({ length: uplinks }, (_, index) => index + 1),
    addressing: { ipv6: file.addressing.ipv6, ...(file.addressing.ipv4 && { ipv4: file.addressing.ipv4 }) },
    dpfMode: file['dpf-mode'],
    timers: file.timers,
    ...(file['link-rate'] !== undefined && { linkRate: file['link-rate'] }),
    ...(file['host-rate'] !== undefined && { hostRate: file['host-rate'] }),
    ...(file.bfd && { bfd: file.bfd }),
    ...(file.password !== undefined && { password: file.password }),
    gtsm: file.gtsm,
    settings: Object.fromEntries(
      (['spines', 'leaves'] as const).flatMap((group) =>
        specs(file, group === 'leaves' ? 'leaf' : 'spine').map(({ name }) => [
          name,
          { ...file.settings[group], ...file.settings[name] },
        ]),
      ),
    ),
  };
}

function specs(file: FileShape, role: Role): RouterSpec[] {
  const group = role === 'leaf' ? 'leaves' : 'spines';
  const given = file[group];
  const names = typeof given === 'number' ? Array.from({ length: given }, (_, index) => `${role}${index + 1}`) : given;
  return names.map((name, index) => ({
    name,
    role,
    number: index + 1,
    asn: file.as[group] + index,
    implementation: implementationOf(file, name, group),
  }));
}

function implementationOf(file: FileShape, name: string, group: 'spines' | 'leaves'): Implementation {
  return file.implementations[name] ?? file.implementations[group] ?? file.implementation;
}

function checkNames(file: FileShape, topology: Topology, report: Report): void {
  const all = [...topology.spines, ...topology.leaves];
  const names = all.map((spec) => spec.name);
  const hosts = topology.leaves.flatMap((leaf) =>
    Array.from({ length: topology.hostsPerLeaf }, (_, host) => hostName(leaf.number, host + 1, topology.hostsPerLeaf)),
  );
  for (const [index, name] of names.entries()) {
    const path = index < topology.spines.length ? ['spines', index] : ['leaves', index - topology.spines.length];
    if (names.indexOf(name) < index || hosts.includes(name)) report(path, `two nodes are called ${name}`);
    const port = portName(name, topology.linksPerPair, topology.linksPerPair);
    if (port.length > MAX_INTERFACE_NAME) {
      report(
        path,
        `${name} is too long: its neighbours' interface would be ${port}, and Linux takes ${MAX_INTERFACE_NAME} characters`,
      );
    }
  }
  for (const field of ['implementations', 'settings'] as const) {
    for (const key of Object.keys(file[field])) {
      if (!['spines', 'leaves', ...names].includes(key)) {
        report([field, key], `there is no node ${key}; nodes: ${names.join(', ')} (or spines, leaves)`);
      }
    }
  }
}

function checkNumbers(topology: Topology, report: Report): void {
  const uplinks = topology.spines.length * topology.linksPerPair;
  if (topology.colours.length !== uplinks) {
    report(['colours'], `${uplinks} colours are needed, one per uplink of a leaf; ${topology.colours.length} given`);
  }
  if (new Set(topology.colours).size < topology.colours.length) report(['colours'], 'a colour is given twice');
  const foreign = [...topology.spines, ...topology.leaves].find((spec) => spec.implementation !== 'heddle');
  if (topology.dpfMode !== 'policy' && foreign) {
    const why = topology.dpfMode === 'session' ? 'has no session colours' : 'is configured with colours here';
    report(['dpf-mode'], `${foreign.name} runs ${foreign.implementation}, which ${why}`);
  }
  const spineAs = new Set(topology.spines.map((spec) => spec.asn));
  const shared = topology.leaves.find((spec) => spineAs.has(spec.asn));
  if (shared) report(['as', 'leaves'], `AS ${shared.asn} would be both a spine's and ${shared.name}'s`);
  const waiting = topology.leaves.find((spec) => isBird(spec) && topology.spines.some(isBird));
  if (waiting) {
    report(
      ['implementation'],
      `${waiting.name} and a spine both run BIRD, which waits for the other side to connect: no session would start`,
    );
  }
}

function checkAddressing(topology: Topology, report: Report): void {
  for (const family of ['ipv6', 'ipv4'] as const) {
    const pattern = topology.addressing[family];
    if (pattern === undefined) continue;
    const problem = patternProblem(topology, family, pattern);
    if (problem !== undefined) report(['addressing', family], problem);
  }
}

function patternProblem(topology: Topology, family: 'ipv6' | 'ipv4', pattern: string): string | undefined {
  const unknown = /\{(?!(?:leaf|host|uplink)\})[^}]*\}?/.exec(pattern);
  if (unknown) return `${unknown[0]} is not known here: {leaf}, {host} and {uplink} are`;
  const seen = new Set<string>();
  for (const leaf of topology.leaves) {
    for (let host = 1; host <= topology.hostsPerLeaf; host++) {
      for (let uplink = 1; uplink <= topology.colours.length; uplink++) {
        const text = expandPattern(pattern, { leaf: leaf.number, host, uplink });
        const problem = prefixProblem(family, text);
        if (problem !== undefined) return problem;
        if (seen.has(text)) return `two hosts' prefixes would both be ${text}: use {leaf}, {host} and {uplink}`;
        seen.add(text);
      }
    }
  }
  return undefined;
}

function prefixProblem(family: 'ipv6' | 'ipv4', text: string): string | undefined {
  const prefix = parsePrefix(text);
  if (!prefix || (prefix.address.length === 16) !== (family === 'ipv6'))
    return `${text} is not an ${family === 'ipv6' ? 'IPv6' : 'IPv4'} prefix`;
  if (family === 'ipv6' && prefix.length !== 64)
    return `${text} is not a /64: hosts form their addresses by SLAAC, which needs one`;
  return family === 'ipv4' && prefix.length > 30 ? `${text} has no room for a leaf and a host` : undefined;
}
