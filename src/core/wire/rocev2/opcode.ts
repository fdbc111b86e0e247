/** What a packet does and which headers follow its base header (InfiniBand Architecture 1.4, section 9.2.1, table 38). */

export type ExtensionHeader = 'reth' | 'aeth' | 'immediate';

export interface Operation {
  /** As the specification and tshark write it. */
  readonly name: string;
  readonly headers: readonly ExtensionHeader[];
}

export const OPCODE = {
  writeFirst: 0x06,
  writeMiddle: 0x07,
  writeLast: 0x08,
  writeLastImmediate: 0x09,
  writeOnly: 0x0a,
  writeOnlyImmediate: 0x0b,
  acknowledge: 0x11,
  /** Congestion notification: 16 reserved octets (RoCEv2 annex A17.9.3). */
  congestionNotification: 0x81,
} as const;

/** Sends and writes, in both connected services: the lower five bits. */
const WRITES_AND_SENDS: readonly Operation[] = [
  { name: 'SEND First', headers: [] },
  { name: 'SEND Middle', headers: [] },
  { name: 'SEND Last', headers: [] },
  { name: 'SEND Last with Immediate', headers: ['immediate'] },
  { name: 'SEND Only', headers: [] },
  { name: 'SEND Only with Immediate', headers: ['immediate'] },
  { name: 'RDMA WRITE First', headers: ['reth'] },
  { name: 'RDMA WRITE Middle', headers: [] },
  { name: 'RDMA WRITE Last', headers: [] },
  { name: 'RDMA WRITE Last with Immediate', headers: ['immediate'] },
  { name: 'RDMA WRITE Only', headers: ['reth'] },
  { name: 'RDMA WRITE Only with Immediate', headers: ['reth', 'immediate'] },
];

/** Only the reliable service has answers. */
const READS_AND_ANSWERS: readonly Operation[] = [
  { name: 'RDMA READ Request', headers: ['reth'] },
  { name: 'RDMA READ response First', headers: ['aeth'] },
  { name: 'RDMA READ response Middle', headers: [] },
  { name: 'RDMA READ response Last', headers: ['aeth'] },
  { name: 'RDMA READ response Only', headers: ['aeth'] },
  { name: 'Acknowledge', headers: ['aeth'] },
];

const UNRELIABLE = 0x20;

function named(service: string, base: number, operations: readonly Operation[]): [number, Operation][] {
  return operations.map(({ name, headers }, index) => [base + index, { name: `${service} ${name}`, headers }]);
}

/** Opcodes that are read here: reliable and unreliable connections but atomics, and congestion notifications. */
export const OPERATIONS: ReadonlyMap<number, Operation> = new Map([
  ...named('RC', 0, [...WRITES_AND_SENDS, ...READS_AND_ANSWERS]),
  ...named('UC', UNRELIABLE, WRITES_AND_SENDS),
  [OPCODE.congestionNotification, { name: 'CNP', headers: [] }],
]);
