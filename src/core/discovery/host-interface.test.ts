import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../net/address.js';
import { formatPrefix, type Prefix, parsePrefix } from '../net/prefix.js';
import { decodeNdMessage } from '../wire/icmpv6/decode-nd-message.js';
import { encodeRouterSolicitation } from '../wire/icmpv6/encode-nd-message.js';
import type { RouterAdvertisement } from '../wire/icmpv6/nd-message.js';
import { createHostInterface, type HostInterfaceInput, stepHostInterface } from './host-interface.js';
import { DEFAULT_LIFETIMES, type PrefixLifetimes } from './prefix-lifetimes.js';

const OWN = parseAddress('fe80::1')!;
const HOST = parseAddress('fe80::9')!;
const GREEN = parsePrefix('fd00:1:1:1::/64')!;
const BLUE = parsePrefix('fd00:1:1:2::/64')!;
const living = (prefix: Prefix, lifetimes: PrefixLifetimes = DEFAULT_LIFETIMES) => ({ prefix, lifetimes });
const USABLE: HostInterfaceInput = {
  kind: 'link-usable',
  linkLocal: OWN,
  mac: Uint8Array.of(2, 0, 0, 0, 0, 1),
  mtu: 9216,
};
const RS = encodeRouterSolicitation({ kind: 'router-solicitation', options: [] });

/** `TIME DESTINATION: router lifetime; prefix valid/preferred ...` of each RA. */
class HostLink {
  now = 0;
  state = createHostInterface({ advertiseInterval: 10_000, prefixes: [GREEN, BLUE].map((prefix) => living(prefix)) });
  timer: number | undefined;
  sent: string[] = [];
  messages: RouterAdvertisement[] = [];

  input(input: HostInterfaceInput): this {
    const { state, outputs } = stepHostInterface(this.state, input, { now: this.now, random: { next: () => 0 } });
    this.state = state;
    for (const output of outputs) {
      if (output.kind === 'arm-timer') this.timer = output.at;
      if (output.kind === 'cancel-timer') this.timer = undefined;
      if (output.kind === 'send') this.record(formatAddress(output.destination), output.message);
    }
    return this;
  }

  runUntil(end: number): this {
    while (this.timer !== undefined && this.timer <= end) {
      this.now = this.timer;
      this.timer = undefined;
      this.input({ kind: 'timer-expired' });
    }
    this.now = end;
    return this;
  }

  private record(to: string, bytes: Uint8Array): void {
    const decoded = decodeNdMessage(bytes, OWN);
    if (decoded.kind !== 'message' || decoded.message.kind !== 'router-advertisement')
      throw new Error('no RA was sent');
    this.messages.push(decoded.message);
    const prefixes = decoded.message.options.flatMap((option) =>
      option.kind === 'prefix-information'
        ? [`${formatPrefix(option.prefix)} ${option.validLifetime}/${option.preferredLifetime}`]
        : [],
    );
    this.sent.push(`${this.now} ${to}: ${decoded.message.routerLifetime}; ${prefixes.join(', ')}`);
  }
}

const BOTH = 'fd00:1:1:1::/64 2592000/604800, fd00:1:1:2::/64 2592000/604800';

describe('advertising to hosts', () => {
  it('advertises at once, quickly, then steadily, as a default router with one prefix option each', () => {
    const link = new HostLink().input(USABLE).runUntil(11_000);
    expect(link.sent).toEqual([0, 1000, 2000, 3000, 10_500].map((at) => `${at} ff02::1: 1800; ${BOTH}`));
  });

  it('lets hosts form addresses and reach each other on the link', () => {
    const [message] = new HostLink().input(USABLE).messages;
    expect(message!.options).toMatchObject([
      { kind: 'source-link-layer-address' },
      { kind: 'mtu', mtu: 9216 },
      { kind: 'prefix-information', onLink: true, autonomous: true },
      { kind: 'prefix-information', onLink: true, autonomous: true },
    ]);
  });

  it('answers a solicitation at once, unicast, or by multicast to a host without an address', () => {
    const link = new HostLink().input(USABLE).runUntil(5000);
    link.input({ kind: 'packet', source: HOST, message: RS });
    link.input({ kind: 'packet', source: parseAddress('::')!, message: RS });
    expect(link.sent.slice(4)).toEqual([`5000 fe80::9: 1800; ${BOTH}`, `5000 ff02::1: 1800; ${BOTH}`]);
  });

  it('tells hosts of a prefix that is gone for the two hours in which they may hold an address in it', () => {
    const link = new HostLink().input(USABLE).runUntil(5000);
    link.sent = [];
    link.input({ kind: 'prefixes', prefixes: [living(GREEN)] }).runUntil(16_000);
    const green = 'fd00:1:1:1::/64 2592000/604800';
    expect(link.sent).toEqual(
      [5000, 6000, 7000, 8000, 15_500].map((at) => `${at} ff02::1: 1800; ${green}, fd00:1:1:2::/64 0/0`),
    );
    link.input({ kind: 'packet', source: HOST, message: RS });
    expect(link.sent.at(-1)).toBe(`16000 fe80::9: 1800; ${green}, fd00:1:1:2::/64 0/0`);
    link.runUntil(5000 + 7200_000 - 1);
    expect(link.sent.at(-1)).toMatch(/0\/0$/);
    link.runUntil(5000 + 7200_000 + 10_000);
    expect(link.sent.at(-1)).toMatch(new RegExp(`1800; ${green}$`));
  });

  it('deprecates a prefix and shortens its lifetimes at once, and says so from then on', () => {
    const link = new HostLink().input(USABLE).runUntil(5000);
    link.sent = [];
    const prefixes = [living(GREEN), living(BLUE, { valid: 7200, preferred: 0 })];
    link.input({ kind: 'prefixes', prefixes }).runUntil(16_000);
    expect(new Set(link.sent.map((line) => line.replace(/^\d+ /, '')))).toEqual(
      new Set(['ff02::1: 1800; fd00:1:1:1::/64 2592000/604800, fd00:1:1:2::/64 7200/0']),
    );
    expect(link.sent).toHaveLength(5);
  });

  it('sends as many RAs as its prefixes need within the MTU', () => {
    const prefixes = Array.from({ length: 60 }, (_, index) => living(parsePrefix(`fd00:1:1:${index + 1}::/64`)!));
    const link = new HostLink().input({ kind: 'prefixes', prefixes }).input({ ...USABLE, mtu: 1500 });
    const counts = () =>
      link.messages.map(({ options }) => options.filter(({ kind }) => kind === 'prefix-information').length);
    expect(counts()).toEqual([44, 16]);
    expect(link.messages.map(({ routerLifetime }) => routerLifetime)).toEqual([1800, 1800]);
    link.input({ kind: 'packet', source: HOST, message: RS }).input({ kind: 'stopped' });
    expect(counts()).toEqual([44, 16, 44, 16, 44, 16]);
  });

  it('stays a default router between two advertisements, however far they are apart', () => {
    const link = new HostLink();
    link.state = createHostInterface({ advertiseInterval: 1_800_000, prefixes: [] });
    expect(link.input(USABLE).messages.map(({ routerLifetime }) => routerLifetime)).toEqual([5400]);
  });

  it('advertises a new prefix at once, and one that came back as living', () => {
    const link = new HostLink().input(USABLE).input({ kind: 'prefixes', prefixes: [living(BLUE)] });
    link.input({ kind: 'prefixes', prefixes: [GREEN, BLUE].map((prefix) => living(prefix)) });
    expect(link.sent.at(-1)).toBe(`0 ff02::1: 1800; ${BOTH}`);
  });

  it('ends router and addresses when stopped, and is silent then', () => {
    const link = new HostLink().input(USABLE).runUntil(5000).input({ kind: 'stopped' });
    expect(link.sent.at(-1)).toBe('5000 ff02::1: 0; fd00:1:1:1::/64 0/0, fd00:1:1:2::/64 0/0');
    expect(link.timer).toBeUndefined();
    expect(link.input({ kind: 'packet', source: HOST, message: RS }).sent).toHaveLength(5);
  });

  it('is silent while the link is not usable and starts over when it is', () => {
    const link = new HostLink().input({ kind: 'packet', source: HOST, message: RS }).input(USABLE).runUntil(20_000);
    link.input({ kind: 'link-unusable', reason: 'no carrier' }).runUntil(60_000);
    link.sent = [];
    expect(link.timer).toBeUndefined();
    link.input(USABLE).runUntil(61_500);
    expect(link.sent).toEqual([`60000 ff02::1: 1800; ${BOTH}`, `61000 ff02::1: 1800; ${BOTH}`]);
  });

  it('takes no notice of other routers and of broken messages', () => {
    const link = new HostLink().input(USABLE);
    const before = link.state;
    link.input({ kind: 'packet', source: HOST, message: Uint8Array.of(134, 0, 0) });
    expect(link.state).toEqual(before);
    expect(link.sent).toHaveLength(1);
  });
});
