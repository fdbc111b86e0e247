import { describe, expect, it } from 'vitest';
import { offeredCapabilities } from './capabilities.js';
import type { FabricInterfaceConfig } from './config.js';
import { link, router } from './plain-config.js';

const SPEAKER = router('leaf1', 65101, { role: 'leaf', families: ['ipv6-unicast', 'ipv4-unicast'] });
const UPLINK = link('up');

const at = (config: FabricInterfaceConfig, families = SPEAKER.families) => ({ config, families });
const kinds = (uplink: FabricInterfaceConfig, families = SPEAKER.families) =>
  offeredCapabilities(SPEAKER, at(uplink, families), false).map(({ kind }) => kind);

describe('the capabilities offered on an interface', () => {
  it('are all there are', () => {
    expect(kinds(UPLINK)).toEqual([
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
    expect(kinds(old)).toEqual(['route-refresh', 'enhanced-route-refresh', 'extended-message', 'extended-next-hop']);
  });

  it('lack what builds on one that is switched off: enhanced refresh without refresh', () => {
    expect(kinds({ ...UPLINK, capabilitiesOff: ['route-refresh'] })).toEqual([
      'extended-message',
      'extended-next-hop',
      'link-local-next-hop',
      'fqdn',
    ]);
  });

  it('speak of no family that the session does not carry', () => {
    const restarter = { restartTime: 90, longLived: 3600, selectionDeferral: 30 };
    const addPath = { 'ipv6-unicast': { receive: true }, 'ipv4-unicast': { receive: true } };
    const session = at({ ...UPLINK, addPath }, ['ipv6-unicast']);
    const capabilities = offeredCapabilities({ ...SPEAKER, restarter }, session, false);
    expect(capabilities).toMatchObject([
      { kind: 'route-refresh' },
      { kind: 'enhanced-route-refresh' },
      { kind: 'extended-message' },
      { kind: 'link-local-next-hop' },
      { kind: 'fqdn' },
      { kind: 'add-path', families: [{ afi: 2, safi: 1, mode: 1 }] },
      { kind: 'graceful-restart', families: [{ afi: 2, safi: 1 }] },
      { kind: 'long-lived-graceful-restart', families: [{ afi: 2, safi: 1 }] },
    ]);
  });

  it('speak of path identifiers where they are configured, unless that is switched off', () => {
    const several: FabricInterfaceConfig = { ...UPLINK, addPath: { 'ipv6-unicast': { receive: true } } };
    expect(kinds(several)).toContain('add-path');
    expect(kinds({ ...several, capabilitiesOff: ['add-path'] })).not.toContain('add-path');
  });

  it('speak of restarts only where somebody helps or restarts', () => {
    const helping: FabricInterfaceConfig = { ...UPLINK, restartHelper: { longest: 60, longLived: 0 } };
    const [graceful, ...others] = offeredCapabilities(SPEAKER, at(helping), false).slice(6);
    expect(graceful).toMatchObject({ kind: 'graceful-restart', restarted: false, notification: true, families: [] });
    expect(others).toEqual([]);
    const restarter = { restartTime: 90, longLived: 3600, selectionDeferral: 30 };
    const capabilities = offeredCapabilities({ ...SPEAKER, restarter }, at(UPLINK), 'preserved').slice(6);
    const families = [2, 1].map((afi) => ({ afi, safi: 1, forwardingPreserved: true }));
    expect(capabilities).toEqual([
      { kind: 'graceful-restart', restarted: true, notification: true, restartTime: 90, families },
      { kind: 'long-lived-graceful-restart', families: families.map((family) => ({ ...family, staleTime: 3600 })) },
    ]);
    // A start that only waits has kept nothing, but must say that it waits.
    const [waiting] = offeredCapabilities({ ...SPEAKER, restarter }, at(UPLINK), 'empty').slice(6);
    const lost = families.map((family) => ({ ...family, forwardingPreserved: false }));
    expect(waiting).toMatchObject({ restarted: true, families: lost });
  });

  it('have IPv6 next hops for IPv4 only where IPv4 is carried', () => {
    expect(kinds(UPLINK, ['ipv6-unicast'])).not.toContain('extended-next-hop');
  });
});
