/**
 * The daemon may die between any two operations of the kernel. Whatever it was doing, and whether it is started again at once or
 * only when all is over: in the end the kernel has what it has after a run in which nothing died.
 */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import { parsePrefix } from '../net/prefix.js';
import { HandClock } from '../ports/hand-clock.fixture.js';
import type {
  KernelEvent,
  KernelFailure,
  KernelOperation,
  KernelSnapshot,
  KernelTables,
} from '../ports/kernel-tables.js';
import { Fib } from './fib.js';
import { kernelPicture } from './kernel-picture.fixture.js';
import { MemoryKernelTables } from './memory-tables.js';
import type { FibNextHop } from './types.js';

const SPINES = [1, 2, 3, 4];
const LEAVES = [65001, 65002];
const COLOURS = [1, 2, 3, 4];
const BUCKETS = 16;

const via = (spine: number): FibNextHop => ({ interfaceIndex: spine, gateway: parseAddress(`fe80::${spine}`)! });

/** What a leaf wants is a function of what it knows. */
interface Fabric {
  /** Spines with carrier. */
  readonly links: Set<number>;
  /** Spines with a session. */
  readonly sessions: Set<number>;
  /** `leaf spine` for each link that the spines have lost. */
  readonly far: Set<string>;
  readonly withdrawn: Set<string>;
  readonly weights: Map<number, number>;
}

const PREFIXES = LEAVES.flatMap((leaf) =>
  COLOURS.flatMap((colour) =>
    (colour < 3 ? [1, 2] : [1]).map((n) => ({
      leaf,
      colour,
      text: `fc00:${leaf - 65000}:${colour}:${n}::/64`,
      ipv4: false,
    })),
  ),
).concat(LEAVES.map((leaf) => ({ leaf, colour: 1, text: `10.${leaf - 65000}.0.0/16`, ipv4: true })));

function newFabric(): Fabric {
  return {
    links: new Set(SPINES),
    sessions: new Set(SPINES),
    far: new Set(),
    withdrawn: new Set(),
    weights: new Map(),
  };
}

/** The kernel as one process sees it, which is killed when it has made so many operations: it is answered nothing after that. */
class MortalTables implements KernelTables {
  readonly resilientGroups = true;
  readonly died: Promise<void>;
  count = 0;
  private die: () => void = () => {};

  constructor(
    private readonly kernel: MemoryKernelTables,
    private readonly life: number,
  ) {
    this.died = new Promise((resolve) => {
      this.die = resolve;
    });
    if (life === 0) this.die();
  }

  get isDead(): boolean {
    return this.count >= this.life;
  }

  apply(operations: readonly KernelOperation[]): Promise<readonly KernelFailure[]> {
    const allowed = operations.slice(0, Math.max(0, this.life - this.count));
    this.count += allowed.length;
    return this.answered(this.kernel.apply(allowed));
  }

  dump(scope: 'everything' | 'next-hops'): Promise<KernelSnapshot> {
    return this.answered(this.kernel.dump(scope));
  }

  watch(listener: (event: KernelEvent) => void): () => void {
    return this.kernel.watch(listener);
  }

  close(): void {}

  private answered<Result>(answer: Promise<Result>): Promise<Result> {
    if (!this.isDead) return answer;
    this.die();
    return new Promise(() => {});
  }
}

type Step = (world: World) => void;

class World {
  readonly kernel = new MemoryKernelTables();
  readonly fabric = newFabric();
  private process: { readonly fib: Fib; readonly tables: MortalTables; readonly clock: HandClock } | undefined;

  /** Operations of the process that runs. */
  get operations(): number {
    return this.process!.tables.count;
  }

  /** A new process: what the old one knew is lost, but neither the kernel nor the neighbours are. */
  boot(life = Number.POSITIVE_INFINITY): Promise<boolean> {
    const tables = new MortalTables(this.kernel, life);
    const clock = new HandClock((work) => void setImmediate(work));
    const config = { buckets: BUCKETS, idleTimer: 1 };
    const fib = new Fib({ tables, clock, log: { write: () => {} }, config });
    this.process = { fib, tables, clock };
    for (const spine of SPINES) if (!this.fabric.links.has(spine)) fib.linkDown(spine);
    return this.survives(async () => {
      await fib.start();
      this.learn();
      await fib.flush();
    });
  }

  /** Makes the step, and has it written if a process lives; false when it died of it. */
  run(step: Step): Promise<boolean> {
    step(this);
    return this.survives(() => this.process!.fib.flush());
  }

  sweep(): Promise<boolean> {
    return this.survives(() => this.process!.fib.sweep());
  }

  /** Time passes in which nothing happens: what was quick to reach is put into its final shape. */
  async rest(): Promise<void> {
    const { fib, clock } = this.process!;
    clock.advance(15_000);
    await fib.flush();
  }

  /** Load balancing gives the members of each group other shares. */
  async balance(share: (place: number) => number): Promise<void> {
    const { fib } = this.process!;
    for (const { id, members } of [...fib.balancedGroups()])
      fib.reweigh(
        id,
        members.map((_, place) => share(place)),
      );
    await fib.flush();
  }

  private async survives(work: () => Promise<void>): Promise<boolean> {
    if (!this.process) return false;
    const { tables } = this.process;
    await Promise.race([work(), tables.died]);
    if (tables.isDead) this.process = undefined;
    return this.process !== undefined;
  }

  link(spine: number, up: boolean): void {
    const { links, sessions } = this.fabric;
    if (up) links.add(spine);
    else {
      links.delete(spine);
      sessions.delete(spine);
    }
    this.kernel.setLink(spine, up);
    if (up) this.process?.fib.linkUp(spine);
    else this.process?.fib.linkDown(spine);
    this.learn();
  }

  session(spine: number, up: boolean): void {
    const { gateway } = via(spine);
    if (up) {
      this.fabric.sessions.add(spine);
      this.process?.fib.neighbourBack(spine, gateway);
    } else {
      this.fabric.sessions.delete(spine);
      this.process?.fib.neighbourFailed(spine, gateway);
    }
    this.learn();
  }

  learn(): void {
    for (const prefix of PREFIXES) this.decide(prefix);
    this.process?.fib.tablesFollowed();
  }

  private decide({ leaf, colour, text }: (typeof PREFIXES)[number]): void {
    const { sessions, far, withdrawn, weights } = this.fabric;
    const prefix = parsePrefix(text)!;
    const reachable = withdrawn.has(text)
      ? []
      : SPINES.filter((spine) => sessions.has(spine) && !far.has(`${leaf} ${spine}`));
    const preferred = reachable.filter((spine) => spine === colour);
    const primary = preferred.length > 0 ? preferred : reachable;
    const fallback = preferred.length > 0 ? reachable.filter((spine) => spine !== colour) : [];
    const hops = (spines: readonly number[]) =>
      spines.map((spine) => ({ ...via(spine), ...(weights.has(spine) && { weight: weights.get(spine)! }) }));
    this.process?.fib.want({ prefix, origin: leaf, colour, primary: hops(primary), fallback: hops(fallback) });
  }
}

const START: Step = (world) => world.learn();
const change =
  (edit: (fabric: Fabric) => void): Step =>
  (world) => {
    edit(world.fabric);
    world.learn();
  };
const linkDown: Step = (world) => world.link(1, false);
const linkUp: Step = (world) => world.link(1, true);
const sessionDown: Step = (world) => world.session(2, false);
const sessionUp: Step = (world) => world.session(2, true);

const SCENARIOS: Readonly<Record<string, readonly Step[]>> = {
  start: [START],
  'a link that goes down': [START, linkDown],
  'a link that flaps': [START, linkDown, linkUp, (world) => world.session(1, true)],
  'two links down and up again in another order': [
    START,
    linkDown,
    (world) => world.link(3, false),
    linkUp,
    (world) => world.session(1, true),
    (world) => world.link(3, true),
    (world) => world.session(3, true),
  ],
  'a neighbour that fails behind a live link': [START, sessionDown],
  'a neighbour that fails and is back': [START, sessionDown, sessionUp],
  'a neighbour that fails, then the link of its stand-in': [
    START,
    sessionDown,
    linkDown,
    (world) => world.link(3, false),
    sessionUp,
  ],
  'a far link that dies and heals': [
    START,
    change(({ far }) => far.add('65001 2')),
    change(({ far }) => far.delete('65001 2')),
  ],
  'prefixes that are withdrawn, one by one and all of a leaf': [
    START,
    change(({ withdrawn }) => withdrawn.add('fc00:1:1:1::/64')),
    change(({ withdrawn }) => withdrawn.add('10.2.0.0/16')),
    change(({ withdrawn }) => {
      for (const { leaf, text } of PREFIXES) if (leaf === 65002) withdrawn.add(text);
    }),
  ],
  'shares that change': [
    START,
    change(({ weights }) => weights.set(3, 5).set(4, 2)),
    change(({ weights }) => weights.delete(3)),
  ],
};

/** The whole life of a process that is not disturbed. */
async function undisturbed(steps: readonly Step[]): Promise<World> {
  const world = new World();
  expect(await world.boot()).toBe(true);
  for (const step of steps) expect(await world.run(step)).toBe(true);
  expect(await world.sweep()).toBe(true);
  await world.rest();
  return world;
}

async function killedAfter(life: number, steps: readonly Step[], again: 'at once' | 'at the end'): Promise<World> {
  const world = new World();
  let next = 0;
  let alive = await world.boot(life);
  while (alive && next < steps.length) alive = await world.run(steps[next++]!);
  if (alive) alive = await world.sweep();
  if (again === 'at the end') while (next < steps.length) steps[next++]!(world);
  expect(await world.boot()).toBe(true);
  while (next < steps.length) expect(await world.run(steps[next++]!)).toBe(true);
  expect(await world.sweep()).toBe(true);
  await world.rest();
  return world;
}

describe.each(Object.entries(SCENARIOS))('killed anywhere in %s', (_, steps) => {
  it.each(['at once', 'at the end'] as const)('and started again %s', async (again) => {
    const reference = await undisturbed(steps);
    const wanted = await kernelPicture(reference.kernel);
    expect(Object.keys(wanted.routes).length).toBeGreaterThan(8);
    expect(wanted).toMatchObject({ unusedGroups: 0, unusedNextHops: 0 });
    for (let life = 0; life <= reference.operations; life++) {
      const world = await killedAfter(life, steps, again);
      expect(await kernelPicture(world.kernel), `killed after ${life} operations`).toEqual(wanted);
    }
  });
});

describe('a process started over what is wanted already', () => {
  it('writes nothing', async () => {
    const world = await undisturbed([START]);
    expect(await world.boot()).toBe(true);
    expect(await world.sweep()).toBe(true);
    expect(world.operations).toBe(0);
  });

  it('keeps groups whose shares load balancing has changed, and their routes: only the shares are written', async () => {
    const world = await undisturbed([START, linkDown]);
    const before = await world.kernel.dump('everything');
    await world.balance((place) => place + 1);
    expect(await kernelPicture(world.kernel)).not.toEqual(await kernelPicture({ dump: async () => before }));
    expect(await world.boot()).toBe(true);
    expect(await world.sweep()).toBe(true);
    const after = await world.kernel.dump('everything');
    expect(after.routes).toEqual(before.routes);
    expect(after.groups.map(({ id }) => id)).toEqual(before.groups.map(({ id }) => id));
  });
});
