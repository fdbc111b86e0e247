/** What the page knows: every message makes another model of the one before. Pure. */
import type {
  EventMessage,
  FabricMessage,
  PageEvent,
  PageLink,
  PageLinkState,
  PageMessage,
  RouterState,
} from '../edge/control/page/shapes.js';

/** Of the timeline. */
const MOST_EVENTS = 400;

export interface Occurrence {
  /** Counts up; nobody else's. */
  readonly id: number;
  readonly router: string | null;
  readonly event: PageEvent;
}

export interface Model {
  readonly fabric: FabricMessage | undefined;
  readonly routers: ReadonlyMap<string, RouterState>;
  readonly links: ReadonlyMap<string, PageLinkState>;
  /** Newest first. */
  readonly events: readonly Occurrence[];
  /** By router: grows when what it can be asked for may be another. */
  readonly changes: ReadonlyMap<string, number>;
}

export const EMPTY: Model = {
  fabric: undefined,
  routers: new Map(),
  links: new Map(),
  events: [],
  changes: new Map(),
};

export function next(model: Model, message: PageMessage): Model {
  switch (message.kind) {
    case 'fabric':
      return shown(model, message);
    case 'update':
      return {
        ...model,
        routers: merged(model.routers, message.routers),
        links: merged(model.links, message.links),
        changes: grown(
          model.changes,
          message.routers.map(({ name }) => name),
        ),
      };
    case 'event':
      return withEvent(model, message);
    case 'alive':
      return model;
  }
}

/** As it is when a page begins to follow again: what it was told before is told again. */
export function restarted(model: Model): Model {
  return { ...model, events: [] };
}

function shown(model: Model, fabric: FabricMessage): Model {
  const nodes = new Set(fabric.nodes.map(({ name }) => name));
  const links = new Set(fabric.links.map(({ name }) => name));
  return {
    ...model,
    fabric,
    routers: new Map([...model.routers].filter(([name]) => nodes.has(name))),
    links: new Map([...model.links].filter(([name]) => links.has(name))),
  };
}

function withEvent(model: Model, { router, event }: EventMessage): Model {
  const id = (model.events[0]?.id ?? 0) + 1;
  const events = [{ id, router, event }, ...model.events.slice(0, MOST_EVENTS - 1)];
  return { ...model, events, changes: router === null ? model.changes : grown(model.changes, [router]) };
}

function merged<Value extends { readonly name: string }>(
  before: ReadonlyMap<string, Value>,
  values: readonly Value[],
): ReadonlyMap<string, Value> {
  if (values.length === 0) return before;
  const after = new Map(before);
  for (const value of values) after.set(value.name, value);
  return after;
}

function grown(changes: ReadonlyMap<string, number>, routers: readonly string[]): ReadonlyMap<string, number> {
  if (routers.length === 0) return changes;
  const after = new Map(changes);
  for (const router of routers) after.set(router, (after.get(router) ?? 0) + 1);
  return after;
}

/** The link that a router has at an interface. */
export function linkAt({ fabric }: Model, router: string, port: string): PageLink | undefined {
  return fabric?.links.find(({ a, b }) => [a, b].some((end) => end.node === router && end.interface === port));
}

/** Who is at the other end of a router's interface. */
export function peerAt(model: Model, router: string, port: string): string {
  const link = linkAt(model, router, port);
  return link ? (link.a.node === router ? link.b.node : link.a.node) : port;
}

/** Those that can be asked for their prefixes and sessions, leaves first: their tables are where the fabric is seen. */
export function askedRouters({ fabric }: Model): readonly string[] {
  const asked = (fabric?.nodes ?? []).filter((node) => node.asked);
  return [...asked.filter(({ role }) => role === 'leaf'), ...asked.filter(({ role }) => role !== 'leaf')].map(
    ({ name }) => name,
  );
}
