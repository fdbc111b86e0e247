/** Whether a connection has one queue pair for every uplink, and if not, what is idle, what is shared, and why. Pure. */
import { counted, listed } from '../net/counted.js';
import type { GpuPort, PortPair, Uplink } from './gpu-port.js';

export interface Verdict {
  /** Queue pairs = addresses = uplinks, one for each. */
  readonly even: boolean;
  /** For people; the first is the sum of it. */
  readonly lines: readonly string[];
}

export function planVerdict(
  ends: PortPair,
  uplinks: readonly Uplink[],
  queuePairs: readonly { readonly uplink: Uplink }[],
): Verdict {
  const { source, destination } = ends;
  const loads = uplinks.map((uplink) => ({
    uplink,
    count: queuePairs.filter((pair) => pair.uplink.number === uplink.number).length,
  }));
  const missing = [source, destination].flatMap((port) => missingLine(port, uplinks));
  const even = missing.length === 0 && loads.every(({ count }) => count === 1);
  const addresses = Math.min(source.addresses.length, destination.addresses.length);
  const sum = [
    counted(queuePairs.length, 'queue pair'),
    counted(addresses, 'address', 'addresses'),
    counted(uplinks.length, 'uplink'),
  ];
  if (source.leaf === destination.leaf) {
    const within = `${source.host} and ${destination.host} are both behind ${source.leaf}, which forwards between them: no uplink is used`;
    return { even, lines: [within, ...missing] };
  }
  if (even) return { even, lines: [`${sum.join(' = ')}: each uplink carries one`] };
  const recommended = `${counted(uplinks.length, 'queue pair')} on as many addresses would put one on each uplink`;
  return { even, lines: [`${sum.join(', ')}: ${recommended}`, ...missing, ...loadLines(loads)] };
}

function missingLine(port: GpuPort, uplinks: readonly Uplink[]): string[] {
  const without = uplinks.filter(({ number }) => !port.addresses.some(({ uplink }) => uplink === number));
  if (without.length === 0) return [];
  return [
    `${port.host} has no usable address for ${listed(without.map(({ name, colour }) => `${name} (colour ${colour})`))}`,
  ];
}

function loadLines(loads: readonly { readonly uplink: Uplink; readonly count: number }[]): string[] {
  const name = ({ uplink }: { readonly uplink: Uplink }) => uplink.name;
  const idle = loads.filter(({ count }) => count === 0);
  const heavy = Math.max(0, ...loads.map(({ count }) => count));
  const shared = loads.filter(({ count }) => count === heavy);
  const lines: string[] = [];
  if (idle.length > 0) lines.push(`${listed(idle.map(name))} ${idle.length === 1 ? 'idles' : 'idle'}`);
  if (heavy > 1) {
    const verb = shared.length === 1 ? 'carries' : 'carry';
    const each = shared.length === 1 ? '' : ' each';
    const rest = loads.some(({ count }) => count > 0 && count < heavy) ? ', the others fewer' : '';
    lines.push(`${listed(shared.map(name))} ${verb} ${heavy}${each}${rest}`);
  }
  return lines;
}
