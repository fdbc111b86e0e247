import { describe, expect, it } from 'vitest';
import type { BfdChange, BfdParameters } from '../ports/bfd.js';
import { BFD_STATES, type BfdControlPacket } from '../wire/bfd.js';
import {
  type BfdInput,
  type BfdSessionState,
  createBfdSession,
  deadline,
  detectionTime,
  stepBfdSession,
  transmitInterval,
} from './session.js';

const PARAMETERS: BfdParameters = { interval: 300, multiplier: 3 };
const OURS = 0x1111;
const THEIRS = 0x2222;

/** One session on a stage; the jitter is a constant. */
class Stage {
  state: BfdSessionState;
  now = 0;
  readonly sent: BfdControlPacket[] = [];
  readonly changes: BfdChange[] = [];
  discarded = 0;

  constructor(
    parameters: BfdParameters = PARAMETERS,
    private readonly dice = 0,
  ) {
    this.state = createBfdSession(OURS, parameters);
    this.input({ kind: 'started' });
  }

  input(input: BfdInput): this {
    const step = stepBfdSession(this.state, input, { now: this.now, random: { next: () => this.dice } });
    this.state = step.state;
    for (const output of step.outputs) {
      if (output.kind === 'send') this.sent.push(output.packet);
      else if (output.kind === 'changed') this.changes.push(output.change);
      else this.discarded++;
    }
    return this;
  }

  hears(state: (typeof BFD_STATES)[number], fields: Partial<BfdControlPacket> = {}): this {
    return this.input({ kind: 'packet', packet: packet(state, fields) });
  }

  /** Runs to `time` through every deadline on the way. */
  runTo(time: number): this {
    while (deadline(this.state) <= time) {
      this.now = deadline(this.state);
      this.input({ kind: 'time' });
    }
    this.now = time;
    return this;
  }

  up(): this {
    return this.hears('Down').hears('Init');
  }

  get last(): BfdControlPacket {
    return this.sent.at(-1)!;
  }
}

function packet(state: (typeof BFD_STATES)[number], fields: Partial<BfdControlPacket> = {}): BfdControlPacket {
  return {
    version: 1,
    diagnostic: 0,
    state: BFD_STATES.indexOf(state),
    poll: false,
    final: false,
    controlPlaneIndependent: false,
    authenticationPresent: false,
    demand: false,
    multipoint: false,
    detectMultiplier: 3,
    myDiscriminator: THEIRS,
    yourDiscriminator: state === 'Down' ? 0 : OURS,
    desiredMinTxInterval: 300_000,
    requiredMinRxInterval: 300_000,
    requiredMinEchoRxInterval: 50_000,
    ...fields,
  };
}

/** Milliseconds between the packets sent in the next ten seconds, with the neighbour keeping the session alive. */
function gaps(stage: Stage): number[] {
  const times: number[] = [];
  const end = stage.now + 10_000;
  while (stage.now < end) {
    const before = stage.sent.length;
    stage.runTo(stage.now + 1).hears('Up');
    if (stage.sent.length > before) times.push(stage.now);
  }
  return times.slice(1).map((time, index) => time - times[index]!);
}

describe('a BFD session', () => {
  it('comes up over Down and Init, telling each change at once', () => {
    const stage = new Stage();
    expect(stage.last).toMatchObject({ state: 1, myDiscriminator: OURS, yourDiscriminator: 0 });
    stage.hears('Down');
    expect(stage.last).toMatchObject({ state: 2, yourDiscriminator: THEIRS });
    stage.hears('Init');
    expect(stage.last).toMatchObject({ state: 3, diagnostic: 0 });
    expect(stage.changes.map(({ from, to }) => `${from} -> ${to}`)).toEqual(['Down -> Init', 'Init -> Up']);
    expect(stage.now).toBe(0);
  });

  it('comes up from Init when the neighbour is Up already', () => {
    expect(new Stage().hears('Down').hears('Up').state.state).toBe('Up');
  });

  it('does not come up from Down because of a neighbour that is Up: that one remembers an earlier session', () => {
    expect(new Stage().hears('Up').state.state).toBe('Down');
  });

  it('sends no faster than once a second while it is not up, whatever was configured', () => {
    const stage = new Stage({ interval: 50, multiplier: 3 });
    stage.runTo(10_000);
    expect(stage.sent.length).toBeLessThanOrEqual(14);
    for (const { desiredMinTxInterval } of stage.sent) expect(desiredMinTxInterval).toBe(1_000_000);
  });

  it('announces the faster interval with a poll until the neighbour answers it', () => {
    const stage = new Stage().up();
    expect(stage.last).toMatchObject({ poll: true, desiredMinTxInterval: 300_000 });
    stage.runTo(400);
    expect(stage.last.poll).toBe(true);
    stage.hears('Up', { final: true }).runTo(800);
    expect(stage.last.poll).toBe(false);
  });

  it('answers a poll at once with a final, which carries no poll of its own', () => {
    const stage = new Stage().up();
    const before = stage.sent.length;
    stage.hears('Up', { poll: true });
    expect(stage.sent.slice(before)).toEqual([expect.objectContaining({ poll: false, final: true })]);
  });

  it.each([
    [3, 0, 225],
    [3, 1, 300],
    [1, 0, 225],
    [1, 1, 270],
  ])('with multiplier %d and dice %d sends every %d of 300 ms', (multiplier, dice, expected) => {
    const stage = new Stage({ interval: 300, multiplier }, dice).up();
    for (const gap of gaps(stage)) expect(Math.abs(gap - expected)).toBeLessThanOrEqual(1);
  });

  it('sends as seldom as the neighbour asks', () => {
    const stage = new Stage(PARAMETERS, 1).up().hears('Up', { requiredMinRxInterval: 800_000 });
    stage.runTo(stage.now + 799);
    const before = stage.sent.length;
    stage.runTo(stage.now + 1);
    expect(stage.sent.length).toBe(before + 1);
  });

  it('sends nothing of its own to a neighbour that asks for no packets', () => {
    const stage = new Stage().up().hears('Up', { requiredMinRxInterval: 0 });
    const before = stage.sent.length;
    stage.runTo(stage.now + 850);
    expect(stage.sent.length).toBe(before);
  });

  it.each([
    ['its own interval when that is the longer one', 100_000, 3, 900],
    ["the neighbour's interval when that is the longer one", 500_000, 3, 1500],
    ["the neighbour's multiplier", 300_000, 5, 1500],
  ])('detects silence by %s', (_, desiredMinTxInterval, detectMultiplier, expected) => {
    const stage = new Stage().hears('Down').hears('Init', { desiredMinTxInterval, detectMultiplier });
    stage.runTo(expected - 1);
    expect(stage.state.state).toBe('Up');
    stage.runTo(expected);
    expect(stage.changes.at(-1)).toEqual({
      from: 'Up',
      to: 'Down',
      remote: 'Down',
      diagnostic: 'Control Detection Time Expired',
      pathFailed: true,
      independent: false,
    });
    expect(stage.last).toMatchObject({
      state: 1,
      diagnostic: 1,
      yourDiscriminator: 0,
      desiredMinTxInterval: 1_000_000,
    });
  });

  it('goes down with a neighbour that went down', () => {
    const stage = new Stage().up().hears('Down', { yourDiscriminator: OURS, diagnostic: 1 });
    expect(stage.changes.at(-1)).toMatchObject({
      to: 'Down',
      diagnostic: 'Neighbor Signaled Session Down',
      pathFailed: true,
    });
  });

  it('does not take AdminDown of the neighbour for a failure of the path', () => {
    const stage = new Stage().up().hears('AdminDown', { diagnostic: 7 });
    expect(stage.changes.at(-1)).toMatchObject({ from: 'Up', to: 'Down', remote: 'AdminDown', pathFailed: false });
    stage.hears('AdminDown', { diagnostic: 7 }).hears('Down');
    expect(stage.state.state).toBe('Init');
  });

  it('never having been up, it reports no failure', () => {
    const stage = new Stage().hears('Down').runTo(60_000);
    expect(stage.changes.map(({ to }) => to)).toEqual(['Init', 'Down']);
    expect(stage.changes.some(({ pathFailed }) => pathFailed)).toBe(false);
  });

  it('says AdminDown when it is taken down here, and stays there', () => {
    const stage = new Stage().up().input({ kind: 'admin-down' });
    expect(stage.last).toMatchObject({ state: 0, diagnostic: 7 });
    stage.hears('Down').hears('Up');
    expect(stage.state.state).toBe('AdminDown');
    expect(stage.changes.at(-1)).toMatchObject({ to: 'AdminDown', pathFailed: false });
  });

  it('keeps sending to a neighbour in demand mode', () => {
    const stage = new Stage().up().hears('Up', { demand: true });
    const before = stage.sent.length;
    stage.runTo(stage.now + 850);
    expect(stage.sent.length).toBeGreaterThan(before + 1);
  });

  it('asks for no echo packets', () => {
    for (const { requiredMinEchoRxInterval } of new Stage().up().sent) expect(requiredMinEchoRxInterval).toBe(0);
  });

  it.each<[string, Partial<BfdControlPacket>]>([
    ['version 2', { version: 2 }],
    ['multiplier 0', { detectMultiplier: 0 }],
    ['multipoint', { multipoint: true }],
    ['discriminator 0', { myDiscriminator: 0 }],
    ['authentication', { authenticationPresent: true }],
    ["another session's discriminator", { yourDiscriminator: 7 }],
    ['no discriminator of ours although it says Up', { yourDiscriminator: 0 }],
  ])('drops a packet with %s', (_, fields) => {
    const stage = new Stage().up();
    const { detectAt } = stage.state;
    stage.now = 100;
    stage.hears('Up', fields);
    expect([stage.discarded, stage.state.detectAt]).toEqual([1, detectAt]);
  });

  it('starts anew with a neighbour that restarted and has another discriminator', () => {
    const stage = new Stage().up().hears('Down', { myDiscriminator: 99 });
    expect(stage.state.state).toBe('Down');
    stage.hears('Init', { myDiscriminator: 99 });
    expect(stage.last).toMatchObject({ state: 3, yourDiscriminator: 99 });
  });
});

describe('other parameters (RFC 5880 section 6.8.3)', () => {
  const change = (interval: number, multiplier = 3): BfdInput => ({
    kind: 'parameters',
    parameters: { interval, multiplier },
  });

  /** Up, its first poll answered, by a neighbour that could do 50 ms. */
  function settled(interval: number): Stage {
    const fast = { desiredMinTxInterval: 50_000, requiredMinRxInterval: 50_000 };
    const stage = new Stage({ interval, multiplier: 3 });
    return stage
      .hears('Down', fast)
      .hears('Init', fast)
      .hears('Up', { ...fast, final: true });
  }
  const hearsFast = (stage: Stage, fields: Partial<BfdControlPacket> = {}) =>
    stage.hears('Up', { desiredMinTxInterval: 50_000, requiredMinRxInterval: 50_000, ...fields });

  it('are told by a poll on the next packet that is due, and by none besides', () => {
    const stage = settled(300);
    const before = stage.sent.length;
    stage.input(change(600));
    expect(stage.sent).toHaveLength(before);
    hearsFast(stage.runTo(stage.now + 299));
    expect(stage.sent.slice(before)).toEqual([
      expect.objectContaining({ poll: true, desiredMinTxInterval: 600_000, requiredMinRxInterval: 600_000 }),
    ]);
    expect(stage.changes.at(-1)?.to).toBe('Up');
  });

  it('send no slower before the neighbour has answered', () => {
    const stage = settled(300).input(change(600));
    expect(transmitInterval(stage.state)).toBe(300);
    hearsFast(stage, { final: true });
    expect(transmitInterval(stage.state)).toBe(600);
    expect(stage.runTo(stage.now + 250).last.poll).toBe(false);
  });

  it('send faster at once, and expect no faster packets before the neighbour has answered', () => {
    const stage = settled(600);
    const [due] = [stage.state.transmitAt];
    stage.input(change(100));
    expect(stage.state.transmitAt).toBeLessThan(due!);
    expect([transmitInterval(stage.state), detectionTime(stage.state)]).toEqual([100, 1800]);
    hearsFast(stage, { final: true });
    expect([transmitInterval(stage.state), detectionTime(stage.state)]).toEqual([100, 300]);
  });

  it('expect slower packets at once: silence that is in order now is no failure', () => {
    const stage = settled(100);
    const before = stage.state.detectAt;
    stage.input(change(1000));
    expect(stage.state.detectAt - before).toBe(2700);
    expect(stage.runTo(before + 100).state.state).toBe('Up');
  });

  it('that change during a poll are told by another one, after the answer to the first', () => {
    const stage = settled(300).input(change(600)).input(change(100));
    expect([transmitInterval(stage.state), detectionTime(stage.state)]).toEqual([100, 1800]);
    hearsFast(stage, { final: true });
    expect(stage.state.polling).toBe(true);
    expect(detectionTime(stage.state)).toBe(1800);
    hearsFast(stage, { final: true });
    expect(stage.state.polling).toBe(false);
    expect(detectionTime(stage.state)).toBe(300);
  });

  it('need no poll when the multiplier alone changes, nor before the session is up', () => {
    expect(settled(300).input(change(300, 5)).state).toMatchObject({ polling: false, parameters: { multiplier: 5 } });
    const early = new Stage().input(change(600));
    expect(early.state).toMatchObject({ polling: false, held: undefined, parameters: { interval: 600 } });
    expect(early.up().last).toMatchObject({ poll: true, desiredMinTxInterval: 600_000 });
  });

  it('are forgotten with a session that goes down', () => {
    const stage = settled(100).input(change(1000));
    stage.hears('Down', { yourDiscriminator: OURS });
    expect(stage.state).toMatchObject({ state: 'Down', held: undefined, polling: false });
  });
});

it('tells whether the BFD that failed was independent of the control plane (C bit)', () => {
  for (const controlPlaneIndependent of [false, true]) {
    const stage = new Stage().up().hears('Up', { controlPlaneIndependent });
    stage.runTo(5000);
    expect(stage.changes.at(-1)).toMatchObject({ pathFailed: true, independent: controlPlaneIndependent });
  }
});
