/**
 * What is offered to one neighbour in OPEN (RFC 5492) besides families and four-octet AS numbers. Old peers drop a session over a
 * capability that they do not know, so each can be left out on an interface.
 */
import type { Capability } from '../wire/bgp/message.js';
import { addPathCapability } from './add-path.js';
import type { SessionConfig, SpeakerConfig } from './config.js';
import { type Restarting, restartCapabilities } from './restart-capabilities.js';

export function offeredCapabilities(
  speaker: SpeakerConfig,
  session: SessionConfig,
  restarting: Restarting,
): readonly Capability[] {
  const { capabilitiesOff = [], bfd, addPath } = session;
  const off = new Set<string>(capabilitiesOff);
  const strict: readonly Capability[] = bfd?.strict ? [{ kind: 'strict-bfd' }] : [];
  const offered = [...supported(speaker), ...addPathCapability(speaker.families, addPath)];
  return [
    ...offered.filter(({ kind }) => !off.has(kind)),
    ...strict,
    ...restartCapabilities(speaker, session, restarting),
  ];
}

function supported(speaker: SpeakerConfig): readonly Capability[] {
  return [
    { kind: 'route-refresh' },
    { kind: 'enhanced-route-refresh' },
    { kind: 'extended-message' },
    ...(speaker.families.includes('ipv4-unicast')
      ? [{ kind: 'extended-next-hop' as const, entries: [{ afi: 1, safi: 1, nextHopAfi: 2 }] }]
      : []),
    { kind: 'link-local-next-hop' },
    { kind: 'fqdn', hostname: speaker.name, domain: '' },
  ];
}
