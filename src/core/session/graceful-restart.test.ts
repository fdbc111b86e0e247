/** Restarts as the session sees them (RFC 4724, 8538, 9494). */
import { describe, expect, it } from 'vitest';
import { IPV6, LOCAL, PeerStage, remoteOpen } from '../../../test/harness/peer-stage.js';
import { decodeCapability, encodeCapability } from '../wire/bgp/capabilities/capability-table.js';
import type { Capability } from '../wire/bgp/message.js';
import { agreedRestart, isRestart } from './graceful-restart.js';
import { localOpen } from './negotiate.js';
import type { DownReason } from './types.js';

type Restart = Extract<Capability, { kind: 'graceful-restart' }>;

const restart = (changes: Partial<Restart> = {}): Restart => ({
  kind: 'graceful-restart',
  restarted: false,
  notification: true,
  restartTime: 120,
  families: [{ afi: 2, safi: 1, forwardingPreserved: true }],
  ...changes,
});
const HELPER = restart({ families: [] });

function agreed(ours: readonly Capability[], theirs: readonly Capability[]) {
  const local = localOpen({ ...LOCAL, capabilities: ours });
  return agreedRestart(local, remoteOpen({ capabilities: [IPV6, ...theirs] }), ['ipv6-unicast']);
}

function staged(theirs: Restart, ours: Restart = HELPER): PeerStage {
  const capabilities = [IPV6, { kind: 'four-octet-as' as const, asn: 65002 }, theirs];
  return new PeerStage({ capabilities: [ours] }).establish({ capabilities });
}

describe('an agreement', () => {
  it.each([
    ['neither', [], []],
    ['only they', [], [restart()]],
    ['only we', [restart()], []],
  ])('is none when %s sent the capability', (_name, ours, theirs) => expect(agreed(ours, theirs)).toBeUndefined());

  it('has the families of the neighbour that are agreed, and says which it did preserve', () => {
    const families = [
      { afi: 1, safi: 1, forwardingPreserved: true },
      { afi: 2, safi: 1, forwardingPreserved: false },
      { afi: 25, safi: 70, forwardingPreserved: true },
    ];
    const agreement = agreed([HELPER], [restart({ restarted: true, families })]);
    expect(agreement).toMatchObject({ restartTime: 120, restarted: true, families: ['ipv6-unicast'], preserved: [] });
  });

  it('counts the last of several capabilities (RFC 4724 section 3)', () => {
    expect(agreed([HELPER], [restart(), restart({ restartTime: 7 })])?.restartTime).toBe(7);
  });

  it('has the N bit only when both sent it (RFC 8538 section 2)', () => {
    const without = restart({ notification: false });
    expect(agreed([HELPER], [without])?.notification).toBe(false);
    expect(agreed([without], [restart()])?.notification).toBe(false);
    expect(agreed([HELPER], [restart()])?.notification).toBe(true);
  });

  it('has long-lived stale times only together with graceful restart (RFC 9494 section 4.2)', () => {
    const longLived = (staleTime: number): Capability => ({
      kind: 'long-lived-graceful-restart',
      families: [{ afi: 2, safi: 1, forwardingPreserved: true, staleTime }],
    });
    expect(agreed([longLived(0)], [longLived(9)])).toBeUndefined();
    expect(agreed([HELPER], [restart(), longLived(9)])?.longLived.size).toBe(0);
    const both = agreed([HELPER, longLived(0)], [restart(), longLived(70_000)]);
    expect(both?.longLived.get('ipv6-unicast')).toBe(70_000);
  });
});

describe('the long-lived capability', () => {
  const fromFrr = Uint8Array.of(0, 2, 1, 0x80, 0x01, 0x51, 0x80);

  it('is read as FRR 10.3 sends it, and written the same', () => {
    const capability = decodeCapability(71, fromFrr);
    expect(capability).toMatchObject({ families: [{ afi: 2, safi: 1, forwardingPreserved: true, staleTime: 86_400 }] });
    expect(encodeCapability(capability)).toEqual(Uint8Array.of(71, 7, ...fromFrr));
  });

  it('of a length that is none is unknown', () => {
    expect(decodeCapability(71, fromFrr.subarray(1)).kind).toBe('unknown');
  });
});

describe('the loss of a session', () => {
  const plain = agreed([restart({ notification: false })], [restart()])!;
  const withN = agreed([HELPER], [restart()])!;
  const down = (kind: DownReason['kind'], code?: number, subcode?: number): DownReason => ({
    kind,
    message: '',
    ...(code !== undefined && { code }),
    ...(subcode !== undefined && { subcode }),
  });

  it.each([
    ['the connection', down('connection-lost'), true, true],
    ['silence', down('notification-sent', 4, 0), false, true],
    ['a NOTIFICATION of theirs', down('notification-received', 6, 2), false, true],
    ['their Hard Reset', down('notification-received', 6, 9), false, false],
    ['an operator here', down('administrative', 6, 2), false, false],
    ['the link', down('link-down'), false, false],
    ['BFD', down('bfd-down'), false, false],
    ['their router advertisements', down('neighbour-expired'), false, false],
    ['a neighbour that reads nothing', down('send-hold-expired', 8, 0), false, false],
  ])('by %s is a restart or not', (_name, reason, without, withBit) => {
    expect(isRestart(reason, plain)).toBe(without);
    expect(isRestart(reason, withN)).toBe(withBit);
  });
});

describe('an end that is none of a restart', () => {
  it('is said in a Hard Reset with the reason inside (RFC 8538 section 3.1)', () => {
    const stage = staged(restart());
    stage.input({ kind: 'stopped', reason: { kind: 'administrative', subcode: 2 } });
    const sent = stage.outputs.findLast((output) => output.kind === 'send')!;
    expect([...sent.bytes.subarray(19)]).toEqual([6, 9, 6, 2]);
    expect(stage.summary.lastDown).toMatchObject({ code: 6, subcode: 2 });
  });

  it('is said as ever to a neighbour without the N bit', () => {
    const stage = staged(restart({ notification: false }));
    stage.input({ kind: 'stopped', reason: { kind: 'administrative', subcode: 2 } });
    expect([...stage.outputs.findLast((output) => output.kind === 'send')!.bytes.subarray(19)]).toEqual([6, 2]);
  });
});

it('going for a restart says nothing at all', () => {
  const stage = staged(restart());
  expect(stage.input({ kind: 'stopped', reason: { kind: 'restart' } })).toEqual([
    'established -> idle',
    'abort 1',
    'down administrative, was established',
  ]);
});

describe('a neighbour that connects while its session is up', () => {
  it('has restarted, if it can do so gracefully and the session is no new one', () => {
    const stage = staged(restart());
    stage.now += 6000;
    expect(stage.incoming(-1)).toEqual([
      'established -> open-sent',
      'abort 1',
      'down connection-lost, was established',
      'send -1 OPEN',
    ]);
    stage.open(-1);
    stage.keepalive(-1);
    expect(stage.summary.state).toBe('established');
  });

  it('is the loser of a collision on a new session', () => {
    const stage = staged(restart());
    stage.now += 4000;
    stage.incoming(-1);
    expect(stage.summary.establishedCount).toBe(1);
    expect(stage.summary.state).toBe('established');
  });

  it('is refused without graceful restart', () => {
    const stage = staged(HELPER);
    stage.now += 6000;
    stage.incoming(-1);
    expect(stage.summary.state).toBe('established');
  });
});

it('takes another configuration from the next connection on', () => {
  const stage = new PeerStage();
  stage.input({ kind: 'configured', config: { ...LOCAL, holdTime: 30 } });
  stage.start();
  stage.connected(1);
  expect(stage.outputs.find((output) => output.kind === 'send')?.bytes[23]).toBe(30);
});
