import { describe, expect, it } from 'vitest';
import { HIGHER, PeerStage } from '../../../test/harness/peer-stage.js';

/** Both connections are up, neither has delivered an OPEN; 1 is ours, -1 the neighbour's. */
function both(changes: ConstructorParameters<typeof PeerStage>[0] = {}): PeerStage {
  const stage = new PeerStage(changes);
  stage.start();
  stage.connected(1);
  stage.incoming(-1);
  return stage;
}

const LOWER = {};
const CEASE_COLLISION = 'NOTIFICATION 6/7';

describe('two connections, both with an OPEN', () => {
  const rows: [string, object, number[], number, number][] = [
    ['we are higher, ours first', LOWER, [1, -1], 1, -1],
    ['we are higher, theirs first', LOWER, [-1, 1], 1, -1],
    ['we are lower, ours first', HIGHER, [1, -1], -1, 1],
    ['we are lower, theirs first', HIGHER, [-1, 1], -1, 1],
    ['equal identifiers, their AS is higher, ours first', { identifier: 0x0a000005 }, [1, -1], -1, 1],
    ['equal identifiers, our AS is higher, theirs first', { identifier: 0x0a000005, asn: 64999 }, [-1, 1], 1, -1],
  ];
  it.each(rows)('%s', (_, open, order, winner, loser) => {
    const stage = both();
    const lines = order.flatMap((connection) => stage.open(connection, open));
    expect(lines).toContain(`send ${loser} ${CEASE_COLLISION}`);
    expect(lines).toContain(`close ${loser}`);
    expect(lines).toContain(`send ${winner} KEEPALIVE`);
    expect(lines).not.toContain(`send ${loser} KEEPALIVE`);
    expect(stage.keepalive(winner)).toEqual(['open-confirm -> established', `established ${winner}`]);
    expect(lines.filter((line) => line.startsWith('down'))).toEqual([]);
    expect(stage.timers.has('connect-retry')).toBe(false);
  });

  it('with equal identifiers are told loudly', () => {
    const stage = both();
    stage.open(1, { identifier: 0x0a000005 });
    expect(stage.logs).toContain('warn: duplicate router-id: the neighbour in AS 65002 has our identifier 10.0.0.5');
  });

  it('with equal identifiers in one AS are refused, for that is ourselves or a mistake', () => {
    const stage = both({ acceptRemoteAs: [{ kind: 'range', first: 65001, last: 65001 }] });
    expect(stage.open(1, { identifier: 0x0a000005, asn: 65001 })).toContain('send 1 NOTIFICATION 2/3');
    expect(stage.logs.join()).toContain('error: duplicate router-id');
  });
});

describe('two connections, one with an OPEN', () => {
  it('nothing is closed while the other may still win', () => {
    const stage = both();
    expect(stage.open(-1)).toEqual(['open-sent -> open-confirm']);
    expect(stage.keepalive(-1)).toEqual([]);
  });

  it('the one with the OPEN is answered at once when it would win anyway', () => {
    expect(both().open(1)).toEqual(['open-sent -> open-confirm', 'send 1 KEEPALIVE']);
    expect(both().open(-1, HIGHER)).toEqual(['open-sent -> open-confirm', 'send -1 KEEPALIVE']);
  });

  it('the one with the OPEN lives when the "winner" is dead', () => {
    const stage = both();
    stage.open(-1);
    stage.keepalive(-1);
    expect(stage.disconnected(1)).toEqual(['open-confirm -> established', 'send -1 KEEPALIVE', 'established -1']);
  });

  it('the one with the OPEN goes on after a second when the other stays silent, and then closes it', () => {
    const stage = both();
    stage.open(-1);
    expect(stage.left('keepalive/-1')).toBe(1000);
    expect(stage.expire('keepalive/-1')).toEqual(['send -1 KEEPALIVE']);
    expect(stage.keepalive(-1)).toEqual([
      'open-confirm -> established',
      'established -1',
      `send 1 ${CEASE_COLLISION}`,
      'close 1',
    ]);
  });

  it('our attempt that is not connected yet gives way', () => {
    const stage = new PeerStage();
    stage.start();
    stage.incoming(-1);
    expect(stage.open(-1)).toEqual(['open-sent -> open-confirm', 'abort 1', 'send -1 KEEPALIVE']);
    expect(stage.connected(1)).toEqual([]);
  });
});

describe('an established session', () => {
  it('refuses a new connection and lives on', () => {
    const stage = new PeerStage().establish(HIGHER);
    expect(stage.incoming(-1)).toEqual([`send -1 ${CEASE_COLLISION}`, 'close -1']);
    expect(stage.summary).toMatchObject({ state: 'established', attempts: 1 });
    expect(stage.open(-1, HIGHER)).toEqual([]);
  });

  it('closes the rival that was under way, whatever its identifier', () => {
    const stage = new PeerStage();
    stage.start();
    stage.connected(1);
    stage.open(1, HIGHER);
    stage.incoming(-1);
    expect(stage.keepalive(1)).toEqual([
      'open-confirm -> established',
      'established 1',
      `send -1 ${CEASE_COLLISION}`,
      'close -1',
    ]);
  });
});

describe('a second connection from the neighbour', () => {
  it('replaces the first when that has no OPEN', () => {
    const stage = new PeerStage({ connectDelay: 300 });
    stage.start();
    stage.incoming(-1);
    expect(stage.incoming(-2)).toEqual([`send -1 ${CEASE_COLLISION}`, 'close -1', 'send -2 OPEN']);
    stage.open(-2);
    expect(stage.keepalive(-2)).toContain('established -2');
  });

  it('is refused when the first has one', () => {
    const stage = new PeerStage({ connectDelay: 300 });
    stage.start();
    stage.incoming(-1);
    stage.open(-1);
    expect(stage.incoming(-2)).toEqual([`send -2 ${CEASE_COLLISION}`, 'close -2']);
    expect(stage.keepalive(-1)).toContain('established -1');
  });
});
