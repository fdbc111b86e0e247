/** Sessions with the same key are told the same, as far as their options go: everything in them that export looks at. */
import type { ExportContext } from './export-context.js';

export function exportOptionsKey({
  external,
  byAddress = false,
  remoteAs,
  options = {},
}: Pick<ExportContext, 'external' | 'byAddress' | 'remoteAs' | 'options'>): string {
  const { acceptCommunities: _, allowAsIn: __, localAs, ...told } = options;
  // What comes in with it in front concerns nobody here.
  const own = localAs && [localAs.asn, localAs.replaceAs];
  const looksAtAs = external && (told.asOverride || told.removePrivateAs !== undefined);
  const members = Object.entries(told).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([byAddress, own, looksAtAs && remoteAs, members]);
}
