/**
 * Applies the difference between two configurations to a running speaker. An interface whose settings but the policies and the times of BFD changed gets a
 * new FabricLink, and its neighbours a Cease (RFC 4486, Other Configuration Change); so does a neighbour given by its address. All
 * others notice nothing.
 */
import type { LinkState } from '../ports/links.js';
import type {
  AdvertisedPrefix,
  FabricInterfaceConfig,
  HostInterfaceConfig,
  NeighbourConfig,
  SpeakerConfig,
} from './config.js';
import type { ConfigDifference } from './config-difference.js';
import type { ConfiguredNeighbour } from './configured-neighbour.js';
import type { ConfiguredNeighbours } from './configured-neighbours.js';
import type { FabricLink } from './fabric-link.js';
import type { HostLink } from './host-link.js';
import type { Neighbour } from './neighbour.js';
import { keepsSession } from './neighbour-policies.js';

/** What a speaker lets this change. */
export interface LiveParts {
  readonly fabricLinks: FabricLink[];
  readonly hostLinks: HostLink[];
  readonly configured: ConfiguredNeighbours;
  newFabricLink(config: FabricInterfaceConfig): FabricLink;
  newHostLink(config: HostInterfaceConfig): HostLink;
  /** Brings a new link up to date. */
  linkChanged(link: LinkState): void;
  policiesChanged(neighbours: readonly Neighbour[]): void;
  originate(prefix: AdvertisedPrefix): void;
  withdraw(prefix: AdvertisedPrefix): void;
}

/** Cease subcodes (RFC 4486). */
const ADMINISTRATIVE_SHUTDOWN = 2;
const PEER_DECONFIGURED = 3;
const OTHER_CONFIGURATION_CHANGE = 6;

/** `present`: the interfaces there are. Leavers first, for an interface may change sides. */
export async function applyDifference(
  parts: LiveParts,
  difference: ConfigDifference,
  present: readonly LinkState[],
): Promise<void> {
  const { fabric, neighbours, hosts, advertise } = difference;
  for (const { name } of fabric.removed) removeFabric(parts, name, PEER_DECONFIGURED);
  for (const { name } of neighbours.removed) removeNeighbour(parts, name, PEER_DECONFIGURED);
  for (const { name } of hosts.removed) await removeHost(parts, name);
  for (const prefix of advertise.removed) parts.withdraw(prefix);
  for (const prefix of [...advertise.added, ...advertise.changed]) parts.originate(prefix);
  for (const config of hosts.changed) changeHost(parts, config);
  for (const config of fabric.changed) changeFabric(parts, config);
  for (const config of neighbours.changed) changeNeighbour(parts, config);
  for (const config of fabric.added) replaceFabric(parts, config);
  for (const config of hosts.added) parts.hostLinks.push(parts.newHostLink(config));
  const fresh = [...fabric.added, ...fabric.changed, ...hosts.added].map(({ name }) => name);
  for (const link of present) if (fresh.includes(link.name)) parts.linkChanged(link);
  for (const config of neighbours.added) parts.configured.add(config);
}

/** Running timers keep their deadlines; whatever starts from now on has the new ones. */
export function applyTimers({ fabricLinks, hostLinks, configured }: LiveParts, config: SpeakerConfig): void {
  for (const link of [...fabricLinks, ...hostLinks, ...configured.all]) link.speakerChanged(config);
}

function removeFabric(parts: LiveParts, name: string, subcode: number): FabricLink | undefined {
  const index = parts.fabricLinks.findIndex(({ config }) => config.name === name);
  const [link] = index < 0 ? [] : parts.fabricLinks.splice(index, 1);
  link?.stop({ kind: 'administrative', subcode });
  link?.close();
  return link;
}

/** Other policies and other times of BFD need no other session. */
function changeFabric(parts: LiveParts, config: FabricInterfaceConfig): void {
  const link = parts.fabricLinks.find((candidate) => candidate.config.name === config.name);
  if (!link || !keepsSession(link.config, config)) return replaceFabric(parts, config);
  link.policiesChanged(config);
  parts.policiesChanged(link.sessions());
}

function replaceFabric(parts: LiveParts, config: FabricInterfaceConfig): void {
  const before = removeFabric(parts, config.name, OTHER_CONFIGURATION_CHANGE);
  const link = parts.newFabricLink(config);
  if (before) link.keeper.holds.adopt(before.keeper.holds);
  parts.fabricLinks.push(link);
}

function removeNeighbour(parts: LiveParts, name: string, subcode: number): ConfiguredNeighbour | undefined {
  const neighbour = parts.configured.remove(name);
  neighbour?.stop({ kind: 'administrative', subcode });
  neighbour?.close();
  return neighbour;
}

/** What a running session does not depend on needs no other. */
function changeNeighbour(parts: LiveParts, config: NeighbourConfig): void {
  const known = parts.configured.all.find((candidate) => candidate.config.name === config.name);
  const settings = ({ description: _, group: __, ...rest }: NeighbourConfig) => rest;
  if (known && keepsSession(settings(known.config), settings(config))) {
    known.policiesChanged(config);
    return parts.policiesChanged(known.sessions());
  }
  const subcode = config.shutdown ? ADMINISTRATIVE_SHUTDOWN : OTHER_CONFIGURATION_CHANGE;
  parts.configured.add(config, removeNeighbour(parts, config.name, subcode));
}

async function removeHost(parts: LiveParts, name: string): Promise<void> {
  const index = parts.hostLinks.findIndex(({ config }) => config.name === name);
  const [link] = index < 0 ? [] : parts.hostLinks.splice(index, 1);
  if (!link) return;
  link.stop();
  for (const prefix of link.config.prefixes) parts.withdraw(prefix);
  await link.release();
  link.close();
}

function changeHost(parts: LiveParts, config: HostInterfaceConfig): void {
  const link = parts.hostLinks.find((candidate) => candidate.config.name === config.name);
  if (!link) return;
  const { added, removed, changed } = link.reconfigure(config);
  for (const prefix of removed) parts.withdraw(prefix);
  if (link.state?.carrier) for (const prefix of [...added, ...changed]) parts.originate(prefix);
}
