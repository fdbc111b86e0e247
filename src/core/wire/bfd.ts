/** BFD control packets (RFC 5880 section 4.1), without authentication: octets and fields; the session is core/bfd. */

export const BFD_CONTROL_PORTS: ReadonlySet<number> = new Set([3784, 4784]);

const CONTROL_PACKET_OCTETS = 24;

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
  if (bytes.length < CONTROL_PACKET_OCTETS || bytes[3]! < CONTROL_PACKET_OCTETS || bytes[3]! > bytes.length)
    return undefined;
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

/** The mandatory section; we authenticate nothing, so the A bit stays clear whatever the field says. */
export function encodeBfdControlPacket(packet: BfdControlPacket): Uint8Array {
  const bytes = new Uint8Array(CONTROL_PACKET_OCTETS);
  const view = new DataView(bytes.buffer);
  bytes[0] = (packet.version << 5) | packet.diagnostic;
  bytes[1] =
    (packet.state << 6) |
    (packet.poll ? 0x20 : 0) |
    (packet.final ? 0x10 : 0) |
    (packet.controlPlaneIndependent ? 0x08 : 0) |
    (packet.demand ? 0x02 : 0) |
    (packet.multipoint ? 0x01 : 0);
  bytes[2] = packet.detectMultiplier;
  bytes[3] = CONTROL_PACKET_OCTETS;
  view.setUint32(4, packet.myDiscriminator);
  view.setUint32(8, packet.yourDiscriminator);
  view.setUint32(12, packet.desiredMinTxInterval);
  view.setUint32(16, packet.requiredMinRxInterval);
  view.setUint32(20, packet.requiredMinEchoRxInterval);
  return bytes;
}
