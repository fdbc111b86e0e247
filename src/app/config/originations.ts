/** What the checks across fields look at: the sections that could be read, the prefixes originated, the uplinks by colour. */
import { formatPrefix, type Prefix } from '../../core/net/prefix.js';
import type { Colour } from '../../core/speaker/config.js';
import type { FileConfig } from './file-schema.js';
import type { FieldPath } from './problem.js';

export type Sections = Partial<FileConfig>;

export interface Origination {
  readonly path: FieldPath;
  readonly prefix: Prefix;
  readonly colour: Colour | undefined;
  readonly backupColours: readonly Colour[];
  /** On a host link: directly connected, so it may overlap no other link. */
  readonly connected: boolean;
}

export function originations(config: Sections): Origination[] {
  const hosts = Object.entries(config.hosts ?? {}).flatMap(([name, host]) =>
    host.prefixes.map(({ prefix, colour, backupColours = [] }, index) => {
      const path = ['hosts', name, 'prefixes', index, 'prefix'];
      return { path, prefix, colour, backupColours, connected: true };
    }),
  );
  const advertised = (config.advertise ?? []).map(({ prefix, colour, backupColours = [] }, index) => {
    return { path: ['advertise', index, 'prefix'], prefix, colour, backupColours, connected: false };
  });
  return [...hosts, ...advertised];
}

export function uplinksByColour(config: Sections): Map<Colour, string[]> {
  const uplinks = new Map<Colour, string[]>();
  for (const [name, { colour }] of Object.entries(config.fabric ?? {})) {
    if (colour !== undefined) uplinks.set(colour, [...(uplinks.get(colour) ?? []), name]);
  }
  return uplinks;
}

/** ` (fc00:1:1:1::/64, fc00:1:1:2::/64)`: our own prefixes of these colours; empty when there is none. */
export function namesOf(origins: readonly Origination[], colours: readonly Colour[]): string {
  const names = origins
    .filter(({ colour }) => colour !== undefined && colours.includes(colour))
    .map(({ prefix }) => formatPrefix(prefix));
  return names.length === 0 ? '' : ` (${names.join(', ')})`;
}
