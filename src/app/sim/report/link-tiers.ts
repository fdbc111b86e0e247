/** The links between switches of a run, tier by tier: each lower switch with its links up, in the order of what is at their ends. Pure. */
import type { LinkLoad } from '../../../simulator/results/run-result.js';

/** A link, both ways. */
export interface TierLink {
  readonly lower: string;
  readonly upper: string;
  /** Which of the links between the two, from 1. */
  readonly number: number;
  readonly up: LinkUse;
  readonly down: LinkUse;
}

export interface LinkUse {
  /** Of what the link could have carried in the run. */
  readonly share: number;
  /** Over the mean of all links between these tiers, this way. */
  readonly timesMean: number;
}

export type Way = 'up' | 'down';

/** All links between two tiers. */
export interface LinkTier {
  readonly lowerTier: string;
  readonly upperTier: string;
  readonly lowers: readonly string[];
  readonly uppers: readonly string[];
  /** Of each lower switch its links; those to the same upper switch are beside each other. */
  readonly rows: ReadonlyMap<string, readonly TierLink[]>;
  /** The most links that a lower switch has. */
  readonly columns: number;
}

const TIERS = ['leaf', 'spine', 'superspine'];

/** From the leaves upwards. Links between switches of one tier have no up and down, and are left out. */
export function linkTiers(links: readonly LinkLoad[]): LinkTier[] {
  const key = (from: string, to: string, number: number) => `${from} ${to} ${number}`;
  const shares = new Map(links.map(({ from, to, number, share }) => [key(from, to, number), share]));
  const ups = links.filter(({ fromTier, toTier }) => TIERS.indexOf(toTier) > TIERS.indexOf(fromTier));
  const pairs = [...new Set(ups.map(({ fromTier, toTier }) => `${fromTier} ${toTier}`))].sort(
    (a, b) => TIERS.indexOf(a.split(' ')[0]!) - TIERS.indexOf(b.split(' ')[0]!),
  );
  return pairs.map((pair) => {
    const own = ups.filter(({ fromTier, toTier }) => `${fromTier} ${toTier}` === pair);
    const back = own.map(({ from, to, number }) => shares.get(key(to, from, number)) ?? 0);
    const [up, down] = [usesOf(own.map(({ share }) => share)), usesOf(back)];
    const both = own.map(({ from, to, number }, index) => ({
      lower: from,
      upper: to,
      number,
      up: up[index]!,
      down: down[index]!,
    }));
    const [lowerTier, upperTier] = pair.split(' ') as [string, string];
    return { lowerTier, upperTier, ...tierOf(both) };
  });
}

function usesOf(shares: readonly number[]): LinkUse[] {
  const mean = shares.reduce((a, b) => a + b, 0) / shares.length;
  return shares.map((share) => ({ share, timesMean: mean === 0 ? 0 : share / mean }));
}

function tierOf(links: readonly TierLink[]): Pick<LinkTier, 'lowers' | 'uppers' | 'rows' | 'columns'> {
  const lowers = byNumber(links.map(({ lower }) => lower));
  const uppers = byNumber(links.map(({ upper }) => upper));
  const place = new Map(uppers.map((name, index) => [name, index]));
  const rows = new Map<string, TierLink[]>(lowers.map((name) => [name, []]));
  for (const link of links) rows.get(link.lower)!.push(link);
  for (const row of rows.values()) {
    row.sort((a, b) => place.get(a.upper)! - place.get(b.upper)! || a.number - b.number);
  }
  return { lowers, uppers, rows, columns: Math.max(0, ...[...rows.values()].map(({ length }) => length)) };
}

/** Each once: `leaf2` before `leaf10`. */
function byNumber(names: readonly string[]): string[] {
  const collator = new Intl.Collator('en', { numeric: true });
  return [...new Set(names)].sort(collator.compare);
}

/** `leaf1 to spine2, link 2: 34.2 % of its capacity, 1.8 times the mean`. */
export function linkWords(link: TierLink, way: Way): string {
  const { lower, upper, number } = link;
  const { share, timesMean } = link[way];
  const [from, to] = way === 'up' ? [lower, upper] : [upper, lower];
  const name = `${from} to ${to}${number > 1 ? `, link ${number}` : ''}`;
  return `${name}: ${(100 * share).toFixed(1)} % of its capacity, ${timesMean.toFixed(2)} times the mean`;
}
