import { describe, expect, it } from 'vitest';
import { HIGHER, PeerStage } from '../../../test/harness/peer-stage.js';
import type { StopReason } from './types.js';

const refused = { kind: 'connect-failed', connection: 1, reason: 'nothing listens on port 179' } as const;

/** Establishes on the next connection that the peer opens. */
function establishNext(stage: PeerStage): number {
  const line = stage.expire('connect-retry').find((text) => text.startsWith('open '));
  const id = Number(line?.slice('open '.length));
  stage.connected(id);
  stage.open(id);
  stage.keepalive(id);
  expect(stage.summary.state).toBe('established');
  return id;
}

describe('connecting', () => {
  it('the end that lets the other one go first waits, and connects when nobody came', () => {
    const stage = new PeerStage({ connectDelay: 300 });
    stage.start();
    expect(stage.left('connect-retry')).toBe(300);
    expect(stage.expire('connect-retry')).toEqual(['active -> connect', 'open 1']);
  });

  it('an accepted connection that ends brings the wish to connect back', () => {
    const stage = new PeerStage({ connectDelay: 300 });
    stage.start();
    stage.incoming(-1);
    expect(stage.disconnected(-1)).toEqual(['open-sent -> active', 'down connection-lost']);
    expect(stage.expire('connect-retry')).toContain('open 1');
  });

  it('the first retry comes within a second', () => {
    const stage = new PeerStage({}, { next: () => 0.999999 });
    stage.start();
    expect(stage.input(refused)).toEqual(['connect -> active', 'down connect-failed']);
    expect(stage.left('connect-retry')).toBeLessThanOrEqual(1000);
    expect(stage.left('connect-retry')).toBeGreaterThan(999);
  });

  it('later retries wait twice as long each, up to the connect-retry time', () => {
    const stage = new PeerStage({ connectRetryTime: 20 });
    stage.start();
    const waits: (number | undefined)[] = [];
    for (let id = 1; id <= 7; id++) {
      stage.input({ ...refused, connection: id });
      waits.push(stage.left('connect-retry'));
      stage.expire('connect-retry');
    }
    expect(waits).toEqual([750, 1500, 3000, 6000, 12_000, 15_000, 15_000]);
    expect(stage.summary.attempts).toBe(8);
  });

  it('an attempt without an answer is given up and made again', () => {
    const stage = new PeerStage();
    stage.start();
    expect(stage.left('connect-retry')).toBe(1500);
    expect(stage.expire('connect-retry')).toEqual(['abort 1', 'down connect-failed', 'open 2']);
    expect(stage.left('connect-retry')).toBe(3000);
    expect(stage.connected(1)).toEqual([]);
    expect(stage.connected(2)).toContain('send 2 OPEN');
  });

  it('failed attempts leave no mark on a session that came up', () => {
    const stage = new PeerStage();
    stage.start();
    for (let id = 1; id <= 6; id++) {
      stage.input({ ...refused, connection: id });
      stage.expire('connect-retry');
    }
    stage.connected(7);
    stage.open(7);
    stage.keepalive(7);
    stage.disconnected(7);
    expect(stage.left('connect-retry')).toBe(750);
  });
});

describe('a session that keeps failing', () => {
  const fault = { kind: 'error', code: 3, subcode: 1, data: new Uint8Array(0), reason: 'malformed' } as const;

  it('is slowed down although each time it was established', () => {
    const stage = new PeerStage();
    stage.start();
    stage.input(refused);
    const waits: (number | undefined)[] = [];
    for (let i = 0; i < 5; i++) {
      const connection = establishNext(stage);
      stage.input({ kind: 'fault', connection, error: fault });
      waits.push(stage.left('connect-retry'));
    }
    expect(waits).toEqual([750, 1500, 3000, 6000, 12_000]);
  });

  it('accepts the neighbour at once after the first fault, and refuses it while it rests after the next', () => {
    const stage = new PeerStage().establish();
    stage.input({ kind: 'fault', connection: 1, error: fault });
    expect(stage.summary.state).toBe('active');
    stage.incoming(-1);
    stage.open(-1);
    stage.keepalive(-1);
    stage.input({ kind: 'fault', connection: -1, error: fault });
    expect(stage.summary.state).toBe('idle');
    expect(stage.incoming(-2)).toEqual(['send -2 NOTIFICATION 6/5', 'close -2']);
    expect(stage.expire('connect-retry')).toEqual(['idle -> connect', 'open 2']);
    expect(stage.incoming(-3)).toContain('send -3 OPEN');
  });

  it('is forgiven after a session that lasted', () => {
    const stage = new PeerStage().establish();
    stage.input({ kind: 'fault', connection: 1, error: fault });
    const connection = establishNext(stage);
    stage.now += 120_000;
    stage.input({ kind: 'fault', connection, error: fault });
    expect(stage.left('connect-retry')).toBe(750);
    expect(stage.summary.state).toBe('active');
  });

  it("the neighbour's own restarts are no fault of the session", () => {
    const stage = new PeerStage().establish();
    for (let i = 0; i < 3; i++) {
      stage.notification(i === 0 ? 1 : i + 1, 6, 2);
      expect(stage.left('connect-retry')).toBe(750);
      expect(stage.summary.state).toBe('active');
      establishNext(stage);
    }
  });

  it.each([
    ['a plain close of TCP', (stage: PeerStage, connection: number) => stage.disconnected(connection)],
    ['Cease', (stage: PeerStage, connection: number) => stage.notification(connection, 6, 4)],
  ])('is left alone for ever longer when the neighbour ends it by %s each time', (_how, end) => {
    const stage = new PeerStage().establish();
    end(stage, 1);
    for (let restarts = 1; restarts < 4; restarts++) end(stage, establishNext(stage));
    expect(stage.summary.state).toBe('idle');
    expect(stage.left('connect-retry')).toBe(6000);
    expect(stage.incoming(-1)).toEqual(['send -1 NOTIFICATION 6/5', 'close -1']);
    end(stage, establishNext(stage));
    expect(stage.left('connect-retry')).toBe(12_000);
    const lasting = establishNext(stage);
    stage.now += 120_000;
    end(stage, lasting);
    expect(stage.summary.state).toBe('active');
    expect(stage.left('connect-retry')).toBe(750);
  });
});

describe('a neighbour in an AS that is not accepted', () => {
  it('gets 2/2, and the log names the AS and what is accepted', () => {
    const stage = new PeerStage({ acceptRemoteAs: [{ kind: 'range', first: 65100, last: 65110 }] });
    stage.start();
    stage.connected(1);
    expect(stage.open(1)).toEqual([
      'open-sent -> active',
      'send 1 NOTIFICATION 2/2',
      'close 1',
      'down notification-sent',
    ]);
    const words =
      'the neighbour is in AS 65002, which is not accepted here (accepted: 65100-65110); we sent OPEN Message Error/Bad Peer AS (2/2): AS 65002';
    expect(stage.logs).toEqual([`error: ${words}`]);
    expect(stage.summary.lastDown).toEqual({ kind: 'notification-sent', code: 2, subcode: 2, message: words });
  });

  it('stays the reason shown while later attempts are refused', () => {
    const stage = new PeerStage({ acceptRemoteAs: [] });
    stage.start();
    stage.connected(1);
    stage.open(1);
    stage.expire('connect-retry');
    stage.input({ ...refused, connection: 2 });
    expect(stage.summary.lastDown).toMatchObject({ kind: 'notification-sent', code: 2, subcode: 2 });
    expect(stage.summary.lastDown?.message).toMatch(
      /AS 65002, which is not accepted here \(accepted: none\).*; since then could not connect: nothing listens on port 179$/,
    );
  });
});

describe('a neighbour that ends each attempt the same way', () => {
  it('is shown with it once', () => {
    const stage = new PeerStage().establish();
    stage.disconnected(1);
    const { message } = stage.summary.lastDown!;
    expect(message).toBe('connection lost: closed by the neighbour');
    stage.expire('connect-retry');
    stage.connected(2);
    stage.disconnected(2);
    expect(stage.summary.lastFailure?.message).toBe(message);
    expect(stage.summary.lastDown?.message).toBe(message);
  });
});

describe('stopping', () => {
  const shutdown: StopReason = { kind: 'administrative', subcode: 2, message: 'maintenance' };

  it('sends Cease with the text, and the same to what comes later', () => {
    const stage = new PeerStage().establish();
    expect(stage.input({ kind: 'stopped', reason: shutdown })).toEqual([
      'established -> idle',
      'send 1 NOTIFICATION 6/2',
      'close 1',
      'down administrative, was established',
    ]);
    const sent = stage.outputs.findLast((output) => output.kind === 'send');
    const text = new TextEncoder().encode('maintenance');
    expect(sent?.bytes.subarray(21)).toEqual(Uint8Array.of(text.length, ...text));
    expect(stage.summary.lastDown?.message).toBe('stopped here: Cease/Administrative Shutdown (6/2): "maintenance"');
    expect([...stage.timers.keys()]).toEqual([]);
    expect(stage.disconnected(1)).toEqual([]);
    expect(stage.incoming(-1)).toEqual(['send -1 NOTIFICATION 6/2', 'close -1']);
    const again = stage.outputs.findLast((output) => output.kind === 'send');
    expect(again?.bytes).toEqual(sent?.bytes);
  });

  it('tells another reason to what comes later, once there is another', () => {
    const stage = new PeerStage();
    expect(stage.incoming(-1)).toEqual(['send -1 NOTIFICATION 6/5', 'close -1']);
    expect(
      stage.input({ kind: 'stopped', reason: { kind: 'prefix-limit', family: 'ipv6-unicast', limit: 7 } }),
    ).toEqual([]);
    expect(stage.incoming(-2)).toEqual(['send -2 NOTIFICATION 6/1', 'close -2']);
    stage.input({ kind: 'stopped', reason: shutdown });
    expect(stage.incoming(-3)).toEqual(['send -3 NOTIFICATION 6/2', 'close -3']);
    stage.input({ kind: 'stopped', reason: { kind: 'administrative', subcode: 4, message: 'not for long' } });
    expect(stage.incoming(-4)).toEqual(['send -4 NOTIFICATION 6/5', 'close -4']);
  });

  it('gives up an attempt and closes the other connection', () => {
    const stage = new PeerStage();
    stage.start();
    stage.incoming(-1);
    expect(stage.input({ kind: 'stopped', reason: shutdown })).toEqual([
      'open-sent -> idle',
      'abort 1',
      'send -1 NOTIFICATION 6/2',
      'close -1',
      'down administrative',
    ]);
    expect(stage.connected(1)).toEqual([]);
  });

  it('while waiting leaves no timer behind, and a late expiry changes nothing', () => {
    const stage = new PeerStage();
    stage.start();
    stage.input(refused);
    expect(stage.input({ kind: 'stopped', reason: shutdown })).toEqual(['active -> idle', 'down administrative']);
    expect([...stage.timers.keys()]).toEqual([]);
    const late = { kind: 'timer-expired', timer: { name: 'connect-retry' }, unread: false } as const;
    expect(stage.input(late)).toEqual([]);
    expect(stage.input({ kind: 'stopped', reason: shutdown })).toEqual([]);
  });

  it('says nothing on a dead link', () => {
    const stage = new PeerStage().establish();
    expect(stage.input({ kind: 'stopped', reason: { kind: 'link-down' } })).toEqual([
      'established -> idle',
      'abort 1',
      'down link-down, was established',
    ]);
  });

  it('tells a neighbour that expired that it is no peer any more', () => {
    const stage = new PeerStage().establish();
    expect(stage.input({ kind: 'stopped', reason: { kind: 'neighbour-expired' } })).toContain(
      'send 1 NOTIFICATION 6/3',
    );
    expect(stage.summary.lastDown?.kind).toBe('neighbour-expired');
  });

  it('and starting again connects at once, and only once', () => {
    const stage = new PeerStage().establish();
    stage.input({ kind: 'stopped', reason: { kind: 'link-down' } });
    expect(stage.start()).toEqual(['idle -> connect', 'open 2']);
    expect(stage.start()).toEqual([]);
  });
});

describe('the neighbour refuses us as the loser of a collision', () => {
  it('and we try again soon when no other connection is left', () => {
    const stage = new PeerStage();
    stage.start();
    stage.connected(1);
    stage.open(1, HIGHER);
    expect(stage.notification(1, 6, 7)).toEqual(['open-confirm -> active', 'close 1', 'down notification-received']);
    expect(stage.left('connect-retry')).toBe(750);
  });
});

describe('the state before a step', () => {
  it('is not changed by it', () => {
    const stage = new PeerStage().establish();
    const before = stage.state;
    const copy = structuredClone(before);
    stage.disconnected(1);
    expect(before).toEqual(copy);
    expect(stage.state).not.toBe(before);
  });
});
