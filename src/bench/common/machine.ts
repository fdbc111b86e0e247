/** The machine that a benchmark ran on, for its report. */
import { cpus, release } from 'node:os';

/** `Linux 6.18; 2 x NAME OF THE CPU`. */
export function machineText(): string {
  const [cpu] = cpus();
  return `Linux ${release()}; ${cpus().length} x ${cpu?.model.trim() ?? 'CPU'}`;
}
