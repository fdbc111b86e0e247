/**
 * The invariants can fail: each is shown to catch a fault that is planted into the code on purpose, in the decision, the fallback, the
 * withdraw path, the rule of collisions and elsewhere.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Fib } from '../core/fib/fib.js';
import { MemoryKernelTables } from '../core/fib/memory-tables.js';
import { SessionPolicy } from '../core/policy/session-policy.js';
import { type DecisionStep, FALLBACK_STEPS, SELECTION_STEPS } from '../core/rib/decision-steps.js';
import { GroupMember } from '../core/rib/group-member.js';
import { RouteStore } from '../core/rib/route-store.js';
import { AttributeTable } from '../core/route/attribute-table.js';
import { Connection } from '../core/speaker/connection.js';
import { Neighbour } from '../core/speaker/neighbour.js';
import { RouteEngine } from '../core/speaker/route-engine.js';
import type { Fault } from './fault.js';
import { PLAIN_FABRIC } from './plain-fabric.js';
import { runScenario } from './run-scenario.js';
import type { Scenario } from './scenario.js';
import { INVARIANTS, type Invariant } from './violation.js';

const rule = vi.hoisted(() => ({ keepsOwn: false, together: false }));

/** Neighbours of a fabric take turns; here both connect at once, so that every session is a collision. */
vi.mock('../core/session/peer.js', async (original) => {
  const real = await original<typeof import('../core/session/peer.js')>();
  return {
    ...real,
    createPeer: (config: Parameters<typeof real.createPeer>[0]) =>
      real.createPeer(rule.together ? { ...config, connectDelay: 0 } : config),
  };
});

vi.mock('../core/session/collision.js', async (original) => {
  const real = await original<typeof import('../core/session/collision.js')>();
  type Slots = Parameters<typeof real.losingSlot>[0];
  const bothThere = ({ outgoing, incoming }: Slots) => outgoing !== undefined && incoming !== undefined;
  return {
    ...real,
    losingSlot: (slots: Slots) => (rule.keepsOwn && bothThere(slots) ? 'incoming' : real.losingSlot(slots)),
  };
});

const CUT: Fault = { kind: 'carrier', a: 'leaf1', b: 'spine1', at: 100, lasting: 'judged' };
const RESET: Fault = { kind: 'reset', a: 'leaf1', b: 'spine1', at: 100, lasting: 1 };

async function violated(faults: readonly Fault[]): Promise<readonly Invariant[]> {
  const scenario: Scenario = {
    seed: 3,
    fabric: PLAIN_FABRIC,
    episodes: [faults],
  };
  const { violations } = await runScenario(scenario);
  return [...new Set(violations.map(({ invariant }) => invariant))];
}

/** Where the method does something else for as long as the test runs. */
function plant<Owner extends object>(
  owner: Owner,
  method: string,
  make: (original: (...given: never[]) => unknown) => unknown,
): void {
  const original: unknown = Reflect.get(owner, method);
  if (typeof original !== 'function') throw new Error(`no method ${method}`);
  Reflect.set(owner, method, make(original as (...given: never[]) => unknown));
  planted.push(() => Reflect.set(owner, method, original));
}

/** The method of one argument is called by what stands in its place. */
function plantAround<Given>(
  owner: object,
  method: string,
  work: (call: (given: Given) => unknown, given: Given) => unknown,
): void {
  plant(
    owner,
    method,
    (original) =>
      function (this: object, given: Given) {
        return work((changed) => original.call(this, ...([changed] as never[])), given);
      },
  );
}

/** LOCAL_PREF 100 (RFC 4271 section 5.1.5). */
const LOCAL_PREF = Uint8Array.of(0x40, 5, 4, 0, 0, 0, 100);

/** An UPDATE that announces with one attribute more; every other message as it is. */
function withAttribute(message: Uint8Array, attribute: Uint8Array): Uint8Array {
  const view = new DataView(message.buffer, message.byteOffset);
  const at = 21 + (message[18] === 2 ? view.getUint16(19) : 0);
  if (message[18] !== 2 || view.getUint16(at) === 0 || message[at + 3] === 15) return message;
  const octets = Uint8Array.from([...message.subarray(0, at + 2), ...attribute, ...message.subarray(at + 2)]);
  const changed = new DataView(octets.buffer);
  changed.setUint16(16, octets.length);
  changed.setUint16(at, view.getUint16(at) + attribute.length);
  return octets;
}

/** Prefixes whose way is taken from the FIB keep it. */
function plantWithoutWay(): void {
  plant(
    Fib.prototype,
    'wantSame',
    (original) =>
      function (this: object, ...given: never[]) {
        return given[2] === undefined ? true : original.apply(this, given);
      },
  );
}

const planted: (() => void)[] = [];
const caught = new Set<Invariant>();

afterEach(() => {
  for (const undo of planted.splice(0)) undo();
  rule.keepsOwn = false;
  rule.together = false;
});

async function expectCaught(by: Invariant, faults: readonly Fault[]): Promise<void> {
  expect(await violated(faults)).toContain(by);
  caught.add(by);
}

describe('a fault planted in', () => {
  it('nothing is not caught', async () => {
    expect(await violated([CUT, RESET])).toEqual([]);
  });

  it('the decision: AIGP does not count', async () => {
    for (const step of SELECTION_STEPS.filter(({ name }) => name === 'aigp'))
      plant(
        step,
        'rank',
        () =>
          ({ keys, count }: { keys: Float64Array; count: number }) =>
            keys.fill(0, 0, count),
      );
    await expectCaught('selection', []);
  });

  it('the fallback: one path is enough', async () => {
    const one: DecisionStep = {
      name: 'med',
      rank: ({ keys, count }) => {
        for (let at = 0; at < count; at++) keys[at] = at;
      },
    };
    const steps = FALLBACK_STEPS as DecisionStep[];
    steps.unshift(one);
    planted.push(() => steps.shift());
    // Of three ways two are the fallback.
    const fabric = { ...PLAIN_FABRIC, spines: 3 };
    const { violations } = await runScenario({ seed: 3, fabric, episodes: [] });
    expect(violations[0]).toMatchObject({ invariant: 'selection' });
  });

  it('the withdraw path: a withdrawn path stays', async () => {
    plant(RouteStore.prototype, 'withdraw', () => () => false);
    await expectCaught('told-is-known', [CUT]);
  });

  it('the way from the wire: every tenth UPDATE is lost', async () => {
    let count = 0;
    plant(
      RouteEngine.prototype,
      'update',
      (original) =>
        function (this: object, ...given: never[]) {
          return ++count % 10 === 0 ? undefined : original.apply(this, given);
        },
    );
    await expectCaught('told-is-known', []);
  });

  it('policies: no prefix matches any', async () => {
    plant(SessionPolicy.prototype, 'hits', () => () => '');
    for (const [way, router, name] of [
      ['export', 'leaf1', 'to-spine1'],
      ['import', 'spine1', 'to-leaf1'],
    ] as const) {
      const change = { kind: 'reject', way, interface: name, prefix: 'fc00:1:1:1::/64' } as const;
      await expectCaught('selection', [{ kind: 'reload', router, change, at: 100, lasting: 'judged' }]);
    }
  });

  it('the rule of collisions: everyone keeps the connection of its own', async () => {
    rule.together = true;
    expect(await violated([])).toEqual([]);
    rule.keepsOwn = true;
    await expectCaught('sessions', []);
  });

  it('the way to the FIB: no fallback arrives there', async () => {
    plantAround(Fib.prototype, 'tiers', (call, nextHops: object) => {
      return call({ ...nextHops, fallback: [] });
    });
    await expectCaught('agreement', []);
    expect(await violated([])).toContain('forwarding');
    caught.add('forwarding');
  });

  it('a kernel that has the routes and does not use them', async () => {
    plant(MemoryKernelTables.prototype, 'lookup', () => () => []);
    await expectCaught('no-blackhole', []);
  });

  it('kernels that send back and forth', async () => {
    plant(MemoryKernelTables.prototype, 'lookup', () => () => [
      { interfaceIndex: 1, gateway: new Uint8Array(16), weight: 1 },
    ]);
    await expectCaught('no-loop', []);
  });

  it('the sender: every message twice', async () => {
    plantAround(Neighbour.prototype, 'send', (call, message: Uint8Array) => {
      call(message);
      return call(message);
    });
    await expectCaught('told-once', []);
  });

  it('the sender: the path begins with another AS', async () => {
    plantAround(Neighbour.prototype, 'send', (call, message: Uint8Array) => {
      const octets = message.slice();
      for (let at = 23; at < octets.length - 8; at++)
        if (octets[at] === 0x40 && octets[at + 1] === 2 && octets[at + 3] === 2) octets[at + 8]! ^= 0x55;
      return call(octets);
    });
    await expectCaught('told-rightly', []);
  });

  it('the sender: an attribute that is not for external neighbours', async () => {
    plantAround(Neighbour.prototype, 'send', (call, message: Uint8Array) => call(withAttribute(message, LOCAL_PREF)));
    await expectCaught('told-rightly', []);
  });

  it('split horizon: a neighbour is told its own routes', async () => {
    plant(GroupMember.prototype, 'isAudience', () => () => true);
    await expectCaught('told-rightly', []);
  });

  it('connections: none is ever closed', async () => {
    plant(Connection.prototype, 'close', () => () => {});
    await expectCaught('memory', [
      { kind: 'malformed', a: 'leaf1', b: 'spine1', octets: '00'.repeat(19), at: 100, lasting: 1 },
    ]);
  });

  it('the FIB: what is withdrawn stays in the kernel', async () => {
    plant(Fib.prototype, 'unwant', () => () => {});
    plantWithoutWay();
    await expectCaught('agreement', [{ kind: 'crash', router: 'leaf1', at: 100, lasting: 'judged' }]);
  });

  it('the attributes: none is ever forgotten', async () => {
    plant(AttributeTable.prototype, 'release', () => () => {});
    const change = { kind: 'advertise', prefix: 'fc00:aa:1:1::/64', colour: 77 } as const;
    await expectCaught('memory', [{ kind: 'reload', router: 'leaf1', change, at: 100, lasting: 3000 }]);
  });

  it('the neighbour: it asks for all routes again at every KEEPALIVE', async () => {
    plantAround(RouteEngine.prototype, 'alive', (call, neighbour: Neighbour) => {
      neighbour.requestRefresh();
      return call(neighbour);
    });
    await expectCaught('quiet', []);
  });

  it('whatever happens: it throws', async () => {
    plant(RouteEngine.prototype, 'update', () => () => {
      throw new Error('planted');
    });
    await expectCaught('no-exception', []);
  });

  it('each of the invariants is caught', () => {
    expect([...caught].sort()).toEqual([...INVARIANTS].sort());
  });
});
