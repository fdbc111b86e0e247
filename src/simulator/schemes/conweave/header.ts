/** What ConWeave's packets carry (SIGCOMM 2023, section 3.2): data between its leaves in words of the scheme, and its control packets. */
import { Word } from '../../network/packets.js';

/** Words of a data packet. Epochs are not reduced modulo 4 here, and times are nanoseconds in 32 bits, not microseconds in 16. */
export const DataWord = {
  /** `DataFlag` bits; 0: none of ConWeave's. */
  flags: Word.scheme,
  epoch: Word.scheme + 1,
  /** The path it takes, by its number. */
  path: Word.scheme + 2,
  /** When the source leaf sent it, and when it sent the TAIL of this epoch. */
  sentAt: Word.scheme + 3,
  tailAt: Word.scheme + 4,
} as const;

export const DataFlag = {
  /** Set in all. */
  present: 1,
  /** On the new path, behind a TAIL on the old one (phase 1). */
  rerouted: 2,
  /** Asks for an RTT_REPLY. */
  request: 4,
  /** The last on the old path. */
  tail: 8,
} as const;

/** Words of a control packet. */
export const ControlWord = { kind: Word.scheme, epoch: Word.scheme + 1, path: Word.scheme + 2 } as const;

export const ControlKind = { reply: 1, clear: 2, notify: 3 } as const;

/** Octets of a control packet on the wire: the least of Ethernet. */
export const CONTROL_BYTES = 64;

const PS_PER_NANOSECOND = 1000;

/** A moment (picoseconds) as a header has it; differences are right across its wrap. */
export function timestamp(time: number): number {
  return Math.floor(time / PS_PER_NANOSECOND) | 0;
}

/** From `earlier` to `later`, picoseconds; negative when it is the other way round. */
export function between(earlier: number, later: number): number {
  return ((later - earlier) | 0) * PS_PER_NANOSECOND;
}
