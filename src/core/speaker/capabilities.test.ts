import { describe, expect, it } from 'vitest';
import { offeredCapabilities } from './capabilities.js';
import type { FabricInterfaceConfig, SpeakerConfig } from './config.js';

const SPEAKER: SpeakerConfig = {
  name: 'leaf1',
  role: 'leaf',
  asn: 65101,
  identifier: 1,
  families: ['ipv6-unicast', 'ipv4-unicast'],
  port: 179,
  fabric: [],
  hosts: [],
  advertise: [],
  dpf: { mode: 'policy', aigpOrigin: 0n, aigpStep: 1n },
  timers: { hold: 9, connectRetry: 10, sendHold: 480, routerAdvertisement: 10_000, neighbourLifetime: 30_000 },
  fib: { buckets: 128, idleTimer: 1 },
  manageSwitches: true,
};
const UPLINK: FabricInterfaceConfig = { name: 'up', acceptRemoteAs: [], sendColour: true, aigp: true };

const kinds = (speaker: SpeakerConfig, uplink: FabricInterfaceConfig) =>
  offeredCapabilities(speaker, uplink, false).map(({ kind }) => kind);

describe('the capabilities offered on an interface', () => {
  it('are all there are', () => {
    expect(kinds(SPEAKER, UPLINK)).toEqual([
      'route-refresh',
      'enhanced-route-refresh',
      'extended-message',
      'extended-next-hop',
      'link-local-next-hop',
      'fqdn',
    ]);
  });

  it('lack those that are switched off for a peer that drops sessions over what it does not know', () => {
    const old: FabricInterfaceConfig = { ...UPLINK, capabilitiesOff: ['fqdn', 'link-local-next-hop'] };
    expect(kinds(SPEAKER, old)).toEqual([
      'route-refresh',
      'enhanced-route-refresh',
      'extended-message',
      'extended-next-hop',
    ]);
  });

  it('speak of path identifiers where they are configured, unless that is switched off', () => {
    const several: FabricInterfaceConfig = { ...UPLINK, addPath: { 'ipv6-unicast': { receive: true } } };
    expect(kinds(SPEAKER, several)).toContain('add-path');
    expect(kinds(SPEAKER, { ...several, capabilitiesOff: ['add-path'] })).not.toContain('add-path');
  });

  it('speak of restarts only where somebody helps or restarts', () => {
    const helping: FabricInterfaceConfig = { ...UPLINK, restartHelper: { longest: 60, longLived: 0 } };
    const [graceful, ...others] = offeredCapabilities(SPEAKER, helping, false).slice(6);
    expect(graceful).toMatchObject({ kind: 'graceful-restart', restarted: false, notification: true, families: [] });
    expect(others).toEqual([]);
    const restarter = { restartTime: 90, longLived: 3600, selectionDeferral: 30 };
    const capabilities = offeredCapabilities({ ...SPEAKER, restarter }, UPLINK, true).slice(6);
    const families = [2, 1].map((afi) => ({ afi, safi: 1, forwardingPreserved: true }));
    expect(capabilities).toEqual([
      { kind: 'graceful-restart', restarted: true, notification: true, restartTime: 90, families },
      { kind: 'long-lived-graceful-restart', families: families.map((family) => ({ ...family, staleTime: 3600 })) },
    ]);
  });

  it('have IPv6 next hops for IPv4 only where IPv4 is carried', () => {
    expect(kinds({ ...SPEAKER, families: ['ipv6-unicast'] }, UPLINK)).not.toContain('extended-next-hop');
  });
});
