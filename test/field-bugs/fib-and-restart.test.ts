/** The forwarding table over flaps and refusals of the kernel. docs/field-bugs.md has all rows. */
import { describe, expect, it } from 'vitest';
import { Fib } from '../../src/core/fib/fib.js';
import { MemoryKernelTables } from '../../src/core/fib/memory-tables.js';
import { parseAddress } from '../../src/core/net/address.js';
import { parsePrefix } from '../../src/core/net/prefix.js';
import { FOE_PREFIX, HostileStage, SECOND } from '../../src/simulator/hostile-stage.fixture.js';
import { VirtualClock } from '../../src/simulator/virtual-clock.js';
import { AS_PATH, attribute, ORIGIN, reach, update } from '../harness/hostile-updates.js';

const NLRI = '40fc00006600000000';

describe('FIB and restart', () => {
  it('after four of six links flapped every group has its six members again', async () => {
    const tables = new MemoryKernelTables();
    const clock = new VirtualClock();
    const fib = new Fib({ tables, clock, log: { write: () => {} }, config: { buckets: 16, idleTimer: 1 } });
    await fib.start();
    const links = [1, 2, 3, 4, 5, 6];
    const primary = links.map((interfaceIndex) => ({
      interfaceIndex,
      gateway: parseAddress(`fe80::${interfaceIndex}`)!,
    }));
    for (const n of [1, 2]) {
      fib.want({ prefix: parsePrefix(`2001:db8:${n}::/64`)!, primary, fallback: [], origin: 65000 + n });
    }
    await fib.flush();
    const members = (n: number) =>
      tables.lookup(parseAddress(`2001:db8:${n}::1`)!).map(({ interfaceIndex }) => interfaceIndex);
    for (const index of [1, 2, 3, 4]) {
      tables.setLink(index, false);
      fib.linkDown(index);
    }
    await fib.flush();
    expect([members(1), members(2)]).toEqual([
      [5, 6],
      [5, 6],
    ]);
    for (const index of [4, 2, 3, 1]) {
      tables.setLink(index, true);
      fib.linkUp(index);
    }
    await fib.flush();
    expect([members(1).sort(), members(2).sort()]).toEqual([links, links]);
  });

  it('a withdrawal waits for no kernel: it is passed on while every route is refused', async () => {
    const stage = await HostileStage.ready();
    stage.fabric.node('router').tables.injectFailures(() => ({ code: 'ENOSPC', message: 'no room' }));
    const foe = await stage.established();
    const atFriend = () => {
      const { rib } = stage.fabric.node('friend').speaker!.engine;
      const id = rib.find(FOE_PREFIX);
      return id !== undefined && rib.selection(id).best !== undefined;
    };
    foe.send(update({ attributes: [reach('fe800000000000000000000000000066', NLRI), ORIGIN, AS_PATH] }));
    await stage.pass(SECOND);
    expect(atFriend()).toBe(true);
    foe.send(update({ attributes: [attribute(0x80, 15, `000201${NLRI}`)] }));
    await stage.pass(SECOND / 10);
    expect(atFriend()).toBe(false);
  });
});
