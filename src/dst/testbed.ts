/**
 * The fabric that a scenario happens to, on virtual time, and what is known of it from outside: what each router has told
 * the others, and what was found to be violated. Everything that is sent goes into a digest.
 */
import type { LogEvent } from '../core/ports/event-log.js';
import type { Neighbour } from '../core/speaker/neighbour.js';
import { SeededRandom } from '../simulator/seeded-random.js';
import { VirtualFabric } from '../simulator/virtual-fabric.js';
import type { VirtualInterface } from '../simulator/virtual-interface.js';
import type { VirtualNode } from '../simulator/virtual-node.js';
import type { WireTap } from '../simulator/wire-tap.js';
import type { Misheard } from './bad-update.js';
import { Digest } from './digest.js';
import { fabricPlan } from './fabric-plan.js';
import type { LinkEnds } from './fault.js';
import { Intent } from './intent.js';
import { Ledger } from './ledger.js';
import { prefixOf } from './prefix-of.js';
import type { Scenario } from './scenario.js';
import { Turns } from './turns.js';
import { nlriText } from './update-contents.js';
import type { Violation } from './violation.js';

export class Testbed extends Intent {
  readonly fabric: VirtualFabric;
  readonly digest = new Digest();
  readonly ledger: Ledger;
  /** Of the cables. */
  readonly random: SeededRandom;
  /** Found so far, whatever the moment. */
  readonly violations: Violation[] = [];
  /** Hears all that is sent too. */
  listener: WireTap | undefined;
  /** Of the routers: starts and stops under way. */
  readonly turns = new Turns((place, error) =>
    this.found({ invariant: 'no-exception', place, detail: describe(error) }),
  );

  constructor(
    readonly scenario: Scenario,
    private readonly trace?: (line: string) => void,
  ) {
    super(fabricPlan(scenario.fabric));
    const { hosts, links } = this.plan;
    this.random = new SeededRandom(scenario.seed ^ 0x5eed);
    const routers = this.routers.map(({ name }) => ({ name, config: this.config(name) }));
    this.fabric = new VirtualFabric(
      { routers, hosts: hosts.map(({ name }) => name), wires: links },
      {
        seed: scenario.seed,
        delay: scenario.fabric.delay,
        log: (node) => ({ write: (event) => this.logged(node, event) }),
        tap: {
          packet: (from, kind, octets) => {
            this.digest.add(this.now, kind, from.mac, octets);
            this.listener?.packet(from, kind, octets);
          },
          written: (stream, octets) => {
            this.digest.add(this.now, `tcp ${stream.localPort} ${stream.remotePort}`, stream.local, octets);
            this.listener?.written(stream, octets);
          },
        },
      },
    );
    this.ledger = new Ledger({
      asnOf: (node) => this.config(node).asn,
      returns: (scenario.fabric.links ?? 1) > 1 || scenario.fabric.pods !== undefined,
      found: (violation) => this.found(violation),
    });
    for (const { name } of routers) this.node(name).watchers = [this.ledger.watcher(name)];
  }

  get now(): number {
    return this.fabric.clock.now();
  }

  node(name: string): VirtualNode {
    return this.fabric.node(name);
  }

  /** The end of `a`; absent while the interfaces are deleted. */
  end(link: LinkEnds): VirtualInterface | undefined {
    return this.node(link.a).links.byName(this.interfaceOf(link));
  }

  /** The session on an interface of a router, where one is up. */
  sessionOn(router: string, name: string): Neighbour | undefined {
    const link = this.node(router).speaker?.fabricLinks.find(({ config }) => config.name === name);
    return link?.sessions().find(({ isEstablished }) => isEstablished);
  }

  override misheard(router: string, name: string, prefix: string): Misheard | undefined {
    if (this.ledger.mishearings === 0) return undefined;
    const session = this.sessionOn(router, name);
    const { address, length } = prefixOf(prefix);
    return session && this.ledger.of(router, session)?.misheard.get(nlriText(address, length));
  }

  override get mishearings(): number {
    return this.ledger.mishearings;
  }

  pass(milliseconds: number): Promise<void> {
    return this.fabric.clock.runUntil(this.now + milliseconds);
  }

  found(violation: Violation): void {
    this.violations.push(violation);
    this.say(`VIOLATION ${violation.invariant} at ${violation.place}: ${violation.detail}`);
  }

  say(line: string): void {
    this.trace?.(`${(this.now / 1000).toFixed(6)} ${line}`);
  }

  private logged(node: string, { level, topic, message }: LogEvent): void {
    this.trace?.(`${(this.now / 1000).toFixed(6)} ${node} ${level} ${topic}: ${message}`);
  }
}

export function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
