/** What a router reaches as a test says it, and can say otherwise later. */
import { type Address, formatAddress, parseAddress } from '../net/address.js';
import type { Reachability, Resolution } from '../ports/reachability.js';

export class GivenReachability implements Reachability {
  own: readonly string[] = [];
  hasDefault = false;
  /** How many times something was looked up. */
  lookups = 0;
  private readonly ways = new Map<string, Resolution>();

  resolve(address: Address): Resolution | undefined {
    this.lookups++;
    return this.ways.get(formatAddress(address));
  }

  isOwn(address: Address): boolean {
    return this.own.includes(formatAddress(address));
  }

  onlyByDefault(): boolean {
    return this.hasDefault;
  }

  watch(): () => void {
    return () => {};
  }

  /** `way` is `COST GATEWAY%INTERFACE...`, or `link INTERFACE`; nothing leads to the address without one. */
  set(address: string, way: string | undefined): void {
    const [cost, ...reaches] = way?.split(' ') ?? [];
    if (cost === undefined) this.ways.delete(address);
    else if (cost === 'link') {
      const reach = { ...interfaceOf(reaches[0]!), gateway: parseAddress(address)! };
      this.ways.set(address, { onLink: true, cost: 0, reaches: [reach] });
    } else this.ways.set(address, { onLink: false, cost: Number(cost), reaches: reaches.map(reachOf) });
  }
}

function reachOf(text: string) {
  const [gateway, name] = text.split('%');
  return { ...interfaceOf(name!), gateway: parseAddress(gateway!)! };
}

function interfaceOf(interfaceName: string) {
  return { interfaceName, interfaceIndex: Number(interfaceName.replace('eth', '')) };
}
