/** What no single key of a neighbour can tell: groups that there are not, addresses that are ours or given twice, keys that do not fit together. */
import { type Address, equalBytes, formatAddress, isLinkLocal, isUnspecified } from '../../core/net/address.js';
import { acceptsOnlyOwn } from '../../core/net/as-number.js';
import {
  formatNeighbourName,
  type GivenNeighbour,
  parseNeighbourName,
  type WholeNeighbour,
  wholeNeighbours,
} from './neighbour-settings.js';
import type { Sections } from './originations.js';
import type { FieldPath, Problem } from './problem.js';
import { suggest } from './suggestion.js';

interface Subject {
  readonly path: FieldPath;
  readonly address: Address;
  readonly zone?: string;
  readonly name: string;
  readonly given: GivenNeighbour;
}

export function neighbourChecks(config: Sections, unreadable: readonly string[]): Problem[] {
  const subjects = wholeNeighbours(config).map(subjectOf);
  return [
    ...nobody(config, unreadable),
    ...bothSpellings(config),
    ...(unreadable.includes('peer-groups') ? [] : groupNames(config, subjects)),
    ...duplicates(subjects),
    ...subjects.flatMap((subject) => [
      ...wrongAddress(config, subject),
      ...wrongSource(subject),
      ...wrongPlace(config, subject),
      ...wrongSession(config, subject),
    ]),
    ...(unreadable.includes('peer-groups') ? [] : subjects.flatMap((subject) => missingAs(config, subject))),
    ...(unreadable.some((section) => ['as', 'import', 'export', 'peer-groups'].includes(section))
      ? []
      : subjects.flatMap((subject) => missingPolicies(config, subject))),
  ];
}

function subjectOf({ section, key, given }: WholeNeighbour): Subject {
  const parsed = parseNeighbourName(key)!;
  return { ...parsed, path: [section, key], name: formatNeighbourName(parsed), given };
}

function error(path: FieldPath, message: string, atKey = false): Problem {
  return { severity: 'error', path, message, atKey };
}

function nobody(config: Sections, unreadable: readonly string[]): Problem[] {
  const sections = ['fabric', 'neighbors', 'neighbours'] as const;
  // What is no mapping at all lacks more than that.
  if (Object.keys(config).length === 0) return [];
  if (sections.some((section) => config[section] !== undefined || unreadable.includes(section))) return [];
  return [error(['fabric'], 'missing; expected interfaces, each with its settings (or none), or neighbors')];
}

function bothSpellings({ neighbors, neighbours }: Sections): Problem[] {
  if (!neighbors || !neighbours) return [];
  return [error(['neighbours'], 'neighbors is given in both spellings: keep one', true)];
}

function groupNames(config: Sections, subjects: readonly Subject[]): Problem[] {
  const known = Object.keys(config['peer-groups'] ?? {});
  const used = subjects.map(({ given }) => given['peer-group']);
  const unknown = subjects.flatMap(({ path, given }) => {
    const group = given['peer-group'];
    if (group === undefined || known.includes(group)) return [];
    const near = suggest(group, known);
    const hint = near === undefined ? `; there is ${known.join(', ') || 'none'}` : `; did you mean ${near}?`;
    return [error([...path, 'peer-group'], `no peer group ${group}${hint}`)];
  });
  const unused = known
    .filter((name) => !used.includes(name))
    .map(
      (name): Problem => ({
        severity: 'warning',
        path: ['peer-groups', name],
        atKey: true,
        message: 'this peer group is used nowhere',
      }),
    );
  return [...unknown, ...unused];
}

function duplicates(subjects: readonly Subject[]): Problem[] {
  return subjects.flatMap(({ path, name }, index) =>
    subjects.slice(0, index).some((earlier) => earlier.name === name)
      ? [error(path, `${name} is given twice: an address is one neighbor`, true)]
      : [],
  );
}

function wrongAddress(config: Sections, { path, address, given }: Subject): Problem[] {
  const text = formatAddress(address);
  const kind = specialKind(address);
  if (kind !== undefined) return [error(path, `${text} is ${kind}, not the address of a router`, true)];
  const gateways = Object.values(config.hosts ?? {}).flatMap(({ prefixes }) => prefixes.map(({ gateway }) => gateway));
  const own = [...gateways, ...(given.source ? [given.source] : [])];
  return own.some((one) => equalBytes(one, address)) ? [error(path, `${text} is our own address`, true)] : [];
}

function specialKind(address: Address): string | undefined {
  if (isUnspecified(address)) return 'the unspecified address';
  if (address.length === 4 ? address[0]! >> 4 === 0xe : address[0] === 0xff) return 'a multicast address';
  const loopback = address.length === 4 ? address[0] === 127 : formatAddress(address) === '::1';
  return loopback ? 'a loopback address' : undefined;
}

function wrongSource({ path, address, given: { source } }: Subject): Problem[] {
  if (!source) return [];
  const at = [...path, 'source'];
  const text = formatAddress(source);
  if (source.length !== address.length) {
    const name = (one: Address) => (one.length === 4 ? 'IPv4' : 'IPv6');
    return [
      error(at, `${text} is ${name(source)}, the neighbor ${name(address)}: a session has one family of addresses`),
    ];
  }
  const kind = specialKind(source) ?? (isLinkLocal(source) ? 'link-local, and chosen by itself' : undefined);
  return kind === undefined ? [] : [error(at, `${text} is ${kind}: no source of a session`)];
}

function wrongPlace(config: Sections, { path, address, zone, given }: Subject): Problem[] {
  const { multihop, interface: link } = given;
  const problems: Problem[] = [];
  if (zone !== undefined && link !== undefined && link !== zone)
    problems.push(error([...path, 'interface'], `the address says it is on ${zone}`));
  if (isLinkLocal(address) && multihop !== undefined)
    problems.push(error([...path, 'multihop'], 'a link-local address is on the link: no hops away'));
  if (multihop !== undefined && zone === undefined && link !== undefined)
    problems.push(error([...path, 'interface'], 'a neighbor that is some hops away is on no interface of ours'));
  if (isLinkLocal(address) && Object.hasOwn(config.fabric ?? {}, zone ?? ''))
    problems.push(error(path, `${zone} is a fabric interface: neighbors are found there`, true));
  return problems;
}

function wrongSession(config: Sections, { path, address, given }: Subject): Problem[] {
  const { multihop, bfd, families, timers } = given;
  const problems: Problem[] = [];
  if (multihop !== undefined && bfd !== undefined && bfd !== false)
    problems.push(error(path, 'BFD over several hops (RFC 5883) is not supported: bfd: false, or no multihop'));
  else if (address.length === 4 && bfd !== undefined && bfd !== false)
    problems.push(error(path, 'BFD over IPv4 is not supported: bfd: false, or the IPv6 address of the neighbor'));
  const { families: all } = config;
  const missing = all && families?.find((family) => !all.includes(family));
  if (missing !== undefined)
    problems.push(error([...path, 'families'], `${missing.slice(0, 4)} is not among the families of the router`));
  const sendHold = config.timers?.sendHold ?? 480;
  if (timers?.hold !== undefined && sendHold !== 0 && timers.hold >= sendHold)
    problems.push(
      error([...path, 'timers'], `hold ${timers.hold} must be shorter than send-hold ${sendHold} (RFC 9687)`),
    );
  return problems;
}

function missingAs(config: Sections, { path, given }: Subject): Problem[] {
  const group = given['peer-group'];
  const known = group === undefined || Object.hasOwn(config['peer-groups'] ?? {}, group);
  if (given['remote-as'] !== undefined || !known) return [];
  const where = group === undefined ? '' : `, here or in peer-groups.${group}`;
  return [error([...path, 'remote-as'], `missing${where}; expected an AS number, a range, internal or external`)];
}

/** RFC 8212. */
function missingPolicies(config: Sections, { path, given }: Subject): Problem[] {
  if (acceptsOnlyOwn(given['remote-as'] ?? [], config.as ?? 0)) return [];
  const missing = (['import', 'export'] as const).filter((way) => (given[way] ?? config[way]) === undefined);
  if (missing.length === 0) return [];
  const effect = { import: 'nothing is accepted', export: 'nothing is sent' };
  const message = `no ${missing.join(' and no ')} policy: ${missing.map((way) => effect[way]).join(', ')} (RFC 8212)`;
  return [{ severity: 'warning', path, atKey: true, message }];
}
