/**
 * One interface declared `host`: assigns the gateway addresses, advertises the prefixes to the hosts (RFC 4862 SLAAC), and takes
 * the addresses away again when the speaker stops.
 */
import {
  createHostInterface,
  type HostInterfaceInput,
  type HostInterfaceState,
  stepHostInterface,
} from '../discovery/host-interface.js';
import { usability } from '../discovery/usable.js';
import { formatAddress } from '../net/address.js';
import type { LinkState } from '../ports/links.js';
import type { HostInterfaceConfig, SpeakerConfig } from './config.js';
import { DiscoveryRunner } from './discovery-runner.js';
import type { SpeakerPorts } from './speaker-ports.js';

export class HostLink {
  private readonly discovery: DiscoveryRunner<HostInterfaceState, HostInterfaceInput>;
  private link: LinkState | undefined;
  private stopping = false;

  constructor(
    speaker: SpeakerConfig,
    readonly config: HostInterfaceConfig,
    private readonly ports: SpeakerPorts,
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
  }

  get state(): LinkState | undefined {
    return this.link;
  }

  get reason(): string | undefined {
    if (!this.link) return 'no such interface';
    if (this.discovery.problem) return this.discovery.problem;
    const usable = usability(this.link);
    return usable.usable ? undefined : usable.reason;
  }

  linkChanged(link: LinkState): void {
    if (this.stopping) return;
    const appeared = !this.link || this.link.index !== link.index || (!this.link.adminUp && link.adminUp);
    this.link = link;
    if (appeared && link.adminUp) {
      this.discovery.open(link);
      this.assignGateways(link);
    }
    const usable = usability(link);
    if (usable.usable)
      this.discovery.input({ kind: 'link-usable', linkLocal: usable.linkLocal, mac: link.mac, mtu: link.mtu });
    else this.discovery.input({ kind: 'link-unusable', reason: usable.reason });
  }

  linkGone(): void {
    this.discovery.input({ kind: 'link-unusable', reason: 'no such interface' });
    this.close();
    this.link = undefined;
  }

  /** Final RAs: the hosts stop using this router. */
  stop(): void {
    this.stopping = true;
    this.discovery.input({ kind: 'stopped' });
  }

  /** Removes the gateway addresses. */
  async release(): Promise<void> {
    const { link } = this;
    if (!link) return;
    await Promise.all(
      this.config.prefixes.map(({ gateway, prefix }) =>
        this.ports.links
          .deleteAddress(link.index, gateway, prefix.length)
          .catch((error: unknown) => this.complain(error)),
      ),
    );
  }

  close(): void {
    this.discovery.close();
  }

  private assignGateways(link: LinkState): void {
    for (const { gateway, prefix } of this.config.prefixes) {
      this.ports.links.addAddress(link.index, gateway, prefix.length).catch((error: unknown) => {
        this.complain(error, `cannot assign ${formatAddress(gateway)}/${prefix.length}: `);
      });
    }
  }

  private complain(error: unknown, what = ''): void {
    this.discovery.log('error', `${what}${error instanceof Error ? error.message : String(error)}`);
  }
}
