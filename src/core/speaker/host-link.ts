/**
 * One interface declared `host`: assigns the gateway addresses, and again when they are lost, advertises the prefixes to
 * the hosts (RFC 4862 SLAAC), and takes the addresses away again when the speaker stops.
 */
import {
  createHostInterface,
  type HostInterfaceInput,
  type HostInterfaceState,
  stepHostInterface,
} from '../discovery/host-interface.js';
import { usability } from '../discovery/usable.js';
import type { LinkState } from '../ports/links.js';
import type { HostInterfaceConfig, SpeakerConfig } from './config.js';
import { DiscoveryRunner } from './discovery-runner.js';
import { GatewayAddresses } from './gateway-addresses.js';
import type { SpeakerPorts } from './speaker-ports.js';

export class HostLink {
  private readonly discovery: DiscoveryRunner<HostInterfaceState, HostInterfaceInput>;
  private readonly gateways: GatewayAddresses;
  private link: LinkState | undefined;
  private stopping = false;

  constructor(
    speaker: SpeakerConfig,
    readonly config: HostInterfaceConfig,
    ports: SpeakerPorts,
  ) {
    const initial = createHostInterface({
      advertiseInterval: speaker.timers.routerAdvertisement,
      prefixes: config.prefixes.filter(({ prefix }) => prefix.address.length === 16).map(({ prefix }) => prefix),
    });
    const noNeighbours = { found: () => {}, lost: () => {} };
    this.discovery = new DiscoveryRunner(
      ports,
      { initial, step: stepHostInterface },
      { interfaceName: config.name, topic: 'host', ...noNeighbours },
    );
    this.gateways = new GatewayAddresses(config.prefixes, ports.links, (level, text) =>
      this.discovery.log(level, text),
    );
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
}
