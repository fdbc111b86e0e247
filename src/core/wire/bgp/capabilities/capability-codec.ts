/** What a file in this folder provides for its capability (RFC 5492); capability-table.ts lists them. */
import type { Capability } from '../message.js';

export interface CapabilityCodec {
  readonly code: number;
  /** The value octets, of any length; `undefined` when they make no sense, and the capability is then treated as unknown. */
  readonly decode: (value: Uint8Array) => Capability | undefined;
  /** The value octets; `undefined` for a capability of another kind. */
  readonly encode: (capability: Capability) => Uint8Array | undefined;
}

/** A capability that says all by being there. */
export function emptyCapability(code: number, capability: Capability): CapabilityCodec {
  return {
    code,
    decode: (value) => (value.length === 0 ? capability : undefined),
    encode: ({ kind }) => (kind === capability.kind ? new Uint8Array(0) : undefined),
  };
}
