/** What a file in this folder provides for its path attribute; attribute-table.ts lists them. */
import type { UpdateContext } from '../message.js';
import type { Aggregator, AsPathSegment, AttributeError, PathAttributes } from '../path-attributes.js';

export type JsonValue = string | number | boolean | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Path attributes while they are being decoded. */
export type AttributesDraft = { -readonly [Key in keyof PathAttributes]?: PathAttributes[Key] } & {
  /** RFC 6793, until they are merged. */
  as4Path?: readonly AsPathSegment[];
  as4Aggregator?: Aggregator;
};

/** Why a value was refused, and what RFC 7606 does about it. */
export type AttributeFault = Pick<AttributeError, 'action' | 'ignored' | 'subcode' | 'reason'>;

export interface EncodeOptions {
  /** False towards a peer that knows only 2-octet AS numbers (RFC 6793). */
  readonly fourOctetAs: boolean;
}

export interface AttributeCodec {
  readonly type: number;
  /** As the RFC writes it. */
  readonly name: string;
  /** The Optional and Transitive bits that its specification fixes; the others are not checked (RFC 7606 section 3 (c)). */
  readonly flags: number;
  /** What a conflict in those bits leads to. */
  readonly flagsAction: AttributeError['action'];
  /** Why the attribute is ignored in this session whatever it holds. */
  readonly unwanted?: (context: UpdateContext) => string | undefined;
  /** Puts the value into the draft (copied: the octets are the message's), or says what is wrong with it. */
  readonly decode: (value: Uint8Array, draft: AttributesDraft, context: UpdateContext) => AttributeFault | undefined;
  /** The value on the wire; `undefined` when there is none. Absent for what is never sent from here. */
  readonly encode?: (attributes: PathAttributes, options: EncodeOptions) => Uint8Array | undefined;
  /** One JSON member of `formatAttributes`; `undefined` when there is no such attribute. */
  readonly format?: (attributes: PathAttributes) => { readonly [key: string]: JsonValue } | undefined;
}
