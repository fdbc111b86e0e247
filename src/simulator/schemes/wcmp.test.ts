import { describe, expect, it } from 'vitest';
import { LeafTrial, leafSpineTopology } from './scheme-trial.fixture.js';
import { Wcmp, wcmp } from './wcmp.js';

const FLOWS = 8000;

function sharesOf(rates: readonly number[], change: (leaf: LeafTrial) => void = () => {}): number[] {
  const leaf = new LeafTrial(
    rates.length,
    (context) => new Wcmp(context, wcmp.defaults),
    (spine) => rates[spine]!,
  );
  const pairs = leaf.pairs(FLOWS);
  leaf.ask(pairs[0]!, 0);
  change(leaf);
  const shares = rates.map(() => 0);
  for (const qp of pairs) {
    const place = leaf.ask(qp, 0);
    shares[place] = shares[place]! + 1 / FLOWS;
  }
  return shares;
}

describe('WCMP', () => {
  it('gives ports flows by their rates', () => {
    const shares = sharesOf([100, 400, 200, 100]);
    for (const [place, due] of [1 / 8, 1 / 2, 1 / 4, 1 / 8].entries())
      expect(Math.abs(shares[place]! - due)).toBeLessThan(0.02);
  });

  it('is equal for equal rates', () => {
    for (const share of sharesOf([400, 400, 400])) expect(Math.abs(share - 1 / 3)).toBeLessThan(0.02);
  });

  it('deals among the ports that are left by their rates', () => {
    const shares = sharesOf([100, 400, 200, 100], (leaf) => leaf.fail(1));
    for (const [place, due] of [1 / 4, 0, 1 / 2, 1 / 4].entries())
      expect(Math.abs(shares[place]! - due)).toBeLessThan(0.02);
  });

  it('is as before when a port is back', () => {
    const rates = [100, 400, 200, 100];
    expect(
      sharesOf(rates, (leaf) => {
        leaf.fail(1);
        leaf.repair(1);
      }),
    ).toEqual(sharesOf(rates));
  });

  it('follows the rate of a port', () => {
    const shares = sharesOf([100, 100, 100], ({ simulation, uplinks }) =>
      simulation.setLinkRate(uplinks[0]! >> 1, 400e9),
    );
    for (const [place, due] of [2 / 3, 1 / 6, 1 / 6].entries())
      expect(Math.abs(shares[place]! - due)).toBeLessThan(0.02);
  });

  it('refuses what cannot be, by name', () => {
    const topology = leafSpineTopology({ leaves: 2, spines: 2, hosts: 1 });
    expect(wcmp.refuses!(topology, wcmp.defaults)).toBeUndefined();
    expect(wcmp.refuses!(topology, { buckets: 0 })).toContain('buckets 0');
  });
});
