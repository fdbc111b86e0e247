/** What BFD does to a session: an end with Cease/BFD Down, and in strict mode a beginning that waits. */
import { describe, expect, it } from 'vitest';
import { IPV6, PeerStage } from '../../../test/harness/peer-stage.js';
import type { Capability, OpenMessage } from '../wire/bgp/message.js';
import type { PeerConfig } from './types.js';

const STRICT: Capability = { kind: 'strict-bfd' };
const LOCAL_STRICT: Partial<PeerConfig> = { capabilities: [STRICT] };
const REMOTE_STRICT: Partial<OpenMessage> = {
  capabilities: [IPV6, { kind: 'four-octet-as', asn: 65002 }, STRICT],
};

function strictStage(changes: Partial<PeerConfig> = {}, open: Partial<OpenMessage> = {}): PeerStage {
  const stage = new PeerStage({ ...LOCAL_STRICT, ...changes });
  stage.start();
  stage.connected(1);
  expect(stage.open(1, { ...REMOTE_STRICT, ...open })).toEqual(['open-sent -> open-confirm']);
  return stage;
}

describe('a path that BFD found broken', () => {
  it('ends the session with Cease/BFD Down, and the session is tried again', () => {
    const stage = new PeerStage().establish();
    expect(
      stage.input({ kind: 'path-failed', reason: 'BFD: Control Detection Time Expired', independent: false }),
    ).toEqual(['established -> active', 'send 1 NOTIFICATION 6/10', 'close 1', 'down bfd-down, was established']);
    expect(stage.summary.lastDown).toEqual({
      kind: 'bfd-down',
      code: 6,
      subcode: 10,
      message: 'BFD: Control Detection Time Expired: Cease/BFD Down (6/10)',
    });
    expect(stage.left('connect-retry')).toBeLessThanOrEqual(1000);
    expect(stage.expire('connect-retry')).toEqual(['active -> connect', 'open 2']);
  });

  it.each([false, true])('changes nothing for a peer that is stopped (C bit: %s)', (independent) => {
    const stage = new PeerStage();
    expect(stage.input({ kind: 'path-failed', reason: 'BFD', independent })).toEqual([]);
  });

  const waiting = () => {
    const stage = new PeerStage();
    stage.start();
    stage.input({ kind: 'connect-failed', connection: 1, reason: 'refused' });
    return stage;
  };

  it('says nothing new between sessions when it went with the control plane (RFC 5882 section 4.3)', () => {
    const stage = waiting();
    expect(stage.input({ kind: 'path-failed', reason: 'BFD', independent: false })).toEqual([]);
    expect(stage.summary.lastDown?.kind).toBe('connect-failed');
  });

  it('is told between sessions when BFD is independent of the control plane', () => {
    const stage = waiting();
    expect(stage.input({ kind: 'path-failed', reason: 'BFD', independent: true })).toEqual(['down bfd-down']);
    expect(stage.summary.lastDown?.kind).toBe('bfd-down');
    expect(stage.left('connect-retry')).toBeDefined();
  });

  it('ends an attempt that is under way, when it is independent of the control plane', () => {
    const stage = new PeerStage();
    stage.start();
    expect(stage.input({ kind: 'path-failed', reason: 'BFD', independent: true })).toContain('down bfd-down');
  });
});

describe('BFD that is not up', () => {
  it('keeps no session down without strict mode', () => {
    const stage = new PeerStage().establish();
    expect(stage.input({ kind: 'path-verified', verified: false })).toEqual([]);
    expect(stage.summary.state).toBe('established');
  });

  it.each([
    ['only we', LOCAL_STRICT, {}],
    ['only the neighbour', {}, REMOTE_STRICT],
  ])('keeps no session down when %s asked for strict mode', (_, local, remote) => {
    expect(new PeerStage(local).establish(remote).summary.state).toBe('established');
  });

  it('holds the KEEPALIVE back in strict mode until it is up', () => {
    const stage = strictStage();
    stage.expire('keepalive/1');
    stage.keepalive(1);
    expect(stage.summary.state).toBe('open-confirm');
    expect(stage.input({ kind: 'path-verified', verified: true })).toEqual([
      'open-confirm -> established',
      'send 1 KEEPALIVE',
      'established 1',
    ]);
    expect(stage.left('hold/1')).toBe(9000);
  });

  it('does not hold back what begins when it is up already', () => {
    const stage = new PeerStage(LOCAL_STRICT);
    stage.input({ kind: 'path-verified', verified: true });
    expect(stage.establish(REMOTE_STRICT).summary.state).toBe('established');
  });

  it('ends the attempt in strict mode after the hold time, with BFD as the reason', () => {
    const stage = strictStage();
    expect(stage.left('hold/1')).toBe(9000);
    expect(stage.expire('hold/1')).toEqual([
      'open-confirm -> active',
      'send 1 NOTIFICATION 6/10',
      'close 1',
      'down notification-sent',
    ]);
    expect(stage.summary.lastDown?.message).toMatch(/^BFD did not come up \(strict mode\)/);
  });

  it('is waited for 30 s when no hold time was negotiated', () => {
    const stage = strictStage({}, { holdTime: 0 });
    expect(stage.left('hold/1')).toBe(30_000);
    stage.input({ kind: 'path-verified', verified: true });
    expect(stage.left('hold/1')).toBeUndefined();
  });
});
