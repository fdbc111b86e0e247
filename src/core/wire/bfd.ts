/** BFD control packets (RFC 5880 section 4.1): the fields, decoded; no session behind them. */

export const BFD_CONTROL_PORTS: ReadonlySet<number> = new Set([3784, 4784]);

export const BFD_STATES = ['AdminDown', 'Down', 'Init', 'Up'] as const;

export const BFD_DIAGNOSTICS = [
  'No Diagnostic',
  'Control Detection Time Expired',
  'Echo Function Failed',
  'Neighbor Signaled Session Down',
  'Forwarding Plane Reset',
  'Path Down',
  'Concatenated Path Down',
  'Administratively Down',
  'Reverse Concatenated Path Down',
] as const;

export interface BfdControlPacket {
  readonly version: number;
  /** Index into BFD_DIAGNOSTICS, 0 to 31. */
  readonly diagnostic: number;
  /** Index into BFD_STATES. */
  readonly state: number;
  readonly poll: boolean;
  readonly final: boolean;
  readonly controlPlaneIndependent: boolean;
  readonly authenticationPresent: boolean;
  readonly demand: boolean;
  readonly multipoint: boolean;
  readonly detectMultiplier: number;
  readonly myDiscriminator: number;
  readonly yourDiscriminator: number;
  /** Microseconds. */
  readonly desiredMinTxInterval: number;
  /** Microseconds. */
  readonly requiredMinRxInterval: number;
  /** Microseconds. */
  readonly requiredMinEchoRxInterval: number;
}

/** `undefined` when the packet is shorter than its mandatory section or than its own length field. */
export function decodeBfdControlPacket(bytes: Uint8Array): BfdControlPacket | undefined {
  if (bytes.length < 24 || bytes[3]! < 24 || bytes[3]! > bytes.length) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flags = bytes[1]!;
  return {
    version: bytes[0]! >> 5,
    diagnostic: bytes[0]! & 31,
    state: flags >> 6,
    poll: (flags & 0x20) !== 0,
    final: (flags & 0x10) !== 0,
    controlPlaneIndependent: (flags & 0x08) !== 0,
    authenticationPresent: (flags & 0x04) !== 0,
    demand: (flags & 0x02) !== 0,
    multipoint: (flags & 0x01) !== 0,
    detectMultiplier: bytes[2]!,
    myDiscriminator: view.getUint32(4),
    yourDiscriminator: view.getUint32(8),
    desiredMinTxInterval: view.getUint32(12),
    requiredMinRxInterval: view.getUint32(16),
    requiredMinEchoRxInterval: view.getUint32(20),
  };
}
