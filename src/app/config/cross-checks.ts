/**
 * What no single field can tell: names used twice, prefixes that collide, colours that lead nowhere. Every check takes
 * the sections that could be read, so that one broken section does not hide what is wrong in the others.
 */
import { acceptsOnlyOwn } from '../../core/net/as-number.js';
import { familyOfAddress } from '../../core/net/family.js';
import { contains, equalPrefixes, formatPrefix, type Prefix } from '../../core/net/prefix.js';
import { formatColour } from './colour-names.js';
import { dpfChecks } from './dpf-checks.js';
import { lifetimeChecks } from './lifetime-checks.js';
import { neighbourChecks } from './neighbour-checks.js';
import { namesOf, type Origination, originations, type Sections, uplinksByColour } from './originations.js';
import { policyChecks } from './policy-checks.js';
import { formatFieldPath, type Problem } from './problem.js';
import { sessionOptionChecks } from './session-option-checks.js';

/** `unreadable`: sections that are in the file, but wrong. */
export function crossChecks(config: Sections, unreadable: readonly string[] = []): Problem[] {
  const origins = originations(config);
  return [
    ...sharedInterfaces(config),
    ...collidingPrefixes(origins),
    ...missingFamilies(config, origins),
    ...ownAsOnly(config),
    ...emptyFabric(config),
    ...ipv4WithoutNextHop(config),
    ...coloursWithoutUplink(config, origins),
    ...sharedColours(config, origins),
    ...idleColours(config),
    ...lifetimeChecks(config),
    ...dpfChecks(config, origins),
    ...policyChecks(config, unreadable),
    ...neighbourChecks(config, unreadable),
    ...sessionOptionChecks(config),
  ];
}

function sharedInterfaces(config: Sections): Problem[] {
  return Object.keys(config.hosts ?? {})
    .filter((name) => Object.hasOwn(config.fabric ?? {}, name))
    .map((name) => {
      const message = 'this interface is also under fabric: an interface leads to routers or to hosts, not both';
      return { severity: 'error', path: ['hosts', name], atKey: true, message };
    });
}

function collidingPrefixes(origins: readonly Origination[]): Problem[] {
  return origins.flatMap((later, index) => {
    const equal = origins.slice(0, index).find((earlier) => equalPrefixes(earlier.prefix, later.prefix));
    if (equal) return [collision('error', later, `${formatPrefix(later.prefix)} is also at`, equal)];
    const overlapping = origins.slice(0, index).find((earlier) => overlap(earlier.prefix, later.prefix));
    if (!overlapping) return [];
    const severity = later.connected && overlapping.connected ? 'error' : 'warning';
    const other = `${formatPrefix(later.prefix)} overlaps ${formatPrefix(overlapping.prefix)} at`;
    return [collision(severity, later, other, overlapping)];
  });
}

function collision(severity: Problem['severity'], at: Origination, what: string, other: Origination): Problem {
  return { severity, path: at.path, message: `${what} ${formatFieldPath(other.path)}` };
}

function overlap(a: Prefix, b: Prefix): boolean {
  return a.length <= b.length ? contains(a, b.address) : contains(b, a.address);
}

function missingFamilies(config: Sections, origins: readonly Origination[]): Problem[] {
  const { families } = config;
  if (families === undefined) return [];
  return origins
    .filter(({ prefix }) => !families.includes(familyOfAddress(prefix.address)))
    .map(({ path, prefix }) => {
      const family = prefix.address.length === 4 ? 'ipv4' : 'ipv6';
      return { severity: 'error', path, message: `${formatPrefix(prefix)} is ${family}, which families leaves out` };
    });
}

/** Neighbours are external here: a rule set that only our own AS meets lets nobody in. */
function ownAsOnly(config: Sections): Problem[] {
  const { as } = config;
  if (as === undefined) return [];
  return Object.entries(config.fabric ?? {})
    .filter(([, { acceptRemoteAs }]) => acceptsOnlyOwn(acceptRemoteAs, as))
    .map(([name]) => {
      const message = `only our own AS ${as} is accepted, but sessions are external BGP`;
      return { severity: 'error', path: ['fabric', name, 'accept-remote-as'], message };
    });
}

function emptyFabric(config: Sections): Problem[] {
  if (config.fabric === undefined || Object.keys(config.fabric).length > 0) return [];
  if (config.neighbors ?? config.neighbours) return [];
  return [{ severity: 'warning', path: ['fabric'], message: 'no interface: there will be no neighbour' }];
}

/** Sessions on fabric interfaces have IPv6 next hops alone. */
function ipv4WithoutNextHop(config: Sections): Problem[] {
  if (config.families?.includes('ipv4-unicast') === false) return [];
  return Object.entries(config.fabric ?? {})
    .filter(([, { capabilitiesOff }]) => capabilitiesOff?.includes('extended-next-hop'))
    .map(([name]) => {
      const message = 'no IPv4 route flows on this interface without it: next hops are IPv6 here (RFC 8950)';
      return { severity: 'warning', path: ['fabric', name, 'capabilities', 'extended-next-hop'], message };
    });
}

function coloursWithoutUplink(config: Sections, origins: readonly Origination[]): Problem[] {
  if (config.fabric === undefined || config.role !== 'leaf') return [];
  const uplinks = uplinksByColour(config);
  const consequence =
    config.dpf?.mode === 'session' ? 'goes over no coloured session but backups' : 'gets no preferred path';
  const present = [...uplinks].map(([colour, names]) => `${formatColour(colour)} on ${names.join(', ')}`).join('; ');
  return origins.flatMap(({ path, prefix, colour }) => {
    if (colour === undefined || uplinks.has(colour)) return [];
    const message =
      `no fabric interface has colour ${formatColour(colour)}: ${formatPrefix(prefix)} ${consequence}` +
      ` (colours here: ${present || 'none'})`;
    return [{ severity: 'warning', path, message }];
  });
}

/** Colour alone leaves a tie between two uplinks that share it: both are preferred, by ECMP. */
function sharedColours(config: Sections, origins: readonly Origination[]): Problem[] {
  if (config.role !== 'leaf') return [];
  return [...uplinksByColour(config)].flatMap(([colour, names]) => {
    if (names.length < 2) return [];
    const message =
      `colour ${formatColour(colour)} is on ${names.join(' and ')}: its prefixes${namesOf(origins, [colour])} ` +
      'use both by ECMP, not one deterministic path';
    return [{ severity: 'warning', path: ['fabric', names.at(-1)!, 'colour'], message }];
  });
}

function idleColours(config: Sections): Problem[] {
  if (config.role !== 'spine' || config.dpf?.mode === 'session') return [];
  return Object.entries(config.fabric ?? {})
    .filter(([, { colour }]) => colour !== undefined)
    .map(([name]) => {
      const message = 'a colour has no effect on a spine in policy mode: it passes colours on unchanged';
      return { severity: 'warning', path: ['fabric', name, 'colour'], message };
    });
}
