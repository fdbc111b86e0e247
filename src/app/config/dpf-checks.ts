/**
 * What the two modes of deterministic path forwarding make of colours: where policy mode leaves a tie, and where session mode
 * restricts nothing or reaches nobody.
 */
import type { AsRule } from '../../core/net/as-number.js';
import type { Colour } from '../../core/speaker/config.js';
import { formatColour } from './colour-names.js';
import { namesOf, type Origination, type Sections } from './originations.js';
import type { Problem } from './problem.js';

export function dpfChecks(config: Sections, origins: readonly Origination[]): Problem[] {
  if (config.dpf?.mode !== 'session') return [...idleBackups(origins), ...parallelUplinks(config, origins)];
  return [...mixedSessions(config), ...wrongBackups(config, origins)];
}

function idleBackups(origins: readonly Origination[]): Problem[] {
  return origins
    .filter(({ backupColours }) => backupColours.length > 0)
    .map(({ path }) => {
      const message = 'backup-colours have no effect in policy mode: every other uplink is the fallback already';
      return { severity: 'warning', path: [...path.slice(0, -1), 'backup-colours'], message };
    });
}

/**
 * A spine passes its best path on over every link to a leaf, AIGP and all, so that a leaf with two links to it sees a tie. Two
 * interfaces that take the same single AS, where others take another one, lead to one spine. Where all take one AS, its routers
 * may be several (RFC 7938 section 5.2.1 gives a tier of spines one AS), and the file cannot tell.
 */
function parallelUplinks(config: Sections, origins: readonly Origination[]): Problem[] {
  if (config.role !== 'leaf') return [];
  const byAs = new Map<number, { readonly name: string; readonly colour: Colour }[]>();
  for (const [name, { acceptRemoteAs, colour }] of Object.entries(config.fabric ?? {})) {
    const as = onlyAs(acceptRemoteAs);
    if (as !== undefined && colour !== undefined) byAs.set(as, [...(byAs.get(as) ?? []), { name, colour }]);
  }
  return [...byAs].flatMap(([as, links]) => {
    const colours = [...new Set(links.map(({ colour }) => colour))];
    if (colours.length < 2) return [];
    const names = links.map(({ name }) => name).join(' and ');
    const prefixes = `prefixes of colours ${colours.map(formatColour).join(', ')}${namesOf(origins, colours)}`;
    const tie = 'tie at the leaf that receives them and use all of these links by ECMP';
    const message =
      byAs.size > 1
        ? `${names} lead to one neighbour, AS ${as}: in policy mode it sends the same AIGP over each of them, so ` +
          `${prefixes} ${tie}; dpf: { mode: session } keeps the colours apart`
        : `${names} all take AS ${as}: if they lead to one neighbour, it sends the same AIGP over each of them in policy mode, so ` +
          `${prefixes} ${tie}; dpf: { mode: session } keeps the colours apart. With a neighbour each, all is well`;
    return [{ severity: 'warning', path: ['fabric', links.at(-1)!.name, 'colour'], message }];
  });
}

function onlyAs(rules: readonly AsRule[]): number | undefined {
  const [rule] = rules;
  return rules.length === 1 && rule?.kind === 'range' && rule.first === rule.last ? rule.first : undefined;
}

/** All routes can go over a session without a colour, so that mixing defeats the restriction. */
function mixedSessions(config: Sections): Problem[] {
  const links = Object.entries(config.fabric ?? {});
  const bare = links.filter(([, { colour }]) => colour === undefined).map(([name]) => name);
  if (bare.length === 0) return [];
  const message =
    bare.length < links.length
      ? 'no colour here, while others have one: in session mode routes of every colour go over this interface'
      : 'no colour: in session mode that restricts nothing, and no path is preferred';
  return bare.map((name) => ({ severity: 'warning', path: ['fabric', name], atKey: true, message }));
}

function wrongBackups(config: Sections, origins: readonly Origination[]): Problem[] {
  const links = Object.values(config.fabric ?? {});
  return origins.flatMap(({ path, colour, backupColours }) => {
    const at = [...path.slice(0, -1), 'backup-colours'];
    if (backupColours.length === 0) return [];
    if (colour === undefined) {
      const message = 'backup-colours need a colour: a prefix without one goes over every session';
      return [{ severity: 'error' as const, path: at, message }];
    }
    const problems: Problem[] = [];
    if (backupColours.includes(colour)) {
      const message = `colour ${formatColour(colour)} is the colour of the prefix itself`;
      problems.push({ severity: 'error', path: at, message });
    }
    for (const backup of backupColours) {
      if (backup === colour || config.fabric === undefined || links.some((link) => link.colour === backup)) continue;
      problems.push({
        severity: 'warning',
        path: at,
        message: `no fabric interface has colour ${formatColour(backup)}`,
      });
    }
    return problems;
  });
}
