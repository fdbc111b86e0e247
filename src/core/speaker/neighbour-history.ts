/**
 * What became of earlier sessions with a neighbour whose link went away: to an operator it is one neighbour, and a flap that
 * nobody can see is the hardest to find.
 */
import type { DownReason, PeerSummary } from '../session/types.js';

export interface NeighbourHistory {
  readonly attempts: number;
  readonly establishedCount: number;
  readonly lastDown: DownReason | undefined;
  /** Clock milliseconds. */
  readonly lastDownAt: number;
}

/** Neighbours remembered on one link; the one forgotten is the one that went first. */
const REMEMBERED = 64;

/** The summary of the present session with the earlier ones counted in. */
export function withHistory(now: PeerSummary, history: NeighbourHistory | undefined): PeerSummary {
  if (!history) return now;
  const lastDown = now.lastDown ?? history.lastDown;
  return {
    ...now,
    attempts: now.attempts + history.attempts,
    establishedCount: now.establishedCount + history.establishedCount,
    ...(lastDown && { lastDown }),
  };
}

export class NeighbourHistories {
  private readonly entries = new Map<string, NeighbourHistory>();

  of(key: string): NeighbourHistory | undefined {
    return this.entries.get(key);
  }

  /** Who went last. */
  get latest(): { readonly key: string; readonly history: NeighbourHistory } | undefined {
    const [key, history] = [...this.entries].at(-1) ?? [];
    return key !== undefined && history ? { key, history } : undefined;
  }

  remember(key: string, { attempts, establishedCount, lastDown }: PeerSummary, lastDownAt: number): void {
    this.entries.delete(key);
    this.entries.set(key, { attempts, establishedCount, lastDown, lastDownAt });
    const [oldest] = this.entries.keys();
    if (this.entries.size > REMEMBERED && oldest !== undefined) this.entries.delete(oldest);
  }
}
