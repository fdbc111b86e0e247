/**
 * One cell of the matrix: what was measured of one feature with one peer, in parts where a feature has several. A part that does not
 * hold is the peer's own limit when the run itself has seen why; everything else is heddle's to answer for.
 */
export type Part =
  | { readonly what: string; readonly outcome: 'yes' }
  | { readonly what: string; readonly outcome: 'limit'; readonly seen: string }
  | { readonly what: string; readonly outcome: 'failed'; readonly seen: string };

export type Cell = readonly Part[];

export const yes = (what: string): Part => ({ what, outcome: 'yes' });
/** The peer itself says so: its configuration checker, its OPEN, its log. */
export const limit = (what: string, seen: string): Part => ({ what, outcome: 'limit', seen });
/** Nothing but what the peer did, or did not do. */
export const observed = (what: string, seen: string): Part => limit(what, `seen: ${seen}`);

/** What a check threw is heddle's to answer for. */
export async function part(what: string, check: () => Promise<Part>): Promise<Part> {
  try {
    return await check();
  } catch (error) {
    return { what, outcome: 'failed', seen: error instanceof Error ? error.message : String(error) };
  }
}
