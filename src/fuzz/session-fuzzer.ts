/**
 * Whole sessions without end, against one whole router on virtual time. A friend has a session with the router and must notice
 * nothing; dozens of hostile neighbours on another link play their scripts at once, then all of it must be forgotten.
 */
import { equalBytes } from '../core/net/address.js';
import { parsePrefix } from '../core/net/prefix.js';
import type { Listener } from '../core/ports/transport.js';
import type { SpeakerConfig } from '../core/speaker/config.js';
import { link, router } from '../core/speaker/plain-config.js';
import { MESSAGE_TYPE } from '../core/wire/bgp/message.js';
import { HostilePeer } from '../simulator/hostile-peer.js';
import { VirtualFabric } from '../simulator/virtual-fabric.js';
import { Dice } from './dice.js';
import type { Finds } from './finds.js';
import { DUE, Rfc7606Judge } from './rfc7606-judge.js';
import { describeScript, makeScript, SESSION_CONTEXT, type SessionScript } from './session-script.js';

/** Hostile neighbours at a time; the router takes 64 on a link. */
const BATCH = 48;
const MILLISECONDS = {
  toConnect: 1,
  toOpen: 1500,
  toReact: 400,
  toExpire: 11_000,
  /** Duplicate address detection when the link is back. */
  toReturn: 1500,
  /** The router remembers a neighbour for a minute after its last connection. */
  toForget: 60_000,
  atMost: 400_000,
  between: 5000,
};
/** One batch in so many is silent until its hold times are over; in one of so many the router forgets it by itself. */
const SILENT = 4;
const FORGOTTEN = 40;
/** Milliseconds of computing that one session may take; a batch that takes so many more than usual is looked at one by one. */
const PATIENCE = 100;
const USUAL = 150;
const TRIES = 4;
const FRIEND_PREFIX = parsePrefix('fd00:1::/64')!;
const OWN_PREFIX = parsePrefix('fd00:2::/64')!;
const LAST_CODE = 8;

function speaker(name: string, asn: number, part: Partial<SpeakerConfig>): SpeakerConfig {
  const plain = router(name, asn, part);
  return {
    ...plain,
    identifier: 0x0a00_0000 + asn,
    families: ['ipv4-unicast', 'ipv6-unicast'],
    timers: { ...plain.timers, connectRetry: 120 },
  };
}

function shape() {
  const between = speaker('router', 65001, {
    fabric: [link('to-friend'), link('to-foe')],
    advertise: [{ prefix: OWN_PREFIX }],
  });
  const friend = speaker('friend', 65101, {
    role: 'leaf',
    fabric: [link('to-router')],
    advertise: [{ prefix: FRIEND_PREFIX }],
  });
  return {
    routers: [between, friend].map((config) => ({ name: config.name, config })),
    hosts: ['foe'],
    wires: [
      { a: { node: 'router', interface: 'to-friend' }, b: { node: 'friend', interface: 'to-router' } },
      { a: { node: 'router', interface: 'to-foe' }, b: { node: 'foe', interface: 'eth0' } },
    ],
  };
}

interface Playing {
  readonly script: SessionScript;
  readonly foe: HostilePeer;
  readonly address: Uint8Array;
}

/** The router with its friend, before and after every batch at the same level. */
class Stage {
  private readonly fabric = new VirtualFabric(shape(), { seed: 1, delay: 0.01, log: () => ({ write: () => {} }) });
  private readonly listener = new Rfc7606Judge();
  private playing: Playing[] = [];
  /** On connections that the router opened. */
  private second: HostilePeer[] = [];
  private level = '';

  constructor(private readonly finds: Finds) {}

  async start(): Promise<this> {
    const { fabric } = this;
    await fabric.start();
    fabric.raiseLinks();
    await this.pass(20_000);
    this.addAddresses();
    this.level = this.describeLevel();
    return this;
  }

  async play(scripts: readonly SessionScript[], number: number): Promise<void> {
    this.playing = await this.connect(scripts);
    const listener = scripts.some(({ collides }) => collides) ? await this.listen() : undefined;
    for (const { foe, script } of this.playing) for (const piece of script.first) foe.send(piece);
    await this.pass(MILLISECONDS.toOpen);
    for (const { foe, script } of this.playing) for (const piece of script.second) foe.send(piece);
    await this.pass(MILLISECONDS.toReact);
    for (const { foe, script } of this.playing) this.checkEnd(foe, script);
    for (const { foe, script } of this.playing) if (script.leave === 'end') foe.end();
    for (const { foe, script } of this.playing) if (script.leave === 'reset') foe.hangUp();
    await this.pass(number % SILENT === 0 ? MILLISECONDS.toExpire : MILLISECONDS.toReact);
    listener?.close();
    for (const { foe, script } of this.playing) this.checkHeard(foe, script);
    for (const foe of [...this.playing.map(({ foe }) => foe), ...this.second]) foe.hangUp();
    this.playing = [];
    this.second = [];
    if (number % FORGOTTEN === 0) await this.forgotten();
    else await this.flap();
    const level = this.describeLevel();
    if (level === this.level) return;
    const input = scripts.length === 1 ? describeScript(scripts[0]!) : '';
    this.finds.add('the router or its friend is not as before', 'session', {
      detail: `${this.level} -> ${level}`,
      input,
    });
    throw new Error('the stage is spoilt');
  }

  private listen(): Promise<Listener> {
    return this.fabric.node('foe').transport.listen(179, (stream) => {
      const isLocal = ({ address }: Playing) => equalBytes(address, stream.local);
      const known = this.playing.find((playing) => playing.script.collides && isLocal(playing));
      if (!known) return stream.destroy();
      const second = new HostilePeer(stream);
      this.second.push(second);
      for (const piece of known.script.first) second.send(piece);
    });
  }

  private addAddresses(): void {
    const eth0 = this.fabric.node('foe').links.byName('eth0')!;
    for (let place = 0; place < BATCH; place++) eth0.addAddress(addressOf(place), 64);
  }

  private async forgotten(): Promise<void> {
    await this.pass(MILLISECONDS.toForget);
    const link = this.fabric.node('router').speaker!.fabricLinks[1]!;
    for (let waited = 0; waited < MILLISECONDS.atMost && link.sessions().length > 0; waited += MILLISECONDS.between)
      await this.pass(MILLISECONDS.between);
  }

  /** The link goes and comes back: quicker than to be forgotten. */
  private async flap(): Promise<void> {
    this.fabric.fail('foe', 'router');
    await this.pass(1);
    this.fabric.heal('foe', 'router');
    await this.pass(MILLISECONDS.toReturn);
    this.addAddresses();
  }

  private async connect(scripts: readonly SessionScript[]): Promise<Playing[]> {
    const foe = this.fabric.node('foe');
    const eth0 = foe.links.byName('eth0')!;
    const streams = scripts.map((_, place) => {
      const target = { interfaceName: 'eth0', local: addressOf(place), remote: eth0.peer!.linkLocal!, port: 179 };
      return foe.transport.connect(target, new AbortController().signal);
    });
    await this.pass(MILLISECONDS.toConnect);
    const open = await Promise.all(streams);
    return open.map((stream, place) => ({
      script: scripts[place]!,
      foe: new HostilePeer(stream),
      address: addressOf(place),
    }));
  }

  private checkEnd(foe: HostilePeer, script: SessionScript): void {
    const end = foe.notification ?? (foe.closed ? 'closed' : 'kept');
    if (script.ends.length === 0 || script.ends.includes(end)) return;
    const detail = `${end}, due: ${script.ends.join(' or ')}`;
    this.finds.add(`${script.kind}: ${detail}`, 'session', { detail, input: describeScript(script) });
  }

  /** What the router says is well-formed, whatever it heard. */
  private checkHeard(foe: HostilePeer, script: SessionScript): void {
    for (const { type, body } of foe.heard) {
      const isFine =
        type === MESSAGE_TYPE.update
          ? this.isWellFormed(body)
          : type === MESSAGE_TYPE.notification
            ? body[0]! >= 1 && body[0]! <= LAST_CODE
            : type >= 1 && type <= 5;
      if (!isFine)
        this.finds.add('the router sends what is wrong', 'session', {
          detail: `type ${type}`,
          input: describeScript(script),
        });
    }
    if (
      foe.heard.length > 0 &&
      foe.heard[0]!.type !== MESSAGE_TYPE.open &&
      foe.heard[0]!.type !== MESSAGE_TYPE.notification
    )
      this.finds.add('the router does not begin with OPEN', 'session', { detail: '', input: describeScript(script) });
  }

  /** As one of the sessions that may have come up: a damaged OPEN may have lost its 4-octet AS number. */
  private isWellFormed(update: Uint8Array): boolean {
    return [true, false].some(
      (fourOctetAs) => this.listener.judge(update, { ...SESSION_CONTEXT, fourOctetAs }).due === DUE.nothing,
    );
  }

  private pass(time: number): Promise<void> {
    return this.fabric.clock.runUntil(this.fabric.clock.now() + time);
  }

  /** Everything that must be the same when the foes are gone. */
  private describeLevel(): string {
    const router = this.fabric.node('router').speaker!;
    const friend = this.fabric.node('friend').speaker!;
    const [session] = router.fabricLinks[0]!.sessions();
    const { state, establishedCount } = session!.summary();
    const id = router.engine.rib.find(FRIEND_PREFIX);
    return JSON.stringify({
      session: [state, establishedCount],
      route: id !== undefined && router.engine.rib.selection(id).best?.peerName,
      router: router.engine.rib.totals(),
      friend: friend.engine.rib.totals(),
      foes: router.fabricLinks[1]!.sessions().length,
    });
  }
}

function addressOf(place: number): Uint8Array {
  return Uint8Array.of(0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, place + 1);
}

export class SessionFuzzer {
  count = 0;
  /** Whose end was known beforehand. */
  known = 0;
  /** Milliseconds of computing of a whole batch. */
  slowest = 0;
  readonly kinds = new Map<string, number>();
  private readonly dice: Dice;
  private stage: Stage | undefined;
  private batches = 0;

  constructor(
    seed: number,
    private readonly finds: Finds,
  ) {
    this.dice = new Dice(seed);
  }

  /** At least so many. */
  async run(count: number): Promise<void> {
    for (const end = this.count + count; this.count < end; ) await this.batch();
  }

  private async batch(): Promise<void> {
    const scripts = Array.from({ length: BATCH }, () => makeScript(this.dice));
    for (const { kind, ends } of scripts) {
      this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
      if (ends.length > 0) this.known++;
    }
    this.count += scripts.length;
    const fault = await this.play(scripts);
    if (fault) for (const script of scripts) await this.playAlone(script);
  }

  /** Words for what went wrong with the stage as a whole. */
  private async play(scripts: readonly SessionScript[]): Promise<string | undefined> {
    const stage = this.stage ?? (await new Stage(this.finds).start());
    this.stage = stage;
    const before = computing();
    try {
      await stage.play(scripts, scripts.length === 1 ? 1 : this.batches++);
    } catch (error) {
      this.stage = undefined;
      return String(error instanceof Error ? error.stack : error);
    }
    const taken = computing() - before;
    if (scripts.length === 1) return taken > PATIENCE ? 'slow' : undefined;
    if (taken > this.slowest) this.slowest = taken;
    return taken > USUAL + PATIENCE ? 'slow' : undefined;
  }

  /** Garbage collection and compilers compute too: what is slow must be so every time. */
  private async playAlone(script: SessionScript): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      const fault = await this.play([script]);
      if (fault === undefined) return;
      if (fault === 'slow' && tries < TRIES - 1) continue;
      const kind = fault === 'slow' ? `longer than ${PATIENCE} ms` : 'an exception';
      return this.finds.add(kind, 'session', { detail: fault, input: describeScript(script) });
    }
  }
}

/** Milliseconds that this process has computed: what others do on the machine is not in it. */
function computing(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
