/**
 * What is offered to one neighbour in OPEN (RFC 5492) besides families and four-octet AS numbers, which core/session adds. Old
 * peers drop a session over a capability that they do not know, so each can be left out on an interface.
 */
import type { Family } from '../net/family.js';
import type { Capability } from '../wire/bgp/message.js';
import { addPathCapability } from './add-path.js';
import type { SpeakerConfig } from './config.js';
import { type OfferPlace, type Restarting, restartCapabilities } from './restart-capabilities.js';

export function offeredCapabilities(
  speaker: SpeakerConfig,
  { config, families }: OfferPlace,
  restarting: Restarting,
): readonly Capability[] {
  const { capabilitiesOff = [], bfd, addPath } = config;
  const off = new Set<string>(capabilitiesOff);
  // RFC 7313 adds the beginning and the end of an answer to a request that RFC 2918 defines.
  if (off.has('route-refresh')) off.add('enhanced-route-refresh');
  const strict: readonly Capability[] = bfd?.strict ? [{ kind: 'strict-bfd' }] : [];
  const offered = [...supported(speaker.name, families), ...addPathCapability(families, addPath)];
  return [
    ...offered.filter(({ kind }) => !off.has(kind)),
    ...strict,
    ...restartCapabilities(speaker, { config, families }, restarting),
  ];
}

function supported(hostname: string, families: readonly Family[]): readonly Capability[] {
  return [
    { kind: 'route-refresh' },
    { kind: 'enhanced-route-refresh' },
    { kind: 'extended-message' },
    ...(families.includes('ipv4-unicast')
      ? [{ kind: 'extended-next-hop' as const, entries: [{ afi: 1, safi: 1, nextHopAfi: 2 }] }]
      : []),
    { kind: 'link-local-next-hop' },
    { kind: 'fqdn', hostname, domain: '' },
  ];
}
