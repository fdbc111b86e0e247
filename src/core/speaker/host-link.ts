/**
 * One interface declared `host`: assigns the gateway addresses, and again when they are lost, advertises the prefixes to
 * the hosts (RFC 4862 SLAAC), and takes the addresses away again when the speaker stops.
 */
import {
  createHostInterface,
  type HostInterfaceInput,
  type HostInterfaceState,
  type LivingPrefix,
  stepHostInterface,
} from '../discovery/host-interface.js';
import { DEFAULT_LIFETIMES } from '../discovery/prefix-lifetimes.js';
import { usability } from '../discovery/usable.js';
import { equalBytes } from '../net/address.js';
import type { LinkState } from '../ports/links.js';
import type { AdvertisedPrefix, HostInterfaceConfig, HostPrefix, SpeakerConfig } from './config.js';
import { prefixDifference, type SetDifference } from './config-difference.js';
import { DiscoveryRunner } from './discovery-runner.js';
import { GatewayAddresses } from './gateway-addresses.js';
import type { SpeakerPorts } from './speaker-ports.js';

export class HostLink {
  private readonly discovery: DiscoveryRunner<HostInterfaceState, HostInterfaceInput>;
  private gateways: GatewayAddresses;
  private link: LinkState | undefined;
  private stopping = false;

  constructor(
    speaker: SpeakerConfig,
    public config: HostInterfaceConfig,
    private readonly ports: SpeakerPorts,
  ) {
    const initial = createHostInterface({
      advertiseInterval: speaker.timers.routerAdvertisement,
      prefixes: advertisedPrefixes(config),
    });
    const noNeighbours = { found: () => {}, lost: () => {} };
    this.discovery = new DiscoveryRunner(
      ports,
      { initial, step: stepHostInterface },
      { interfaceName: config.name, topic: 'host', ...noNeighbours },
    );
    this.gateways = this.gatewaysOf(config.prefixes);
  }

  get state(): LinkState | undefined {
    return this.link;
  }

  get reason(): string | undefined {
    if (!this.link) return 'no such interface';
    if (this.discovery.problem) return this.discovery.problem;
    const usable = usability(this.link);
    return usable.usable ? this.gateways.problem(this.link) : usable.reason;
  }

  linkChanged(link: LinkState): void {
    if (this.stopping) return;
    const appeared = !this.link || this.link.index !== link.index || (!this.link.adminUp && link.adminUp);
    this.link = link;
    if (appeared && link.adminUp) this.discovery.open(link);
    this.gateways.linkChanged(link);
    const usable = usability(link);
    if (usable.usable)
      this.discovery.input({ kind: 'link-usable', linkLocal: usable.linkLocal, mac: link.mac, mtu: link.mtu });
    else this.discovery.input({ kind: 'link-unusable', reason: usable.reason });
  }

  /** It may live on under another name: there the addresses are not wanted. */
  linkGone(): void {
    this.discovery.input({ kind: 'link-unusable', reason: 'no such interface' });
    this.close();
    void this.release();
    this.link = undefined;
  }

  /** Final RAs: the hosts stop using this router. */
  stop(): void {
    this.stopping = true;
    this.discovery.input({ kind: 'stopped' });
  }

  /** Removes the gateway addresses. */
  async release(): Promise<void> {
    if (this.link) await this.gateways.release(this.link.index);
  }

  close(): void {
    this.discovery.close();
  }

  /** Other prefixes: hosts are told of those that are gone, and gateway addresses follow. What differs is the caller's to originate. */
  reconfigure(config: HostInterfaceConfig): SetDifference<AdvertisedPrefix> {
    const before = this.config.prefixes;
    const gone = before.filter(({ gateway }) => !config.prefixes.some((wanted) => equalBytes(wanted.gateway, gateway)));
    this.config = config;
    this.discovery.input({ kind: 'prefixes', prefixes: advertisedPrefixes(config) });
    this.gateways = this.gatewaysOf(config.prefixes);
    if (this.link) {
      void this.gatewaysOf(gone).release(this.link.index);
      this.gateways.linkChanged(this.link);
    }
    return prefixDifference(before.map(originated), config.prefixes.map(originated));
  }

  /** New timers: for what starts from now on. */
  speakerChanged({ timers }: SpeakerConfig): void {
    const { state } = this.discovery;
    const timing = { ...state.timing, advertiseInterval: timers.routerAdvertisement };
    this.discovery.state = { ...state, timing };
  }

  private gatewaysOf(prefixes: readonly HostPrefix[]): GatewayAddresses {
    return new GatewayAddresses(prefixes, this.ports.links, (level, text) => this.discovery.log(level, text));
  }
}

/** IPv6 only: RAs carry nothing else. */
function advertisedPrefixes({ prefixes }: HostInterfaceConfig): LivingPrefix[] {
  return prefixes
    .filter(({ prefix }) => prefix.address.length === 16)
    .map(({ prefix, lifetimes = DEFAULT_LIFETIMES }) => ({ prefix, lifetimes }));
}

/** What BGP knows of it. */
function originated({ prefix, colour, backupColours }: HostPrefix): AdvertisedPrefix {
  return { prefix, ...(colour !== undefined && { colour }), ...(backupColours && { backupColours }) };
}
