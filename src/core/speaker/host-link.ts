/**
 * One interface declared `host`: assigns the gateway addresses, advertises the prefixes to the hosts (RFC 4862 SLAAC), and takes
 * the addresses away again when the speaker stops.
 */
import { createHostInterface, type HostInterfaceState, stepHostInterface } from '../discovery/host-interface.js';
import type { DiscoveryInput, DiscoveryOutput } from '../discovery/types.js';
import { usability } from '../discovery/usable.js';
import { formatAddress } from '../net/address.js';
import type { LinkState } from '../ports/links.js';
import type { NdSocket } from '../ports/nd-socket.js';
import type { HostInterfaceConfig, SpeakerConfig } from './config.js';
import { Deadline } from './deadline.js';
import type { SpeakerPorts } from './speaker-ports.js';

export class HostLink {
  private machine: HostInterfaceState;
  private readonly timer: Deadline;
  private socket: NdSocket | undefined;
  private socketError: string | undefined;
  private link: LinkState | undefined;
  private stopping = false;

  constructor(
    speaker: SpeakerConfig,
    readonly config: HostInterfaceConfig,
    private readonly ports: SpeakerPorts,
  ) {
    this.timer = new Deadline(ports.clock, () => this.input({ kind: 'timer-expired' }));
    this.machine = createHostInterface({
      advertiseInterval: speaker.timers.routerAdvertisement,
      prefixes: config.prefixes.filter(({ prefix }) => prefix.address.length === 16).map(({ prefix }) => prefix),
    });
  }

  get state(): LinkState | undefined {
    return this.link;
  }

  get reason(): string | undefined {
    if (!this.link) return 'no such interface';
    if (this.socketError) return this.socketError;
    const usable = usability(this.link);
    return usable.usable ? undefined : usable.reason;
  }

  linkChanged(link: LinkState): void {
    if (this.stopping) return;
    const appeared = !this.link || this.link.index !== link.index || (!this.link.adminUp && link.adminUp);
    this.link = link;
    if (appeared && link.adminUp) {
      this.openSocket(link);
      this.assignGateways(link);
    }
    const usable = usability(link);
    if (usable.usable) this.input({ kind: 'link-usable', linkLocal: usable.linkLocal, mac: link.mac, mtu: link.mtu });
    else this.input({ kind: 'link-unusable', reason: usable.reason });
  }

  linkGone(): void {
    this.input({ kind: 'link-unusable', reason: 'no such interface' });
    this.close();
    this.link = undefined;
  }

  /** Final RAs: the hosts stop using this router. */
  stop(): void {
    this.stopping = true;
    this.input({ kind: 'stopped' });
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
    this.timer.cancel();
    this.socket?.close();
    this.socket = undefined;
  }

  private openSocket(link: LinkState): void {
    this.socket?.close();
    try {
      this.socket = this.ports.ndSockets.open(
        link,
        ({ source, message }) => this.input({ kind: 'packet', source, message }),
        (reason) => this.complain(reason, 'cannot send: '),
      );
      this.socketError = undefined;
    } catch (error) {
      this.socket = undefined;
      this.socketError = error instanceof Error ? error.message : String(error);
      this.complain(error);
    }
  }

  private assignGateways(link: LinkState): void {
    for (const { gateway, prefix } of this.config.prefixes) {
      this.ports.links.addAddress(link.index, gateway, prefix.length).catch((error: unknown) => {
        this.complain(error, `cannot assign ${formatAddress(gateway)}/${prefix.length}: `);
      });
    }
  }

  private input(input: DiscoveryInput): void {
    const { clock, random } = this.ports;
    const { state, outputs } = stepHostInterface(this.machine, input, { now: clock.now(), random });
    this.machine = state;
    for (const output of outputs) this.perform(output);
  }

  private perform(output: DiscoveryOutput): void {
    switch (output.kind) {
      case 'send':
        return this.socket?.send(output.destination, output.message);
      case 'arm-timer':
        return this.timer.arm(output.at);
      case 'cancel-timer':
        return this.timer.cancel();
      case 'log':
        return this.ports.log.write({
          level: output.level,
          topic: 'host',
          message: output.message,
          fields: { interface: this.config.name },
        });
      default:
        return;
    }
  }

  private complain(error: unknown, what = ''): void {
    const message = `${what}${error instanceof Error ? error.message : String(error)}`;
    this.ports.log.write({ level: 'error', topic: 'host', message, fields: { interface: this.config.name } });
  }
}
