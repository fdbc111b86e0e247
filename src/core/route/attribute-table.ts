/**
 * Path attributes as small integers. Received ones are interned by their wire octets: seen before means no parsing, and the
 * decoded value, the RFC 7606 outcome and the preference columns are made once. Our own (originated routes, export results)
 * are interned by their encoding. An id lives as long as something holds a reference to it. Nothing here is about one router, so that
 * those of one process may share a table.
 *
 * Decoded values of received attributes are kept for as many sets as a fabric ever has, and made again from the octets where a full
 * table has more: a quarter of a million of them were 230 MB, and took 1.5 s to collect garbage around.
 */
import { grown } from '../net/grown.js';
import type { EncodeOptions } from '../wire/bgp/attributes/attribute-codec.js';
import { attributeKey, MAX_KEY_OCTETS, readAttributeKey } from '../wire/bgp/attributes/attribute-key.js';
import { type DecodedAttributes, decodeAttributes } from '../wire/bgp/attributes/decode-attributes.js';
import { octets32 } from '../wire/bgp/octets.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { encodeAttributes } from '../wire/bgp/update-encoder.js';
import { type NlriField, UpdateView } from '../wire/bgp/update-view.js';
import { ByteInterner } from './byte-interner.js';
import { PreferenceColumns } from './preference.js';

export type AttributeId = number;

/** First octet of a key made by us; that of a received one is below it (see attributeKey). */
const OURS = 0x80;
/** It, and the lengths of what stands between here and the encoded attributes. */
const OWN_HEADER_OCTETS = 4;
const KEPT_VALUES = 8192;
/**
 * The key that is looked for. Room for our own too: the same AS_PATH in four-octet numbers, and what policy adds. One for all tables of a
 * process, as it is a quarter of a megabyte, and nothing in it outlives a call.
 */
const scratch = new Uint8Array(4 * MAX_KEY_OCTETS);

export class AttributeTable {
  readonly preference = new PreferenceColumns();
  readonly #interner = new ByteInterner();
  readonly #values: (DecodedAttributes | undefined)[] = [];
  /** Ids whose received value is kept, in the order in which they lose it. */
  readonly #kept: AttributeId[] = [];
  #oldest = 0;
  readonly #view = new UpdateView();
  #references = new Uint32Array(128);
  /** Told of an id that nothing refers to any more, before it is used again. */
  readonly onForgotten = new Set<(id: AttributeId) => void>();
  readonly #mostKept: number;

  constructor(mostKept = KEPT_VALUES) {
    this.#mostKept = mostKept;
  }

  /** Distinct sets of attributes. */
  get size(): number {
    return this.#interner.size;
  }

  /**
   * The id of the attributes of the routes in `field`, with one reference for the caller; -1 when the UPDATE has faults that
   * no key describes (it must be decoded by itself).
   */
  internReceived(view: UpdateView, field: NlriField): AttributeId {
    const length = attributeKey(view, field, scratch);
    if (length === 0) return -1;
    const found = this.#interner.find(scratch, length);
    if (found === -1) {
      const id = this.#add(length, decodeAttributes(view, field));
      this.#forgetOldest(id);
      return id;
    }
    this.#references[found]!++;
    return found;
  }

  /** The id of attributes made by us, with one reference for the caller. */
  internValue(attributes: PathAttributes): AttributeId {
    const length = this.#writeOwnKey(attributes);
    const found = this.#interner.find(scratch, length);
    if (found === -1) return this.#add(length, { attributes, errors: [], action: undefined });
    this.#references[found]!++;
    return found;
  }

  decoded(id: AttributeId): DecodedAttributes {
    return this.#values[id] ?? this.#decodeAgain(id);
  }

  /** Whether an id, which may have been forgotten, still has a value that it once had. */
  standsFor(id: AttributeId, value: DecodedAttributes): boolean {
    return this.#values[id] === value;
  }

  /** For ids that are known to be usable: those of paths and of export results. */
  attributes(id: AttributeId): PathAttributes {
    return this.decoded(id).attributes!;
  }

  /**
   * Attributes as a session is sent them, without next hop; valid until something is added here. Our own are interned by
   * that, for sessions with four-octet AS numbers: nothing is encoded again, which is a sixth of the time that passing a table on takes.
   */
  encoded(id: AttributeId, options: EncodeOptions): Uint8Array {
    const key = this.#interner.bytes(id);
    if (!options.fourOctetAs || (key[0]! & OURS) === 0) return encodeAttributes(this.attributes(id), options);
    return key.subarray(OWN_HEADER_OCTETS + key[1]! + key[2]! + 4 * key[3]!);
  }

  acquire(id: AttributeId, count = 1): void {
    this.#references[id]! += count;
  }

  release(id: AttributeId): void {
    if (--this.#references[id]! > 0) return;
    for (const hear of this.onForgotten) hear(id);
    this.#values[id] = undefined;
    this.#interner.remove(id);
  }

  #add(length: number, decoded: DecodedAttributes): AttributeId {
    const id = this.#interner.add(scratch, length);
    if (id >= this.#references.length) this.#references = grown(this.#references, id + 1);
    this.#values[id] = decoded;
    this.#references[id] = 1;
    if (decoded.attributes) this.preference.set(id, decoded.attributes);
    return id;
  }

  #decodeAgain(id: AttributeId): DecodedAttributes {
    const field = readAttributeKey(this.#interner.bytes(id), this.#view);
    const value = decodeAttributes(this.#view, field);
    this.#values[id] = value;
    this.#forgetOldest(id);
    return value;
  }

  /** The value of `id` is kept, and that of the one before which as many came since, if it has one still, is not. */
  #forgetOldest(id: AttributeId): void {
    const oldest = this.#kept[this.#oldest];
    if (oldest !== undefined && oldest !== id && this.#isReceived(oldest)) this.#values[oldest] = undefined;
    this.#kept[this.#oldest] = id;
    this.#oldest = (this.#oldest + 1) % this.#mostKept;
  }

  /** An id may be used again, for attributes of our own. */
  #isReceived(id: AttributeId): boolean {
    return this.#values[id] !== undefined && (this.#interner.bytes(id)[0]! & OURS) === 0;
  }

  #writeOwnKey(attributes: PathAttributes): number {
    const encoded = encodeAttributes(attributes, { fourOctetAs: true });
    const { global, linkLocal } = attributes.nextHop ?? {};
    let length = 0;
    const put = (bytes: Uint8Array) => {
      scratch.set(bytes, length);
      length += bytes.length;
    };
    const backupColours = attributes.backupColours ?? [];
    put(Uint8Array.of(OURS, global?.length ?? 0, linkLocal?.length ?? 0, backupColours.length));
    if (global) put(global);
    if (linkLocal) put(linkLocal);
    for (const colour of backupColours) put(octets32(colour));
    put(encoded);
    return length;
  }
}
