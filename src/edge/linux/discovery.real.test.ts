/** The discovery machines on real links: two routers that find each other, and a host that configures itself by its own kernel. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNamespace, deleteNamespace, inNamespace, ip, namespacesUnusable } from '../../../test/harness/netns.js';
import { createFabricInterface, stepFabricInterface } from '../../core/discovery/fabric-interface.js';
import { createHostInterface, stepHostInterface } from '../../core/discovery/host-interface.js';
import { DEFAULT_LIFETIMES } from '../../core/discovery/prefix-lifetimes.js';
import type { DiscoveryMoment } from '../../core/discovery/router-link.js';
import type { DiscoveryInput, DiscoveryOutput } from '../../core/discovery/types.js';
import { type InterfaceKind, usability, wantedSwitches } from '../../core/discovery/usable.js';
import { formatAddress, parseAddress } from '../../core/net/address.js';
import { parsePrefix } from '../../core/net/prefix.js';
import type { LinkState } from '../../core/ports/links.js';
import type { NdSocket } from '../../core/ports/nd-socket.js';
import { LinuxLinks } from './links.js';
import { LinuxNdSockets } from './nd-sockets.js';

const A = 'nd-machine-a';
const B = 'nd-machine-b';
const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

type Step = (input: DiscoveryInput, at: DiscoveryMoment) => readonly DiscoveryOutput[];

/** A machine on the interface `name` of a namespace. */
class Router {
  found: string[] = [];
  lost: string[] = [];
  private socket: NdSocket | undefined;
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly namespace: string,
    private readonly name: string,
    private readonly step: Step,
    private readonly links: LinuxLinks,
  ) {}

  static async start(at: { namespace: string; name: string; kind: InterfaceKind }, step: Step): Promise<Router> {
    const links = await inNamespace(at.namespace, () => LinuxLinks.open());
    const router = new Router(at.namespace, at.name, step, links);
    inNamespace(at.namespace, () => {
      for (const { name, value } of wantedSwitches(at.kind)) links.writeSwitch(at.name, name, value);
    });
    links.watch((event) => event.kind === 'link' && router.linkChanged(event.link));
    for (const link of await links.list()) router.linkChanged(link);
    return router;
  }

  async gateway(text: string): Promise<void> {
    const [link] = (await this.links.list()).filter(({ name }) => name === this.name);
    await this.links.addAddress(link!.index, parseAddress(text)!, 64);
  }

  stop(): void {
    this.input({ kind: 'stopped' });
    clearTimeout(this.timer);
    this.socket?.close();
    this.links.close();
  }

  private linkChanged(link: LinkState): void {
    if (link.name !== this.name) return;
    const receive = (packet: { source: Uint8Array; message: Uint8Array }) => this.input({ kind: 'packet', ...packet });
    if (link.adminUp) this.socket ??= inNamespace(this.namespace, () => new LinuxNdSockets().open(link, receive));
    const judged = usability(link);
    this.input(
      judged.usable
        ? { kind: 'link-usable', linkLocal: judged.linkLocal, mac: link.mac, mtu: link.mtu }
        : { kind: 'link-unusable', reason: judged.reason },
    );
  }

  private input(input: DiscoveryInput): void {
    for (const output of this.step(input, { now: performance.now(), random: { next: Math.random } })) {
      this.perform(output);
    }
  }

  private perform(output: DiscoveryOutput): void {
    if (output.kind === 'send') this.socket?.send(output.destination, output.message);
    if (output.kind === 'neighbour-found') this.found.push(formatAddress(output.address));
    if (output.kind === 'neighbour-lost') this.lost.push(formatAddress(output.address));
    if (output.kind !== 'arm-timer' && output.kind !== 'cancel-timer') return;
    clearTimeout(this.timer);
    if (output.kind === 'cancel-timer') return;
    this.timer = setTimeout(() => this.input({ kind: 'timer-expired' }), Math.max(0, output.at - performance.now()));
  }
}

function fabric(): Step {
  let state = createFabricInterface({
    advertiseInterval: 10_000,
    initialAdvertisements: 3,
    initialInterval: 1000,
    neighbourLifetime: 30_000,
  });
  return (input, at) => {
    const step = stepFabricInterface(state, input, at);
    state = step.state;
    return step.outputs;
  };
}

function host(prefixes: readonly string[]): Step {
  const living = prefixes.map((text) => ({ prefix: parsePrefix(text)!, lifetimes: DEFAULT_LIFETIMES }));
  let state = createHostInterface({ advertiseInterval: 10_000, prefixes: living });
  return (input, at) => {
    const step = stepHostInterface(state, input, at);
    state = step.state;
    return step.outputs;
  };
}

describe.skipIf(unusable)('discovery on a veth pair', () => {
  const routers: Router[] = [];

  beforeEach(() => {
    for (const name of [A, B]) createNamespace(name);
    ip('-n', A, 'link', 'add', 'a0', 'address', '02:00:00:00:00:0a', 'type', 'veth', 'peer', 'name', 'b0', 'netns', B);
    ip('-n', B, 'link', 'set', 'b0', 'address', '02:00:00:00:00:0b');
  });
  afterEach(() => {
    for (const router of routers.splice(0)) router.stop();
    for (const name of [A, B]) deleteNamespace(name);
  });

  it('finds each other from link-up, loses each other with the link and finds each other again', async () => {
    const a = await Router.start({ namespace: A, name: 'a0', kind: 'fabric' }, fabric());
    const b = await Router.start({ namespace: B, name: 'b0', kind: 'fabric' }, fabric());
    routers.push(a, b);
    const start = performance.now();
    ip('-n', A, 'link', 'set', 'a0', 'up');
    ip('-n', B, 'link', 'set', 'b0', 'up');
    await expect.poll(() => [a.found, b.found], { interval: 5 }).toEqual([['fe80::ff:fe00:b'], ['fe80::ff:fe00:a']]);
    console.log(`link-up to both neighbours known: ${Math.round(performance.now() - start)} ms`);
    ip('-n', B, 'link', 'set', 'b0', 'down');
    await expect.poll(() => [a.lost, b.lost]).toEqual([['fe80::ff:fe00:b'], ['fe80::ff:fe00:a']]);
    ip('-n', B, 'link', 'set', 'b0', 'up');
    await expect.poll(() => [a.found.length, b.found.length]).toEqual([2, 2]);
  });

  it('gives a host its addresses and default route by SLAAC, and takes the route away when stopped', async () => {
    const router = await Router.start(
      { namespace: A, name: 'a0', kind: 'host' },
      host(['fd00:1:1:1::/64', 'fd00:1:1:2::/64']),
    );
    routers.push(router);
    for (const gateway of ['fd00:1:1:1::1', 'fd00:1:1:2::1']) await router.gateway(gateway);
    ip('-n', A, 'link', 'set', 'a0', 'up');
    ip('-n', B, 'link', 'set', 'b0', 'up');
    const addresses = () => ip('-n', B, '-6', '-o', 'address', 'show', 'dev', 'b0', 'scope', 'global');
    await expect.poll(addresses).toContain('fd00:1:1:1:0:ff:fe00:b/64');
    await expect.poll(addresses).toContain('fd00:1:1:2:0:ff:fe00:b/64');
    await expect.poll(addresses).not.toContain('tentative');
    const defaultRoute = () => ip('-n', B, '-6', 'route', 'show', 'default');
    await expect.poll(defaultRoute).toContain('via fe80::ff:fe00:a dev b0');
    await expect.poll(() => reached('fd00:1:1:1::1')).toBe('ECONNREFUSED');
    routers.pop()!.stop();
    await expect.poll(defaultRoute).toBe('');
    await expect.poll(addresses).toContain('deprecated');
  });

  /** A closed port that refuses is a router that answers. */
  function reached(address: string): string {
    const script = `require('net').connect(9, '${address}').on('error', ({ code }) => console.log(code))`;
    return ip('netns', 'exec', B, process.execPath, '-e', script).trim();
  }
});
