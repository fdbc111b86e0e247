import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { script } from './script.js';
import { Stage } from './stage.js';

/** Of the first round. */
const SCENES = 14;
const PREFIXES = 32;
async function play(stage: Stage, scene: (stage: Stage) => void): Promise<void> {
  scene(stage);
  for (const step = stage.scene(); step(); ) await turn();
}

/** Sessions that are up, prefixes with a path, routes in the kernel, and those that each neighbour is told. */
function seen({ router }: Stage) {
  const { engine, fib } = router;
  const totals = engine.rib.totals();
  const up = router.sessions().filter((session) => engine.session(session));
  return {
    up: up.length,
    prefixes: totals.prefixes,
    paths: totals.paths,
    routes: fib.counters.prefixes,
    told: up.map((session) => engine.out.counters(engine.session(session)!.peer).advertised),
  };
}

describe('the script of a rehearsal', () => {
  it('has the router take, select, install, tell and withdraw what it is about', async () => {
    const stage = new Stage({ now: () => 0 });
    await stage.start();
    const course = [];
    for (const scene of script()[0]!.scenes.slice(0, SCENES)) {
      await play(stage, scene);
      course.push(seen(stage));
    }
    const all = PREFIXES;
    expect(course).toEqual([
      { up: 1, prefixes: 0, paths: 0, routes: 0, told: [0] },
      { up: 1, prefixes: all, paths: all, routes: all, told: [0] },
      { up: 2, prefixes: all, paths: all, routes: all, told: [0, all] },
      { up: 2, prefixes: all, paths: 2 * all, routes: all, told: [0, all] },
      { up: 3, prefixes: all, paths: 2 * all, routes: all, told: [0, all, all] },
      { up: 3, prefixes: all, paths: 3 * all, routes: all, told: [0, all, all] },
      { up: 3, prefixes: all, paths: 2 * all, routes: all, told: [all, 0, all] },
      { up: 3, prefixes: all, paths: 3 * all, routes: all, told: [0, all, all] },
      { up: 2, prefixes: all, paths: 2 * all, routes: all, told: [0, all] },
      { up: 2, prefixes: all, paths: all, routes: all, told: [all, 0] },
      { up: 2, prefixes: 0, paths: 0, routes: 0, told: [0, 0] },
      { up: 2, prefixes: all, paths: all, routes: all, told: [all, 0] },
      { up: 1, prefixes: all, paths: all, routes: all, told: [0] },
      { up: 0, prefixes: 0, paths: 0, routes: 0, told: [] },
    ]);
    expect(stage.router.fib.counters.failed).toBe(0);
    expect(stage.router.fib.counters.writes).toBeGreaterThan(all);
  });

  it('can be played on: everything is gone at the end of a round', async () => {
    const stage = new Stage({ now: () => 0 });
    await stage.start();
    const rounds = 6;
    for (const { scenes } of script()) for (const scene of scenes) await play(stage, scene);
    expect(seen(stage)).toEqual({ up: 0, prefixes: 0, paths: 0, routes: 0, told: [] });
    const established = stage.router.sessions().map((session) => session.summary().establishedCount);
    expect(established).toEqual([rounds, rounds, rounds]);
  });
});
