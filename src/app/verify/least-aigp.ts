/** The first tier of a choice by AIGP (RFC 7311 section 4.1): absent counts as infinite. */
import type { Candidate } from './router-rules.js';

/** Where anyone has AIGP, those who have the least of it; else all. */
export function leastAigp(candidates: readonly Candidate[]): readonly Candidate[] {
  const marked = candidates.filter((one): one is Candidate & { readonly aigp: bigint } => one.aigp !== undefined);
  if (marked.length === 0) return candidates;
  return marked.filter((one) => marked.every((other) => one.aigp <= other.aigp));
}
