/**
 * The stage of a rehearsal: one router of core over ports that lead nowhere, with links to three neighbours that are played. Nothing of it is
 * shared with the router that the daemon runs: no table, no counter, no socket, no log.
 */
import { type Address, equalBytes } from '../../core/net/address.js';
import type { Policy } from '../../core/policy/policy.js';
import type { Clock } from '../../core/ports/clock.js';
import type { LinkState, Links } from '../../core/ports/links.js';
import type { Reachability } from '../../core/ports/reachability.js';
import type { Stream, Transport } from '../../core/ports/transport.js';
import type { SpeakerConfig } from '../../core/speaker/config.js';
import { link, router } from '../../core/speaker/plain-config.js';
import { Speaker } from '../../core/speaker/speaker.js';
import { Actor } from './actor.js';
import { RelayedClock } from './relayed-clock.js';
import { StageClock } from './stage-clock.js';
import { StageTables } from './stage-tables.js';

const ACTORS = [1, 2, 3];
const ROUTER_AS = 65_000;
const PORT = 179;
/** Milliseconds of its time for one scene: longer than who lost a session waits for the next one. */
const SCENE = 15_000;

const ALL: Policy = { name: 'all', terms: [{ name: '1', match: {}, set: {}, action: 'accept' }] };

export class Stage {
  readonly actors: readonly Actor[];
  private readonly clock: StageClock;
  readonly router: Speaker;
  private accept: (stream: Stream) => void = () => {};

  constructor(real: Pick<Clock, 'now'>) {
    this.clock = new StageClock(real);
    const work = (piece: () => void) => this.clock.yield(piece);
    this.actors = ACTORS.map(
      (n) =>
        new Actor(
          { asn: ROUTER_AS + n, identifier: n, address: addressOn(n, 2), router: addressOn(n, 1), port: PORT },
          work,
        ),
    );
    this.router = new Speaker(this.config(), {
      clock: new RelayedClock(this.clock),
      random: { next: () => 0.5 },
      transport: this.transport(),
      ndSockets: { open: () => ({ send: () => {}, close: () => {} }) },
      links: this.links(),
      bfd: { open: () => ({ status: () => undefined, change: () => {}, close: () => {} }) },
      tables: new StageTables(),
      reachability: REACHABILITY,
      log: { write: () => {} },
    });
  }

  start(): Promise<void> {
    return this.router.start();
  }

  enter(actor: Actor): void {
    actor.enter(this.accept);
  }

  /** Begins a scene; the result does its next piece and says whether there was one. */
  scene(): () => boolean {
    const end = this.clock.now() + SCENE;
    return () => this.clock.step(end);
  }

  private config(): SpeakerConfig {
    return router('rehearsal', ROUTER_AS, {
      families: ['ipv6-unicast'],
      port: PORT,
      neighbours: this.actors.map(({ part: { address } }, place) => ({
        ...link(`actor${place + 1}`),
        address,
        passive: true,
        importPolicy: [ALL],
        exportPolicy: [ALL],
      })),
    });
  }

  private transport(): Transport {
    return {
      obstacle: () => undefined,
      protect: () => {},
      listen: async (_port, accept) => {
        this.accept = accept;
        return { close: () => {} };
      },
      connect: () => Promise.reject(new Error('nobody is there')),
    };
  }

  private links(): Links {
    return {
      list: async () => ACTORS.map((n) => linkState(n)),
      watch: () => () => {},
      readSpeed: () => undefined,
      readSwitch: () => undefined,
      writeSwitch: () => {},
      addAddress: async () => {},
      deleteAddress: async () => {},
    };
  }
}

/** Every address is on the link that its fourth octet names. */
const REACHABILITY: Reachability = {
  resolve: (address) => {
    const n = address[3]!;
    return {
      onLink: true,
      cost: 0,
      reaches: [{ interfaceIndex: n, interfaceName: `stage${n}`, gateway: address }],
    };
  },
  isOwn: (address) => ACTORS.some((n) => equalBytes(address, addressOn(n, 1))),
  onlyByDefault: () => false,
  watch: () => () => {},
};

/** fd00:N::HOST. */
function addressOn(n: number, host: number): Address {
  return Uint8Array.of(0xfd, 0, 0, n, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, host);
}

function linkState(n: number): LinkState {
  const address = { address: addressOn(n, 1), prefixLength: 64, tentative: false, duplicate: false };
  const mac = Uint8Array.of(2, 0, 0, 0, 0, n);
  return { index: n, name: `stage${n}`, adminUp: true, carrier: true, mac, mtu: 1500, addresses: [address] };
}
