import { describe, expect, it } from 'vitest';
import { HandClock } from '../ports/hand-clock.fixture.js';
import { attributesFrom, feed, LOCAL_AS, peerInfo, settle } from '../rib/rib.fixture.js';
import { Rib } from '../rib/rib.js';
import type { DownReason, GracefulRestart } from '../session/types.js';
import { type HelpedNeighbour, StalePaths } from './stale-paths.js';

const SECOND = 1000;
const LOST: DownReason = { kind: 'connection-lost', message: 'connection lost' };
const RESTART: GracefulRestart = {
  restartTime: 100,
  notification: false,
  restarted: false,
  families: ['ipv6-unicast', 'ipv4-unicast'],
  preserved: ['ipv6-unicast', 'ipv4-unicast'],
  longLived: new Map(),
};

function stage(helper: { longest: number; longLived: number } | undefined = { longest: 60, longLived: 0 }) {
  const clock = new HandClock();
  const rib = new Rib({ localAs: LOCAL_AS });
  const dead: number[] = [];
  const stale = new StalePaths({
    rib,
    clock,
    log: { write: () => {} },
    changed: () => settle(rib),
    dead: (peer) => {
      dead.push(peer);
      rib.removePeers([peer]);
      settle(rib);
    },
  });
  const neighbour: HelpedNeighbour = {
    name: 'spine1',
    place: { config: helper ? { restartHelper: helper } : {} },
  };
  const peer = rib.addPeer(peerInfo(1));
  feed(rib, peer, { announce: ['2001:db8:1::/64', '192.0.2.0/24'], attributes: attributesFrom(1) });
  settle(rib);
  const negotiated = (restart: Partial<GracefulRestart> | undefined = {}, changes = {}) => ({
    remoteAs: 65001,
    remoteIdentifier: 1,
    families: ['ipv6-unicast', 'ipv4-unicast'] as const,
    gracefulRestart: restart && { ...RESTART, ...restart },
    ...changes,
  });
  const retain = (restart?: Partial<GracefulRestart>, reason = LOST) =>
    stale.retain(neighbour, { peer, negotiated: negotiated(restart) }, reason);
  const paths = () => rib.totals().paths;
  return { clock, rib, stale, neighbour, peer, dead, negotiated, retain, paths };
}

describe('paths of a neighbour that restarts', () => {
  it('are kept for the time that it asked for, within ours, and then go', () => {
    const { clock, stale, neighbour, peer, dead, retain, paths } = stage();
    expect(retain({ restartTime: 30 })).toBe(true);
    expect(stale.state(neighbour)).toMatchObject({ until: 30 * SECOND, longLived: false, peer });
    clock.moveTo(30 * SECOND - 1);
    expect(paths()).toBe(2);
    clock.moveTo(30 * SECOND);
    expect([paths(), dead]).toEqual([0, [peer]]);
    expect(stale.state(neighbour)).toBeUndefined();
  });

  it('are kept no longer than we want to', () => {
    const { stale, neighbour, retain } = stage();
    retain({ restartTime: 4000 });
    expect(stale.state(neighbour)?.until).toBe(60 * SECOND);
  });

  it.each<[string, Partial<GracefulRestart>, DownReason]>([
    ['it asked for no time', { restartTime: 0 }, LOST],
    ['it lists no family', { families: [] }, LOST],
    ['the session ended in a NOTIFICATION, without the N bit', {}, { kind: 'notification-received', message: '' }],
    ['the link went down', { notification: true }, { kind: 'link-down', message: '' }],
    ['it said Hard Reset', { notification: true }, { kind: 'notification-received', code: 6, subcode: 9, message: '' }],
  ])('are not kept when %s', (_, restart, reason) => {
    expect(stage().retain(restart, reason)).toBe(false);
  });

  it('are not kept by one that does not help', () => {
    const { stale, neighbour, peer, negotiated } = stage();
    const helpless: HelpedNeighbour = { name: 'spine1', place: { config: {} } };
    expect(stale.retain(helpless, { peer, negotiated: negotiated() }, LOST)).toBe(false);
    expect(stale.state(neighbour)).toBeUndefined();
  });

  it('are kept after a NOTIFICATION where both sent the N bit (RFC 8538)', () => {
    expect(stage().retain({ notification: true }, { kind: 'notification-sent', code: 4, message: '' })).toBe(true);
  });

  it('go at once when it is known not to forward', () => {
    const { clock, stale, neighbour, retain, paths, dead } = stage();
    retain();
    stale.drop(neighbour);
    expect(paths()).toBe(0);
    clock.moveTo(200 * SECOND);
    expect(dead).toHaveLength(1);
  });

  it('become the last choice after that, where it asked for it and we want to (RFC 9494)', () => {
    const { clock, stale, neighbour, retain, paths } = stage({ longest: 60, longLived: 1000 });
    retain({ longLived: new Map([['ipv6-unicast', 500]]) });
    clock.moveTo(60 * SECOND);
    expect(stale.state(neighbour)).toMatchObject({ longLived: true, until: 560 * SECOND });
    // IPv4 was not in its list.
    expect(paths()).toBe(1);
    clock.moveTo(560 * SECOND);
    expect(paths()).toBe(0);
  });
});

describe('a neighbour that is back', () => {
  it('gets its paths again, and End-of-RIB takes what it did not say again, family by family', () => {
    const { rib, stale, neighbour, peer, negotiated, retain, paths } = stage();
    retain();
    expect(stale.resume(neighbour, negotiated(), peerInfo(1))).toBe(peer);
    expect(stale.state(neighbour)).toBeUndefined();
    feed(rib, peer, { announce: ['2001:db8:1::/64'], attributes: attributesFrom(1) });
    stale.end(peer, 'ipv6-unicast');
    expect(paths()).toBe(2);
    stale.end(peer, 'ipv4-unicast');
    expect(paths()).toBe(1);
  });

  it('loses at once the families that it did not forward on', () => {
    const { stale, neighbour, negotiated, retain, paths } = stage();
    retain();
    stale.resume(neighbour, negotiated({ preserved: ['ipv6-unicast'] }), peerInfo(1));
    expect(paths()).toBe(1);
  });

  it('loses what it never says End-of-RIB about, when our time is over', () => {
    const { clock, stale, neighbour, negotiated, retain, paths } = stage();
    retain();
    stale.resume(neighbour, negotiated(), peerInfo(1));
    clock.moveTo(60 * SECOND);
    expect(paths()).toBe(0);
  });

  it.each([
    ['has another identifier', {}, { remoteIdentifier: 2 }],
    ['has another AS', {}, { remoteAs: 65002 }],
  ])('is another one when it %s', (_, restart, changes) => {
    const { stale, neighbour, negotiated, retain, paths } = stage();
    retain();
    expect(stale.resume(neighbour, negotiated(restart, changes), peerInfo(1))).toBeUndefined();
    expect(paths()).toBe(0);
  });

  it('without anything kept is a new one', () => {
    const { stale, neighbour, negotiated } = stage();
    expect(stale.resume(neighbour, negotiated(), peerInfo(1))).toBeUndefined();
  });
});

describe('an enhanced refresh (RFC 7313 section 4)', () => {
  it('that does not end is taken to have ended after six minutes', () => {
    const { clock, rib, stale, peer, paths } = stage();
    stale.beginRefresh(peer, 'ipv6-unicast');
    settle(rib);
    clock.moveTo(359 * SECOND);
    expect(paths()).toBe(2);
    clock.moveTo(360 * SECOND);
    expect(paths()).toBe(1);
  });
});
