import { describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import type { BfdChange, BfdTarget } from '../ports/bfd.js';
import { type BfdControlPacket, decodeBfdControlPacket, encodeBfdControlPacket } from '../wire/bfd.js';
import { BfdRunner } from './runner.js';

const LOCAL = parseAddress('fe80::1')!;
const REMOTE = parseAddress('fe80::2')!;
const PARAMETERS = { interval: 300, multiplier: 3 };

/** The machine's surroundings: time that is moved by hand, and what each interface was given to send. */
class World {
  time = 0;
  private wakes: { at: number; run: () => void; live: boolean }[] = [];
  readonly sent: (BfdControlPacket & { readonly on: number })[] = [];
  readonly open = new Map<number, (packet: Uint8Array) => void>();
  refuse = false;
  readonly runner: BfdRunner;

  constructor() {
    let dice = 0;
    const nextDice = () => {
      dice = (dice + 0.37) % 1;
      return dice;
    };
    const schedule = (at: number, run: () => void) => {
      const wake = { at, run, live: true };
      this.wakes.push(wake);
      return () => {
        wake.live = false;
      };
    };
    this.runner = new BfdRunner({
      clock: { now: () => this.time, schedule, yield: (run) => void schedule(this.time, run) },
      random: { next: nextDice },
      network: {
        open: ({ interfaceIndex: on }, receive) => {
          if (this.refuse) throw new Error('no socket');
          this.open.set(on, receive);
          return {
            send: (packet) => void this.sent.push({ ...decodeBfdControlPacket(packet)!, on }),
            close: () => void (this.open.get(on) === receive && this.open.delete(on)),
          };
        },
      },
    });
  }

  session(interfaceIndex: number) {
    const changes: BfdChange[] = [];
    const failures: string[] = [];
    const target: BfdTarget = { interfaceName: `x${interfaceIndex}`, interfaceIndex, local: LOCAL, remote: REMOTE };
    const session = this.runner.open(target, PARAMETERS, {
      changed: (change) => void changes.push(change),
      failed: (reason) => void failures.push(reason),
    });
    return { session, changes, failures };
  }

  /** The neighbour on an interface answers the last packet sent there. */
  hears(on: number, state: number): void {
    const last = this.sent.filter((packet) => packet.on === on).at(-1)!;
    const answer = { ...last, state, poll: false, myDiscriminator: 1000 + on, yourDiscriminator: last.myDiscriminator };
    this.open.get(on)?.(encodeBfdControlPacket(answer));
  }

  /** Every timer that is due by then fires at `time`, before anything that those bring about. */
  wakeLate(time: number): void {
    this.time = time;
    for (const wake of this.wakes.filter(({ live, at }) => live && at <= time)) {
      wake.live = false;
      wake.run();
    }
  }

  runTo(time: number): void {
    for (;;) {
      const next = this.wakes.filter(({ live, at }) => live && at <= time).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      next.live = false;
      this.time = Math.max(this.time, next.at);
      next.run();
    }
    this.time = time;
  }
}

const DOWN = 1;
const INIT = 2;
const UP = 3;

describe('BFD sessions side by side', () => {
  it('are told apart by their interface when the neighbours have the same address', () => {
    const world = new World();
    const one = world.session(1);
    const two = world.session(2);
    for (const on of [1, 2]) for (const state of [DOWN, INIT]) world.hears(on, state);
    expect([one, two].map(({ session }) => session.status()?.state)).toEqual(['Up', 'Up']);
    for (let time = 100; time <= 4000; time += 100) {
      world.runTo(time);
      world.hears(2, UP);
    }
    expect(one.changes.at(-1)).toMatchObject({ to: 'Down', pathFailed: true });
    expect(one.session.status()).toMatchObject({ state: 'Down', ups: 1, failures: 1 });
    expect(two.session.status()).toMatchObject({ state: 'Up', ups: 1, failures: 0 });
  });

  it('do not believe in silence before they have read what waits', () => {
    const world = new World();
    const { session } = world.session(1);
    world.hears(1, DOWN);
    world.hears(1, INIT);
    const { detectionTime } = session.status()!;
    // The thread was late: the packet is read after the timer that found nothing.
    world.wakeLate(detectionTime + 500);
    world.hears(1, UP);
    world.runTo(world.time);
    expect(session.status()?.state).toBe('Up');
  });

  it('end as AdminDown, told for a detection time, and then close', () => {
    const world = new World();
    const { session, changes } = world.session(1);
    world.hears(1, DOWN);
    world.hears(1, INIT);
    const told = changes.length;
    session.close();
    expect(world.sent.at(-1)).toMatchObject({ state: 0, diagnostic: 7 });
    expect(world.open.has(1)).toBe(true);
    world.runTo(world.time + 5000);
    expect(world.open.has(1)).toBe(false);
    expect(changes.length).toBe(told);
  });

  it('are replaced by a session with the same neighbour on the same interface', () => {
    const world = new World();
    const first = world.session(1);
    first.session.close();
    const second = world.session(1);
    world.runTo(10_000);
    expect(world.open.has(1)).toBe(true);
    world.hears(1, DOWN);
    expect(second.session.status()?.state).toBe('Init');
  });

  it('that get no socket say why, once', () => {
    const world = new World();
    world.refuse = true;
    expect(world.session(1).failures).toEqual(['no socket']);
  });
});
