/** Malformed input of the field, sent to a whole router. docs/field-bugs.md has all rows. */
import { describe, expect, it } from 'vitest';
import { hex } from '../../src/core/wire/bgp/octets.js';
import { FOE_PREFIX, HostileStage, SECOND } from '../../src/simulator/hostile-stage.fixture.js';
import { AS_PATH, attribute, ORIGIN, reach, update } from '../harness/hostile-updates.js';

const LINK_LOCAL = 'fe800000000000000000000000000066';
const NLRI = '40fc00006600000000';

describe('malformed input', () => {
  it.each([
    { what: 'attribute 28 (entropy label), empty', type: 28, value: '' },
    { what: 'attribute 28 with rubbish', type: 28, value: 'ff00ff' },
    { what: 'attribute 23 (tunnel encapsulation) whose TLV overruns', type: 23, value: '00010fff01' },
    { what: 'attribute 40 (prefix SID) whose TLV overruns', type: 40, value: '0100ff' },
    { what: 'attribute 128 (set), three octets', type: 128, value: '000000' },
  ])('$what, is opaque: the session lives, the route is used and the octets are passed on', async ({ type, value }) => {
    const stage = await HostileStage.ready();
    const foe = await stage.established();
    foe.send(update({ attributes: [reach(LINK_LOCAL, NLRI), ORIGIN, AS_PATH, attribute(0xc0, type, value)] }));
    await stage.pass(SECOND);
    expect(foe.closed).toBe(false);
    expect(stage.routeOf(FOE_PREFIX)).toBeDefined();
    const { rib } = stage.fabric.node('friend').speaker!.engine;
    const passed = rib.selection(rib.find(FOE_PREFIX)!).best?.attributes.unknown ?? [];
    expect(passed.map(({ type: code, value: octets }) => [code, hex(octets)])).toEqual([[type, value]]);
    stage.expectUnharmed();
  });

  it('behind an attribute that is wrong the routes are found by the two lengths, and withdrawn', async () => {
    const stage = await HostileStage.ready();
    const foe = await stage.established();
    const prefix = { address: Uint8Array.of(192, 0, 2, 0), length: 24 };
    const overIpv6 = attribute(0x80, 14, `00010110${LINK_LOCAL}0018c00002`);
    foe.send(update({ attributes: [overIpv6, ORIGIN, AS_PATH] }));
    await stage.pass(SECOND);
    expect(stage.routeOf(prefix)).toBeDefined();
    // AGGREGATOR of three octets with wrong flags, then the routes field.
    const wrong = attribute(0x80, 7, '010203');
    foe.send(update({ attributes: [ORIGIN, AS_PATH, attribute(0x40, 3, 'c0000201'), wrong], nlri: '18c00002' }));
    await stage.pass(SECOND);
    expect(foe.closed).toBe(false);
    expect(stage.routeOf(prefix)).toBeUndefined();
    stage.expectUnharmed();
  });
});
