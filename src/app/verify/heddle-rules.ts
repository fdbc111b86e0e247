/**
 * Rules of a heddle router, from its configuration: the definition of deterministic path forwarding in its two modes (docs/dpf.md), written
 * down a second time. Nothing here is shared with the tables that carry it out, so that the two can be held against each other.
 */

import { familyOfAddress } from '../../core/net/family.js';
import { formatPrefix, type Prefix } from '../../core/net/prefix.js';
import type { Colour, FabricInterfaceConfig, SpeakerConfig } from '../../core/speaker/config.js';
import { parseConfig } from '../config/parse-config.js';
import { nodeConfig } from '../lab/node-config.js';
import type { FabricPort, LabPlan, PlannedRouter } from '../lab/plan.js';
import { leastAigp } from './least-aigp.js';
import type { ModelPrefix, PathUse, Told } from './model.js';
import type { Candidate, Choice, RouterRules, Taken } from './router-rules.js';

export function heddleRules(plan: LabPlan, router: PlannedRouter): RouterRules {
  return rulesOfConfig(configOf(plan, router), router);
}

export function rulesOfConfig(config: SpeakerConfig, router: PlannedRouter): RouterRules {
  const links = new Map(config.fabric.map((link) => [link.name, link]));
  const sessions = config.dpf.mode === 'session';
  const linkOf = (port: FabricPort) => links.get(port.interface);
  return {
    prefixes: ownPrefixes(config, router),
    hasSession: (port) => links.has(port.interface),
    originate: (prefix, port) => originated(prefix, linkOf(port), config),
    take: (told, port) => taken(told, port, { link: linkOf(port), sessions }),
    choose,
    best: (candidates, port) => bestOf(candidates, sessions ? linkOf(port)?.colour : undefined),
    pass: (best, port) => {
      const link = linkOf(port);
      return link && passedOn(best, link, config);
    },
    notes: unmodelled(config),
  };
}

function configOf(plan: LabPlan, router: PlannedRouter): SpeakerConfig {
  const parsed = parseConfig(nodeConfig(plan, router, '/nowhere').text);
  if (parsed.config) return parsed.config.speaker;
  throw new Error(`settings of ${router.name}: ${parsed.problems[0]?.message}`);
}

function ownPrefixes({ hosts, advertise }: SpeakerConfig, router: PlannedRouter): ModelPrefix[] {
  if (router.role === 'spine') return [];
  const hostOf = (name: string) => router.hosts.find((port) => port.interface === name)?.host;
  return [
    ...hosts.flatMap(({ name, prefixes }) => prefixes.map((one) => modelPrefix(router.name, one, hostOf(name)))),
    ...advertise.map((one) => modelPrefix(router.name, one)),
  ];
}

interface OwnPrefix {
  readonly prefix: Prefix;
  readonly colour?: Colour;
  readonly backupColours?: readonly Colour[];
}

function modelPrefix(leaf: string, { prefix, colour, backupColours = [] }: OwnPrefix, host?: string): ModelPrefix {
  return {
    text: formatPrefix(prefix),
    family: familyOfAddress(prefix.address),
    leaf,
    ...(host !== undefined && { host }),
    ...(colour !== undefined && { colour }),
    backupColours,
  };
}

/** The colour of the prefix on every session that takes it, AIGP on the one whose colour it is. */
function originated(
  { colour, backupColours }: ModelPrefix,
  link: FabricInterfaceConfig | undefined,
  { dpf }: SpeakerConfig,
): Told | undefined {
  if (!link) return undefined;
  const own = colour !== undefined && link.colour === colour;
  const restricted = dpf.mode === 'session' && colour !== undefined && link.colour !== undefined && !own;
  if (restricted && !backupColours.includes(link.colour!)) return undefined;
  return told(link, { colour: restricted ? link.colour : colour, aigp: own ? dpf.aigpOrigin : undefined });
}

function told(
  link: FabricInterfaceConfig,
  { colour, aigp }: { readonly colour: Colour | undefined; readonly aigp: bigint | undefined },
): Told {
  return {
    ...(colour !== undefined && link.sendColour && { colour }),
    ...(aigp !== undefined && link.aigp === true && { aigp }),
  };
}

interface TakenBy {
  readonly link: FabricInterfaceConfig | undefined;
  readonly sessions: boolean;
}

/** RFC 7311 section 3.2: no AIGP on a session without it. */
function taken({ colour, aigp }: Told, port: FabricPort, { link, sessions }: TakenBy): Taken {
  const foreign = sessions && colour !== undefined && link?.colour !== undefined && link.colour !== colour;
  return {
    port,
    ...(colour !== undefined && { colour }),
    ...(aigp !== undefined && link?.aigp === true && { aigp }),
    ...(foreign && { hidden: true }),
  };
}

/** Where anyone has AIGP, those who have the least of it, and of them the shortest paths; of the rest the shortest are the fallback. */
function choose(candidates: readonly Candidate[]): Choice {
  const eligible = candidates.filter(({ hidden }) => !hidden);
  const preferred = shortest(leastAigp(eligible));
  const fallback = shortest(eligible.filter((one) => !preferred.includes(one)));
  const useOf = (candidate: Candidate): PathUse => {
    if (candidate.hidden) return 'hidden';
    if (preferred.includes(candidate)) return 'preferred';
    return fallback.includes(candidate) ? 'fallback' : 'spare';
  };
  return { uses: candidates.map(useOf), decided: true };
}

function shortest<One extends Candidate>(candidates: readonly One[]): readonly One[] {
  const least = Math.min(...candidates.map(({ via }) => via.length));
  return candidates.filter(({ via }) => via.length === least);
}

/** A spine keeps colours apart: on a session of a colour goes the best path of that colour, or of none. */
function bestOf<One extends Candidate>(candidates: readonly One[], colour: Colour | undefined): One | undefined {
  const carried = candidates.filter(
    (one) => !one.hidden && (colour === undefined || one.colour === undefined || one.colour === colour),
  );
  return shortest(leastAigp(carried))[0];
}

function passedOn({ colour, aigp }: Candidate, link: FabricInterfaceConfig, { dpf }: SpeakerConfig): Told {
  return told(link, { colour, aigp: aigp === undefined ? undefined : aigp + dpf.aigpStep });
}

function unmodelled({ name, fabric, neighbours = [], role, advertise, hosts }: SpeakerConfig): string[] {
  const withPolicy = fabric.filter(({ importPolicy, exportPolicy }) => importPolicy || exportPolicy);
  const spineOrigins = role === 'spine' && (advertise.length > 0 || hosts.length > 0);
  return [
    ...(withPolicy.length > 0
      ? [`${name} has policies on ${withPolicy.map((link) => link.name).join(', ')}: the model leaves them out`]
      : []),
    ...(neighbours.length > 0 ? [`${name} has neighbors by address: the model knows fabric links alone`] : []),
    ...(spineOrigins ? [`${name} is a spine with prefixes of its own: the model leaves them out`] : []),
  ];
}
