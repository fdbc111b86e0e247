/** The one clock that processes of a machine share, so that a time told by one means the same to another. */

/** Milliseconds of CLOCK_MONOTONIC. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
