/**
 * The gateway addresses of one host link, kept as the configuration names them: each change of the link shows whether one
 * is missing, and what is missing is asked for again.
 *
 *   missing --asked for--> asked --seen on the link--> there --not seen--> missing
 *                          asked --refused--> refused, and asked for again at the next change
 */
import { type Address, equalBytes, formatAddress } from '../net/address.js';
import type { LinkAddress, LinkState, Links } from '../ports/links.js';
import type { HostPrefix } from './config.js';

type Condition =
  | { readonly kind: 'asked' }
  | { readonly kind: 'there' }
  | { readonly kind: 'refused'; readonly why: string };

export class GatewayAddresses {
  private readonly conditions = new Map<HostPrefix, Condition>();

  constructor(
    private readonly wanted: readonly HostPrefix[],
    private readonly links: Pick<Links, 'addAddress' | 'deleteAddress'>,
    private readonly log: (level: 'warn' | 'error', message: string) => void,
  ) {}

  linkChanged(link: LinkState): void {
    if (!link.adminUp) return this.conditions.clear();
    for (const entry of this.wanted) {
      if (addressOn(link, entry.gateway)) this.conditions.set(entry, { kind: 'there' });
      else this.assign(link.index, entry);
    }
  }

  /** What is wrong with the first address that is not as it should be. */
  problem(link: LinkState): string | undefined {
    for (const entry of this.wanted) {
      const present = addressOn(link, entry.gateway);
      const condition = this.conditions.get(entry);
      if (present?.duplicate) return `gateway ${textOf(entry)}: another node on the link uses it`;
      if (!present)
        return `gateway ${textOf(entry)}${condition?.kind === 'refused' ? `: ${condition.why}` : ' is not assigned'}`;
    }
    return undefined;
  }

  async release(interfaceIndex: number): Promise<void> {
    this.conditions.clear();
    const removals = this.wanted.map(({ gateway, prefix }) =>
      this.links
        .deleteAddress(interfaceIndex, gateway, prefix.length)
        .catch((error: Error) => this.log('error', error.message)),
    );
    await Promise.all(removals);
  }

  private assign(interfaceIndex: number, entry: HostPrefix): void {
    const before = this.conditions.get(entry);
    if (before?.kind === 'asked') return;
    if (before?.kind === 'there') this.log('warn', `gateway ${textOf(entry)} was taken away: assigned again`);
    const asked: Condition = { kind: 'asked' };
    this.conditions.set(entry, asked);
    this.links.addAddress(interfaceIndex, entry.gateway, entry.prefix.length).catch(({ message: why }: Error) => {
      if (before?.kind !== 'refused' || before.why !== why) this.log('error', `gateway ${textOf(entry)}: ${why}`);
      if (this.conditions.get(entry) === asked) this.conditions.set(entry, { kind: 'refused', why });
    });
  }
}

function addressOn(link: LinkState, gateway: Address): LinkAddress | undefined {
  return link.addresses.find(({ address }) => equalBytes(address, gateway));
}

function textOf({ gateway, prefix }: HostPrefix): string {
  return `${formatAddress(gateway)}/${prefix.length}`;
}
