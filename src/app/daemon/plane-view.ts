/** The eBPF plane in `show dlb`: its counters, read from the kernel's tables when somebody asks. */
import { formatAddress } from '../../core/net/address.js';
import type { EbpfPlane } from '../../edge/control/schema.js';
import type { LinuxEbpfPlane, PlanePortView } from '../../edge/linux/ebpf-plane.js';
import { byName } from './show-order.js';

export type ShownPlane = Pick<LinuxEbpfPlane, 'prefixes' | 'attachments' | 'ports' | 'passed' | 'full'>;

/** Of the plane, or with the reason for which there is none. */
export function planeView(
  mode: EbpfPlane['mode'],
  plane: ShownPlane | string,
  nameOf: (interfaceIndex: number) => string,
): EbpfPlane {
  if (typeof plane === 'string')
    return { mode, failure: plane, full: null, prefixes: 0, attachments: [], ports: [], leftToKernel: [] };
  const attachments = plane
    .attachments()
    .map(({ interfaceIndex, how }) => ({ interface: nameOf(interfaceIndex), how }));
  const ports = plane.ports().map((port) => portView(port, nameOf));
  return {
    mode,
    failure: null,
    full: plane.full() ?? null,
    prefixes: plane.prefixes,
    attachments: byName(attachments, (attachment) => attachment.interface),
    ports: byName(ports, (port) => `${port.interface} ${port.gateway}`),
    leftToKernel: leftToKernel(plane),
  };
}

/** Reasons with a packet. */
export function leftToKernel(plane: Pick<ShownPlane, 'passed'>): EbpfPlane['leftToKernel'] {
  const passed = [...plane.passed()].filter(([, packets]) => packets > 0n);
  return passed.map(([reason, packets]) => ({ reason, packets: Number(packets) }));
}

export function portView(port: PlanePortView, nameOf: (interfaceIndex: number) => string): EbpfPlane['ports'][number] {
  const { interfaceIndex, gateway, usable, resolved, packets, octets, moves, risks } = port;
  return {
    interface: nameOf(interfaceIndex),
    gateway: formatAddress(gateway),
    state: usable ? (resolved ? 'up' : 'unresolved') : 'down',
    packets: Number(packets),
    octets: Number(octets),
    moves: Number(moves),
    reorderRisks: Number(risks),
  };
}
