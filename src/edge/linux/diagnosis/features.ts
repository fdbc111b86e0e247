/** What this kernel can do, each found by asking it in a way that leaves nothing behind: a text says why not, `undefined` that it can. */
import { closeSync } from 'node:fs';
import { Attributes, COMMAND, tryBpf } from '../bpf/system-call.js';
import { loadKoffi, loadNetlink, loadRawSocket } from '../native.js';
import { authenticationObstacle } from '../tcp-ao.js';

const PACKAGES = { netlink: loadNetlink, 'raw-socket': loadRawSocket, koffi: loadKoffi } as const;
export type NativePackage = keyof typeof PACKAGES;
export const NATIVE_PACKAGES: readonly NativePackage[] = ['netlink', 'raw-socket', 'koffi'];

/** BPF_TCX_INGRESS. */
const TCX_INGRESS = 46;
/** The loopback interface has this number in every network namespace. */
const LOOPBACK = 1;
/** BPF_PROG_TYPE_SCHED_CLS. */
const TRAFFIC_PROGRAM = 3;
const INSTRUCTION_OCTETS = 8;
/** r0 = 0; exit */
const NOTHING = Uint8Array.of(0xb7, 0, 0, 0, 0, 0, 0, 0, 0x95, 0, 0, 0, 0, 0, 0, 0);

export function packageObstacle(name: NativePackage): string | undefined {
  try {
    PACKAGES[name]();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export function tcpAoObstacle(): string | undefined {
  return authenticationObstacle({ sendId: 1, receiveId: 1, algorithm: 'hmac-sha-1-96', password: 'key' });
}

/** Of bpf(2): given a program that does nothing, and goes with its descriptor. */
export function bpfObstacle(): string | undefined {
  const load = new Attributes().number32(0, TRAFFIC_PROGRAM).number32(4, NOTHING.length / INSTRUCTION_OCTETS);
  load.pointer(8, NOTHING);
  load.pointer(16, new TextEncoder().encode('GPL\0'));
  const answer = tryBpf(COMMAND.loadProgram, load);
  if (typeof answer === 'number') {
    closeSync(answer);
    return undefined;
  }
  if (answer === 'EPERM') return 'bpf(2) is not permitted to this process (CAP_BPF and CAP_NET_ADMIN, or root)';
  return answer === 'ENOSYS' ? 'this kernel has no bpf(2)' : `the kernel takes no program (${answer})`;
}

/** Of programs at the ingress of traffic control that stand in a row (Linux 6.6); without them a plane is a filter of clsact. */
export function tcxObstacle(): string | undefined {
  const query = new Attributes().number32(0, LOOPBACK).number32(4, TCX_INGRESS);
  const answer = tryBpf(COMMAND.query, query);
  return typeof answer === 'string' ? `it has no tcx (${answer}; Linux 6.6 has)` : undefined;
}
