/** The first tier of a choice by AIGP (RFC 7311 section 4.1): absent counts as infinite. */
import type { Candidate } from './router-rules.js';

/** Where anyone has AIGP, those who have the least of it; else all. */
export function leastAigp<One extends Candidate>(candidates: readonly One[]): readonly One[] {
  const marked = candidates.filter(({ aigp }) => aigp !== undefined);
  if (marked.length === 0) return candidates;
  return marked.filter(({ aigp }) => marked.every((other) => aigp! <= other.aigp!));
}
