/**
 * What a peer sent, for the paths that its import policy changed: the policy starts from there when it is evaluated again. A
 * column beside the paths that does not exist until a policy changes something.
 */
import { grown } from '../net/grown.js';
import type { AttributeId, AttributeTable } from '../route/attribute-table.js';
import type { PathIndex } from './path-store.js';

export class OriginalAttributes {
  readonly #attributes: AttributeTable;
  /** Attribute id plus one; 0 where the path has what was received. */
  #ids = new Uint32Array(0);

  constructor(attributes: AttributeTable) {
    this.#attributes = attributes;
  }

  /** False as long as every path has what was received. */
  get inUse(): boolean {
    return this.#ids.length > 0;
  }

  get(path: PathIndex): AttributeId | undefined {
    const id = this.#ids[path] ?? 0;
    return id === 0 ? undefined : id - 1;
  }

  /** Takes its own reference to the attributes. */
  set(path: PathIndex, id: AttributeId | undefined): void {
    const old = this.get(path);
    if (old === id) return;
    if (id !== undefined) this.#attributes.acquire(id);
    if (old !== undefined) this.#attributes.release(old);
    if (path >= this.#ids.length) this.#ids = grown(this.#ids, path + 1);
    this.#ids[path] = id === undefined ? 0 : id + 1;
  }
}
