/**
 * What was seen of a fabric: of each router its sessions, its routes, what it wants forwarded and what its kernel forwards; and the links.
 * It is what `heddle verify --dump` writes and `--state` reads, one file a router.
 */
import { z } from 'zod';
import { IMPLEMENTATIONS } from '../lab/topology.js';

const interfaces = z.array(z.string()).readonly();

const seenPath = z.object({
  /** The router's own, over which the path came. */
  interface: z.string(),
  /** Null where the implementation does not tell the others from the best. */
  use: z.enum(['preferred', 'fallback', 'spare', 'hidden']).nullable(),
  colour: z.int().nullable(),
  /** A decimal number. */
  aigp: z.string().nullable(),
  /** Why it is hidden; null when it is not. */
  reason: z.string().nullable(),
});
export type SeenPath = z.infer<typeof seenPath>;

const seenRoute = z.object({ prefix: z.string(), paths: z.array(seenPath) });
export type SeenRoute = z.infer<typeof seenRoute>;

const forwardingEntry = z.object({
  prefix: z.string(),
  preferred: interfaces,
  fallback: interfaces,
  state: z.string(),
  error: z.string().nullable(),
});

const kernelRoute = z.object({ prefix: z.string(), metric: z.int(), protocol: z.string(), interfaces });
export type SeenKernelRoute = z.infer<typeof kernelRoute>;

export const nodeStateSchema = z.object({
  node: z.string(),
  implementation: z.enum(IMPLEMENTATIONS),
  /** Why the daemon could not be asked; null when it was. */
  silent: z.string().nullable(),
  sessions: z.array(z.object({ interface: z.string(), up: z.boolean(), reason: z.string().nullable() })),
  routes: z.array(seenRoute),
  /** What is wanted of the kernel; null where the implementation does not say. */
  fib: z.array(forwardingEntry).nullable(),
  /** What the daemon itself says is amiss in its kernel, by prefix. */
  fibProblems: z.array(z.object({ prefix: z.string(), why: z.string() })),
  kernel: z.array(kernelRoute),
});
export type NodeState = z.infer<typeof nodeStateSchema>;

export const fabricStateSchema = z.object({
  format: z.literal('heddle-verify-1'),
  topology: z.string(),
  nodes: z.array(z.string()),
  /** By the model's names. */
  links: z.array(z.object({ link: z.string(), state: z.enum(['up', 'cut', 'silent', 'no-carrier']) })),
});
export type FabricHead = z.infer<typeof fabricStateSchema>;

export interface FabricState extends FabricHead {
  readonly routers: ReadonlyMap<string, NodeState>;
}
