/**
 * The configuration of a router and of its fabric interfaces with a usual value for everything, each open to change: for routers
 * that are put together by hand rather than read from a file, those of the fuzzer and of tests.
 */
import type { FabricInterfaceConfig, SpeakerConfig } from './config.js';

export function link(name: string, changes: Partial<FabricInterfaceConfig> = {}): FabricInterfaceConfig {
  return { name, acceptRemoteAs: [{ kind: 'external' }], sendColour: true, aigp: true, ...changes };
}

/** A spine without interfaces unless `part` says otherwise. */
export function router(name: string, asn: number, part: Partial<SpeakerConfig> = {}): SpeakerConfig {
  return {
    name,
    role: 'spine',
    asn,
    identifier: asn,
    families: ['ipv6-unicast'],
    port: 179,
    fabric: [],
    hosts: [],
    advertise: [],
    dpf: { mode: 'policy', aigpOrigin: 0n, aigpStep: 1n },
    timers: { hold: 9, connectRetry: 10, sendHold: 480, routerAdvertisement: 10_000, neighbourLifetime: 30_000 },
    fib: { buckets: 128, idleTimer: 1 },
    manageSwitches: true,
    ...part,
  };
}
