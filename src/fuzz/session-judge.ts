/**
 * What a stream of octets makes of an established session, as a second opinion beside framer, decoders and machine: RFC 4271
 * section 6.1 for the headers, section 6.5 for what comes out of turn, RFC 8654 for the sizes, RFC 7606 for UPDATEs.
 */
import { DUE, type JudgeContext, Rfc7606Judge } from './rfc7606-judge.js';

const HEADER = 19;
const MOST_OCTETS = 65535;
const MOST_OPEN_OCTETS = 4096;
/** By message type, from 1 on. */
const LEAST_OCTETS = [0, 29, 23, 21, 19, 19];
const [OPEN, UPDATE, NOTIFICATION, KEEPALIVE] = [1, 2, 3, 4];

/** `code/subcode`s of which one must end the session; `closed` without a NOTIFICATION; `kept`. Several where the RFCs leave a choice. */
export type Ends = readonly string[];

export function endsOf(stream: Uint8Array, context: JudgeContext): Ends {
  const judge = new Rfc7606Judge();
  for (let at = 0; at + HEADER <= stream.length; ) {
    const length = stream[at + 16]! * 256 + stream[at + 17]!;
    const type = stream[at + 18]!;
    const wrong = headerFaults(stream, at, { length, type });
    if (wrong.length > 0) return wrong;
    if (at + length > stream.length) break;
    if (type === OPEN) return openFaults();
    if (type === NOTIFICATION) return ['closed'];
    if (type === UPDATE) {
      const { due, subcodes, mayIgnore } = judge.judge(stream.subarray(at + HEADER, at + length), context);
      if (due === DUE.reset && mayIgnore) return [];
      if (due === DUE.reset) return subcodesOf(subcodes);
    }
    at += length;
  }
  return ['kept'];
}

function headerFaults(
  stream: Uint8Array,
  at: number,
  { length, type }: { readonly length: number; readonly type: number },
): string[] {
  const faults: string[] = [];
  if (stream.subarray(at, at + 16).some((octet) => octet !== 0xff)) faults.push('1/1');
  const least = LEAST_OCTETS[type];
  if (least === undefined || type === 0) faults.push('1/3');
  const most = type === OPEN ? MOST_OPEN_OCTETS : type === KEEPALIVE ? HEADER : MOST_OCTETS;
  if (length < (least ?? HEADER) || length < HEADER || length > most) faults.push('1/2');
  return faults;
}

/** Section 6.5; one that is malformed as well may be answered for that (section 6.2). */
function openFaults(): string[] {
  return ['5/3', ...[0, 1, 2, 3, 4, 6, 7].map((subcode) => `2/${subcode}`)];
}

function subcodesOf(bits: number): string[] {
  return Array.from({ length: 16 }, (_, subcode) => subcode)
    .filter((subcode) => (bits & (1 << subcode)) !== 0)
    .map((subcode) => `3/${subcode}`);
}
