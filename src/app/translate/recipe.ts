/**
 * Deterministic path forwarding made of policies, as routers without a notion of it are configured: every own prefix goes out on all uplinks,
 * and has AIGP on one of them. What the policies do to own prefixes is tried out with heddle's own engine; where it is that recipe, colours of
 * interfaces and prefixes say the same, and the policies go.
 */
import { parsePrefix } from '../../core/net/prefix.js';
import { CompiledChain, type Verdict } from '../../core/policy/compile-policy.js';
import { colourCommunity, colourOf } from '../../core/wire/bgp/colour.js';
import type { PathAttributes } from '../../core/wire/bgp/path-attributes.js';
import type { DaemonConfig } from '../config/daemon-config.js';
import { parseConfig } from '../config/parse-config.js';
import { type AdvertisedDraft, type Draft, type HostPrefixDraft, writeTranslation } from './translation.js';

/** What an interface's export policies make of an own prefix. */
interface Told {
  readonly prefix: string;
  readonly uplink: string;
  readonly colour: number | undefined;
  readonly aigp: boolean;
}

export interface Recipe {
  /** By interface, and by prefix as it is written. */
  readonly uplinks: ReadonlyMap<string, number>;
  readonly prefixes: ReadonlyMap<string, number>;
  /** Neighbours are sent colours. */
  readonly coloured: boolean;
}

/** `undefined` when the policies do something else. */
export function dpfRecipe(draft: Draft): Recipe | undefined {
  const parsed = parseConfig(writeTranslation({ draft, remarks: [], left: [] }, '').text);
  const owned = ownPrefixes(draft);
  if (!parsed.config || owned.length === 0 || Object.keys(draft.fabric).length < 2) return undefined;
  const told = owned.flatMap(({ prefix }) => toldOf(prefix, parsed.config));
  if (told.length < owned.length * Object.keys(draft.fabric).length || passesTransit(parsed.config)) return undefined;
  return recipeOf(told, Object.keys(draft.fabric));
}

/** Colours in place of the export policies. */
export function applyRecipe(draft: Draft, { uplinks, prefixes, coloured }: Recipe): void {
  for (const [name, settings] of Object.entries(draft.fabric)) {
    const colour = uplinks.get(name);
    const { export: _, ...rest } = settings;
    draft.fabric[name] = {
      ...(colour !== undefined && { colour }),
      ...(!coloured && { 'send-colour': false }),
      ...rest,
    };
  }
  for (const owned of ownPrefixes(draft)) owned.colour = prefixes.get(owned.prefix)!;
}

function ownPrefixes(draft: Draft): (HostPrefixDraft | AdvertisedDraft)[] {
  return [...Object.values(draft.hosts).flatMap(({ prefixes }) => prefixes), ...draft.advertise];
}

const OWN: PathAttributes = { origin: 0, asPath: [] };

function toldOf(text: string, config: DaemonConfig): Told[] {
  return config.speaker.fabric.flatMap(({ name, exportPolicy }) => {
    const verdict = exportPolicy && verdictOn(text, OWN, { config, link: name });
    if (verdict?.decision !== 'accept') return [];
    const { aigp } = verdict.attributes;
    return [{ prefix: text, uplink: name, colour: colourOf(verdict.attributes), aigp: aigp !== undefined }];
  });
}

function verdictOn(
  prefix: string,
  attributes: PathAttributes,
  { config, link }: { readonly config: DaemonConfig; readonly link: string },
): Verdict | undefined {
  const chain = config.speaker.fabric.find(({ name }) => name === link)?.exportPolicy;
  const parsed = parsePrefix(prefix);
  if (!chain || !parsed) return undefined;
  const compiled = new CompiledChain(chain);
  const session = { interfaceName: link, neighbour: new Uint8Array(16) };
  return compiled.evaluate({ attributes, hits: compiled.hits(parsed), session }, config.speaker.asn);
}

/** A leaf of heddle passes nothing on, whatever its policies say. */
function passesTransit(config: DaemonConfig): boolean {
  const learned: PathAttributes = {
    origin: 0,
    asPath: [{ kind: 'sequence', asns: [64_999] }],
    extendedCommunities: [colourCommunity(1)],
  };
  return config.speaker.fabric.some(
    ({ name }) => verdictOn('2001:db8:ffff::/64', learned, { config, link: name })?.decision === 'accept',
  );
}

function recipeOf(told: readonly Told[], links: readonly string[]): Recipe | undefined {
  const preferred = told.filter(({ aigp }) => aigp);
  const names = new Set(told.map(({ prefix }) => prefix));
  const uplinkOf = new Map(preferred.map(({ prefix, uplink }) => [prefix, uplink]));
  if (preferred.length !== names.size || uplinkOf.size !== names.size) return undefined;
  const coloured = told.every(({ colour }) => colour !== undefined);
  if (!coloured && told.some(({ colour }) => colour !== undefined)) return undefined;
  const uplinks = new Map<string, number>();
  for (const { uplink, colour } of preferred) {
    const number = colour ?? links.indexOf(uplink) + 1;
    if ((uplinks.get(uplink) ?? number) !== number) return undefined;
    uplinks.set(uplink, number);
  }
  if (new Set(uplinks.values()).size < uplinks.size) return undefined;
  return {
    uplinks,
    prefixes: new Map([...uplinkOf].map(([prefix, uplink]) => [prefix, uplinks.get(uplink)!])),
    coloured,
  };
}
