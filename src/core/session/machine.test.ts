import { describe, expect, it } from 'vitest';
import { PeerStage, remoteOpen } from '../../../test/harness/peer-stage.js';

describe('a session that we open', () => {
  it('comes up', () => {
    const stage = new PeerStage();
    expect(stage.start()).toEqual(['idle -> connect', 'open 1']);
    expect(stage.connected(1)).toEqual(['connect -> open-sent', 'send 1 OPEN']);
    expect(stage.open(1)).toEqual(['open-sent -> open-confirm', 'send 1 KEEPALIVE']);
    expect(stage.keepalive(1)).toEqual(['open-confirm -> established', 'established 1']);
    expect(stage.logs).toEqual(['info: established with AS 65002, identifier 10.0.0.1, ipv6-unicast']);
  });

  it('comes up when the other side opens it', () => {
    const stage = new PeerStage({ connectDelay: 300 });
    expect(stage.start()).toEqual(['idle -> active']);
    expect(stage.incoming(-1)).toEqual(['active -> open-sent', 'send -1 OPEN']);
    expect(stage.timers.has('connect-retry')).toBe(false);
    stage.open(-1);
    expect(stage.keepalive(-1)).toContain('established -1');
  });

  it('reports what was agreed, and counts', () => {
    const { state, attempts, establishedCount, negotiated } = new PeerStage().establish().summary;
    expect({ state, attempts, establishedCount }).toEqual({ state: 'established', attempts: 1, establishedCount: 1 });
    expect(negotiated).toMatchObject({ remoteAs: 65002, holdTime: 9, keepaliveTime: 3, families: ['ipv6-unicast'] });
  });
});

describe('keepalive and hold timers', () => {
  it('wait four minutes for an OPEN', () => {
    const stage = new PeerStage();
    stage.start();
    stage.connected(1);
    expect(stage.left('hold/1')).toBe(240_000);
    expect(stage.expire('hold/1')).toEqual([
      'open-sent -> active',
      'send 1 NOTIFICATION 4/0',
      'close 1',
      'down notification-sent',
    ]);
  });

  it('run in OpenConfirm with the smaller of both hold times', () => {
    const stage = new PeerStage();
    stage.start();
    stage.connected(1);
    stage.open(1, { holdTime: 6 });
    expect(stage.left('hold/1')).toBe(6000);
    expect(stage.expire('hold/1')).toContain('send 1 NOTIFICATION 4/0');
  });

  it.each([
    [0, 2250],
    [0.999999, 3000],
  ])('send a KEEPALIVE after a third of the hold time, shortened by chance %d to %d ms', (chance, wait) => {
    const stage = new PeerStage({}, { next: () => chance }).establish();
    expect(Math.round(stage.left('keepalive/1')!)).toBe(wait);
    expect(stage.expire('keepalive/1')).toEqual(['send 1 KEEPALIVE']);
    expect(Math.round(stage.left('keepalive/1')!)).toBe(wait);
  });

  it('send no more than one KEEPALIVE a second', () => {
    expect(new PeerStage({ holdTime: 3 }).establish().left('keepalive/1')).toBe(1000);
  });

  it.each(['keepalive', 'update', 'route-refresh'] as const)('take a(n) %s as a sign of life', (kind) => {
    const stage = new PeerStage().establish();
    stage.now = 5000;
    if (kind === 'keepalive') stage.keepalive(1);
    else if (kind === 'update') stage.input({ kind: 'update', connection: 1 });
    else stage.message(1, { kind, afi: 2, safi: 1, subtype: 0 });
    expect(stage.timers.get('hold/1')).toBe(14_000);
  });

  it('end a session with a silent neighbour, and say how long it was silent', () => {
    const stage = new PeerStage().establish();
    expect(stage.expire('hold/1')).toEqual([
      'established -> active',
      'send 1 NOTIFICATION 4/0',
      'close 1',
      'down notification-sent, was established',
    ]);
    expect(stage.summary.lastDown).toMatchObject({ code: 4, subcode: 0 });
    expect(stage.summary.lastDown?.message).toContain('the neighbour was silent for 9 s (hold time)');
    expect([...stage.timers.keys()]).toEqual(['connect-retry']);
  });

  it('take unread input as life, again and again, but not longer than another hold time', () => {
    const stage = new PeerStage().establish();
    for (let i = 0; i < 9; i++) {
      expect(stage.expire('hold/1', true)).toEqual([]);
      expect(stage.left('hold/1')).toBe(1000);
    }
    expect(stage.expire('hold/1', true)).toContain('send 1 NOTIFICATION 4/0');
  });

  it('forget the excuses once the input is read', () => {
    const stage = new PeerStage().establish();
    for (let i = 0; i < 9; i++) stage.expire('hold/1', true);
    stage.keepalive(1);
    expect(stage.left('hold/1')).toBe(9000);
    expect(stage.expire('hold/1', true)).toEqual([]);
  });

  it('do not run at all when one side says 0', () => {
    const stage = new PeerStage().establish({ holdTime: 0 });
    stage.input({ kind: 'write-blocked', connection: 1 });
    expect(stage.summary.state).toBe('established');
    expect([...stage.timers.keys()]).toEqual([]);
  });
});

describe('the send-hold timer', () => {
  it('ends a session with a neighbour that takes nothing, without waiting for the flush', () => {
    const stage = new PeerStage().establish();
    stage.input({ kind: 'write-blocked', connection: 1 });
    stage.now = 1000;
    stage.input({ kind: 'write-blocked', connection: 1 });
    expect(stage.timers.get('send-hold/1')).toBe(480_000);
    expect(stage.expire('send-hold/1')).toEqual([
      'established -> active',
      'send 1 NOTIFICATION 8/0',
      'abort 1',
      'down send-hold-expired, was established',
    ]);
    expect(stage.summary.lastDown?.message).toBe('the neighbour took nothing from us for 480 s (send hold time)');
  });

  it('stops with progress and runs anew when bytes wait again', () => {
    const stage = new PeerStage().establish();
    stage.input({ kind: 'write-blocked', connection: 1 });
    stage.now = 1000;
    stage.input({ kind: 'write-progressed', connection: 1 });
    expect(stage.timers.has('send-hold/1')).toBe(false);
    stage.input({ kind: 'write-blocked', connection: 1 });
    expect(stage.left('send-hold/1')).toBe(480_000);
  });

  it('is off at 0', () => {
    const stage = new PeerStage({ sendHoldTime: 0 }).establish();
    stage.input({ kind: 'write-blocked', connection: 1 });
    expect(stage.timers.has('send-hold/1')).toBe(false);
  });
});

describe('messages in the wrong state', () => {
  const inState = {
    'open-sent': () => {
      const stage = new PeerStage();
      stage.start();
      stage.connected(1);
      return stage;
    },
    'open-confirm': () => {
      const stage = inState['open-sent']();
      stage.open(1);
      return stage;
    },
    established: () => new PeerStage().establish(),
  };
  const update = (stage: PeerStage) => stage.input({ kind: 'update', connection: 1 });
  const refresh = (stage: PeerStage) => stage.message(1, { kind: 'route-refresh', afi: 2, safi: 1, subtype: 0 });
  const rows = [
    ['open-sent', 'KEEPALIVE', (stage: PeerStage) => stage.keepalive(1), '5/1'],
    ['open-sent', 'UPDATE', update, '5/1'],
    ['open-sent', 'ROUTE-REFRESH', refresh, '5/1'],
    ['open-confirm', 'OPEN', (stage: PeerStage) => stage.open(1), '5/2'],
    ['open-confirm', 'UPDATE', update, '5/2'],
    ['open-confirm', 'ROUTE-REFRESH', refresh, '5/2'],
    ['established', 'OPEN', (stage: PeerStage) => stage.open(1), '5/3'],
  ] as const;
  it.each(rows)('%s: %s', (state, name, send, code) => {
    const stage = inState[state]();
    const lines = send(stage);
    expect(lines.slice(1, 3)).toEqual([`send 1 NOTIFICATION ${code}`, 'close 1']);
    expect(stage.summary.lastDown?.message).toContain(`unexpected ${name} in ${state}`);
  });
});

describe('faults and endings', () => {
  it('a fault found by a decoder is answered with its NOTIFICATION, flushed before the close', () => {
    const stage = new PeerStage().establish();
    const error = {
      kind: 'error',
      code: 3,
      subcode: 1,
      data: new Uint8Array(0),
      reason: 'duplicate MP_REACH',
    } as const;
    expect(stage.input({ kind: 'fault', connection: 1, error })).toEqual([
      'established -> active',
      'send 1 NOTIFICATION 3/1',
      'close 1',
      'down notification-sent, was established',
    ]);
    expect(stage.summary.lastDown?.message).toBe(
      'duplicate MP_REACH; we sent UPDATE Message Error/Malformed Attribute List (3/1)',
    );
  });

  it('a NOTIFICATION is never answered', () => {
    const stage = new PeerStage().establish();
    expect(stage.notification(1, 6, 2)).toEqual([
      'established -> active',
      'close 1',
      'down notification-received, was established',
    ]);
    expect(stage.summary.lastDown?.message).toBe('the neighbour sent Cease/Administrative Shutdown (6/2)');
  });

  it('inputs for a connection that is gone change nothing', () => {
    const stage = new PeerStage().establish();
    stage.disconnected(1);
    const { state } = stage;
    expect(stage.keepalive(1)).toEqual([]);
    expect(stage.disconnected(1)).toEqual([]);
    expect(stage.input({ kind: 'timer-expired', timer: { name: 'hold', connection: 1 }, unread: false })).toEqual([]);
    expect(stage.state).toBe(state);
  });
});

describe('ROUTE-REFRESH', () => {
  const enhanced = { capabilities: [...remoteOpen().capabilities, { kind: 'enhanced-route-refresh' as const }] };
  const rows = [
    ['a negotiated family', { afi: 2, safi: 1, subtype: 0 }, {}, ['refresh ipv6-unicast 0']],
    ['a family that was not negotiated', { afi: 1, safi: 1, subtype: 0 }, {}, []],
    ['an unknown family', { afi: 25, safi: 70, subtype: 0 }, {}, []],
    ['a subtype without the enhanced capability', { afi: 2, safi: 1, subtype: 1 }, {}, ['refresh ipv6-unicast 0']],
    ['the beginning of an enhanced refresh', { afi: 2, safi: 1, subtype: 1 }, enhanced, ['refresh ipv6-unicast 1']],
    ['an unknown subtype', { afi: 2, safi: 1, subtype: 9 }, enhanced, []],
  ] as const;
  it.each(rows)('%s', (_, message, open, lines) => {
    const stage = new PeerStage({ capabilities: [{ kind: 'route-refresh' }, { kind: 'enhanced-route-refresh' }] });
    stage.establish(open);
    expect(stage.message(1, { kind: 'route-refresh', ...message })).toEqual(lines);
    expect(stage.summary.state).toBe('established');
  });
});
