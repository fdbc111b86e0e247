/**
 * Shared by tests of this folder: a router between a friend, whose session and route must not suffer, and a foe, which is a host
 * that says whatever the test tells it to.
 */
import { expect } from 'vitest';
import type { Address } from '../core/net/address.js';
import { type Prefix, parsePrefix } from '../core/net/prefix.js';
import type { LogEvent } from '../core/ports/event-log.js';
import type { FabricInterfaceConfig, SpeakerConfig } from '../core/speaker/config.js';
import { link, router } from '../core/speaker/plain-config.js';
import { HostilePeer, keepalive, type OpenParts, open } from './hostile-peer.js';
import { VirtualFabric } from './virtual-fabric.js';

export const SECOND = 1000;
export const ROUTER_AS = 65001;
export const ROUTER_IDENTIFIER = 0x0a00_0001;
export const FRIEND_PREFIX = parsePrefix('fc00:1::/64')!;
export const FOE_PREFIX = parsePrefix('fc00:66::/64')!;

/** Of the router: the whole, and its end of the link to the foe. */
export interface StageChanges {
  readonly router?: Partial<SpeakerConfig>;
  readonly toFoe?: Partial<FabricInterfaceConfig>;
}

export class HostileStage {
  readonly events: LogEvent[] = [];
  readonly fabric: VirtualFabric;
  readonly config: SpeakerConfig;

  constructor(changes: StageChanges = {}) {
    this.config = router('router', ROUTER_AS, {
      identifier: ROUTER_IDENTIFIER,
      families: ['ipv4-unicast', 'ipv6-unicast'],
      fabric: [link('to-friend'), link('to-foe', changes.toFoe)],
      ...changes.router,
    });
    this.fabric = new VirtualFabric(
      {
        routers: [
          { name: 'router', config: this.config },
          {
            name: 'friend',
            config: router('friend', 65101, {
              role: 'leaf',
              families: ['ipv4-unicast', 'ipv6-unicast'],
              fabric: [link('to-router')],
              advertise: [{ prefix: FRIEND_PREFIX }],
            }),
          },
        ],
        hosts: ['foe'],
        wires: [
          { a: { node: 'router', interface: 'to-friend' }, b: { node: 'friend', interface: 'to-router' } },
          { a: { node: 'router', interface: 'to-foe' }, b: { node: 'foe', interface: 'eth0' } },
        ],
      },
      {
        seed: 1,
        delay: 0.01,
        log: (node) => ({ write: (event) => void (node === 'router' && this.events.push(event)) }),
      },
    );
  }

  static async ready(changes: StageChanges = {}): Promise<HostileStage> {
    const stage = new HostileStage(changes);
    await stage.fabric.start();
    stage.fabric.raiseLinks();
    await stage.pass(3 * SECOND);
    stage.events.length = 0;
    return stage;
  }

  get router() {
    return this.fabric.node('router').speaker!;
  }

  /** The router's end of the link to the foe, and the foe's. */
  get toFoe() {
    return this.router.fabricLinks[1]!;
  }

  get foePort() {
    return this.fabric.node('foe').links.byName('eth0')!;
  }

  pass(time: number): Promise<void> {
    return this.fabric.clock.runUntil(this.fabric.clock.now() + time);
  }

  /** An ICMPv6 message from any address there is, or is not, arrives at the router. */
  deliver(source: Address, message: Uint8Array): void {
    for (const receive of this.foePort.peer!.receivers) receive({ source, message });
  }

  async connect(local?: Address): Promise<HostilePeer> {
    const { transport } = this.fabric.node('foe');
    const port = this.foePort;
    const target = { interfaceName: 'eth0', local: local ?? port.linkLocal!, remote: port.peer!.linkLocal!, port: 179 };
    const stream = transport.connect(target, new AbortController().signal);
    await this.pass(1);
    return new HostilePeer(await stream);
  }

  async established(parts: OpenParts = {}, local?: Address): Promise<HostilePeer> {
    const foe = await this.connect(local);
    foe.send(open(parts), keepalive);
    await this.pass(1.5 * SECOND);
    expect(foe.notification).toBeUndefined();
    return foe;
  }

  routeOf(prefix: Prefix) {
    const { rib } = this.router.engine;
    const id = rib.find(prefix);
    return id === undefined ? undefined : rib.selection(id).best;
  }

  /** What was wrong with UPDATEs, in the words of the log. */
  get faults(): readonly string[] {
    return this.events.map(({ message }) => message).filter((message) => message.includes('UPDATE with errors'));
  }

  /** Reasons of the paths that are kept for a prefix without being used. */
  unusedBecause(prefix: Prefix): readonly (string | undefined)[] {
    const { rib } = this.router.engine;
    const id = rib.find(prefix);
    if (id === undefined) return [];
    return rib.explain(id).paths.flatMap(({ status, reason }) => (status === 'hidden' ? [reason] : []));
  }

  /** The friend has noticed nothing, and the log is not full. */
  expectUnharmed(): void {
    const [session] = this.router.fabricLinks[0]!.sessions();
    expect(session?.summary()).toMatchObject({ state: 'established', establishedCount: 1 });
    expect(this.routeOf(FRIEND_PREFIX)).toBeDefined();
    expect(this.events.filter(({ level }) => level !== 'debug').length).toBeLessThan(20);
  }
}
