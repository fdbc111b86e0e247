/**
 * What a page shows, kept as it was last told: whoever comes gets the whole of it, and afterwards only what is not as it was. Some hundred routers
 * and ten thousands of links cost those who watch no more than what changes.
 */
import type {
  EventMessage,
  FabricMessage,
  PageEvent,
  PageLinkState,
  PageMessage,
  RouterState,
  UpdateMessage,
} from './shapes.js';

/** Kept for those who come later. */
const MOST_EVENTS = 200;

export type PageListener = (message: PageMessage) => void;

export class PageBoard {
  readonly #listeners = new Set<PageListener>();
  readonly #routers = new Remembered<RouterState>();
  readonly #links = new Remembered<PageLinkState>();
  readonly #events: EventMessage[] = [];
  #fabric: FabricMessage | undefined;

  /** Where another is shown, what was said of routers and links that it does not have is forgotten. */
  show(fabric: FabricMessage): void {
    if (JSON.stringify(fabric) === JSON.stringify(this.#fabric)) return;
    this.#fabric = fabric;
    this.#routers.keep(new Set(fabric.nodes.map(({ name }) => name)));
    this.#links.keep(new Set(fabric.links.map(({ name }) => name)));
    this.#tell(fabric);
  }

  update({ routers = [], links = [] }: Partial<Omit<UpdateMessage, 'kind'>>): void {
    const changed = { routers: this.#routers.changed(routers), links: this.#links.changed(links) };
    if (changed.routers.length + changed.links.length > 0) this.#tell({ kind: 'update', ...changed });
  }

  event(router: string | null, event: PageEvent): void {
    const message: EventMessage = { kind: 'event', router, event };
    this.#events.push(message);
    if (this.#events.length > MOST_EVENTS) this.#events.shift();
    this.#tell(message);
  }

  router(name: string): RouterState | undefined {
    return this.#routers.get(name);
  }

  link(name: string): PageLinkState | undefined {
    return this.#links.get(name);
  }

  whole(): PageMessage[] {
    const { routers, links } = { routers: this.#routers.all(), links: this.#links.all() };
    return [...(this.#fabric ? [this.#fabric] : []), { kind: 'update', routers, links }, ...this.#events];
  }

  /** Returns what ends it. */
  watch(listener: PageListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  #tell(message: PageMessage): void {
    for (const listener of this.#listeners) listener(message);
  }
}

class Remembered<Value extends { readonly name: string }> {
  readonly #values = new Map<string, { readonly value: Value; readonly text: string }>();

  changed(values: readonly Value[]): Value[] {
    return values.filter((value) => {
      const text = JSON.stringify(value);
      if (this.#values.get(value.name)?.text === text) return false;
      this.#values.set(value.name, { value, text });
      return true;
    });
  }

  keep(names: ReadonlySet<string>): void {
    for (const name of this.#values.keys()) if (!names.has(name)) this.#values.delete(name);
  }

  get(name: string): Value | undefined {
    return this.#values.get(name)?.value;
  }

  all(): Value[] {
    return [...this.#values.values()].map(({ value }) => value);
  }
}
