/** How the kernel keeps the time of day: adjtimex(2) that sets nothing (linux/timex.h). Read on 64-bit machines alone. */
import { loadKoffi } from '../native.js';
import { LITTLE_ENDIAN, viewOf } from '../rtnetlink/attributes.js';

/** struct timex with 64-bit words: modes at 0, maxerror at 24, status at 40. */
const TIMEX = { octets: 256, maximalError: 24, status: 40 } as const;
const STA_UNSYNC = 0x40;
const WIDE = ['x64', 'arm64', 'riscv64', 'loong64', 'ppc64', 's390x'];

export interface KernelClock {
  /** Somebody (chrony, ntpd, systemd-timesyncd, ptp) keeps it right. */
  readonly synchronised: boolean;
  /** Microseconds, as that somebody estimates it. */
  readonly maximalError: number;
}

/** `undefined` where it cannot be told. */
export function readKernelClock(): KernelClock | undefined {
  if (!WIDE.includes(process.arch)) return undefined;
  const timex = new Uint8Array(TIMEX.octets);
  const adjtimex = loadKoffi().load(null).func('int adjtimex(void *timex)');
  if (adjtimex(timex) < 0) return undefined;
  const view = viewOf(timex);
  return {
    synchronised: (view.getInt32(TIMEX.status, LITTLE_ENDIAN) & STA_UNSYNC) === 0,
    maximalError: Number(view.getBigInt64(TIMEX.maximalError, LITTLE_ENDIAN)),
  };
}
