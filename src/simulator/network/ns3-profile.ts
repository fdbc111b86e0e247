/** Switches, buffers and packet sizes as the public ns-3 models of RoCEv2 fabrics have them (conweave-ns3, 100 Gb/s links of a microsecond). */
import type { PacketSizes } from '../hosts/hosts.js';
import type { BufferProfile } from './shared-buffer.js';
import type { SwitchProfile } from './switches.js';

export const NS3_SIZES: PacketSizes = { payload: 1000, overhead: 48, answer: 60 };

const MTU = NS3_SIZES.payload + NS3_SIZES.overhead;

export const NS3_BUFFER: BufferProfile = {
  size: 9 * 2 ** 20,
  ingressAlpha: 1 / 16,
  egressAlpha: 1,
  guaranteed: MTU,
  reservedClasses: 8,
  // 16 octets less left of the shared part, times alpha.
  resumeOffset: 1,
  pfc: true,
};

export const NS3_SWITCHES: SwitchProfile = {
  marking: { minimum: 100_000, maximum: 400_000, probability: 0.2 },
  pauseTime: 5e6,
  pauseBytes: 43,
};

/**
 * Octets that may still come after a pause went out: what is on the way there and back, the packet that the pause waits behind, and the one that has been
 * begun at the far end. At 100 Gb/s and a microsecond those of the ns-3 models.
 */
export function headroomOf(link: { readonly rate: number; readonly delay: number }, mtu: number): number {
  return Math.ceil((2 * link.delay * link.rate) / 8e12) + 2 * mtu;
}
