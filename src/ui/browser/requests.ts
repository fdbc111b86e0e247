/** What the page asks for beside its stream. Every function rejects with what is wrong, in words. */
import type { LinkAction, MatrixPart } from '../../edge/control/page/shapes.js';
import type { Neighbor } from '../../edge/control/schema.js';

export interface Asked {
  /** In a lab every router is below a path of its own. */
  readonly scope: 'lab' | 'router';
  readonly router: string;
}

const base = ({ scope, router }: Asked) => (scope === 'lab' ? `/routers/${encodeURIComponent(router)}` : '');

export function matrixOf(
  asked: Asked,
  { from, count, find }: { readonly from: number; readonly count: number; readonly find: string },
  signal: AbortSignal,
): Promise<MatrixPart> {
  const query = new URLSearchParams({ from: String(from), count: String(count), find });
  return answered(fetch(`${base(asked)}/page/matrix?${query}`, { signal }));
}

export interface Neighbors {
  readonly all: readonly Neighbor[];
  /** When it was asked; milliseconds since 1970. */
  readonly at: number;
}

export async function neighborsOf(asked: Asked, signal: AbortSignal): Promise<Neighbors> {
  const all: readonly Neighbor[] = await answered(fetch(`${base(asked)}/neighbors`, { signal }));
  return { all, at: Date.now() };
}

export async function changeLink(link: string, action: LinkAction): Promise<void> {
  const body = JSON.stringify({ link, action });
  await answered(fetch('/page/links', { method: 'POST', headers: { 'content-type': 'application/json' }, body }));
}

async function answered<T>(asking: Promise<Response>): Promise<T> {
  const response = await asking;
  const body: T & { readonly error?: string } = await response.json();
  if (response.ok) return body;
  throw new Error(body.error ?? `HTTP status ${response.status}`);
}
