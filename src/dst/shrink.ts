/** Delta debugging (Zeller and Hildebrandt, 2002): leaves out faults of a scenario that fails as long as it fails in the same way. */
import type { Fault } from './fault.js';
import type { Scenario } from './scenario.js';

/** A fault and the episode that it is of. */
type Placed = readonly [episode: number, fault: Fault];

/** `fails` says whether a scenario still fails as the first one did. */
export async function shrink(scenario: Scenario, fails: (candidate: Scenario) => Promise<boolean>): Promise<Scenario> {
  let kept: readonly Placed[] = scenario.episodes.flatMap((faults, index) =>
    faults.map((fault): Placed => [index, fault]),
  );
  for (let parts = 2; kept.length > 0; ) {
    const size = Math.max(1, Math.ceil(kept.length / parts));
    const smaller = await firstThatFails(chunksLeftOut(kept, size), (faults) => fails(withFaults(scenario, faults)));
    if (smaller) {
      kept = smaller;
      parts = Math.max(2, parts - 1);
    } else if (size === 1) break;
    else parts = Math.min(kept.length, parts * 2);
  }
  return simplified(withFaults(scenario, kept), fails);
}

function chunksLeftOut(faults: readonly Placed[], size: number): (readonly Placed[])[] {
  const starts = Array.from({ length: Math.ceil(faults.length / size) }, (_, index) => index * size);
  return starts.map((start) => [...faults.slice(0, start), ...faults.slice(start + size)]);
}

async function firstThatFails(
  candidates: readonly (readonly Placed[])[],
  fails: (faults: readonly Placed[]) => Promise<boolean>,
): Promise<readonly Placed[] | undefined> {
  for (const candidate of candidates) if (await fails(candidate)) return candidate;
  return undefined;
}

/** Episodes without faults are left out. */
function withFaults(scenario: Scenario, faults: readonly Placed[]): Scenario {
  const numbers = [...new Set(faults.map(([episode]) => episode))];
  const episodes = numbers.map((number) => faults.flatMap(([episode, fault]) => (episode === number ? [fault] : [])));
  return { ...scenario, episodes };
}

/** The plainest fabric in which it still fails. */
async function simplified(scenario: Scenario, fails: (candidate: Scenario) => Promise<boolean>): Promise<Scenario> {
  let simplest = scenario;
  const changes: readonly Partial<Scenario['fabric']>[] = [
    { bfd: false },
    { graceful: false },
    { balancing: false },
    { mode: 'policy' },
    { raise: 0 },
    { delay: 0.01 },
  ];
  for (const change of changes) {
    const candidate = { ...simplest, fabric: { ...simplest.fabric, ...change } };
    if (JSON.stringify(candidate) !== JSON.stringify(simplest) && (await fails(candidate))) simplest = candidate;
  }
  return simplest;
}
