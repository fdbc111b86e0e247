/**
 * Links of a lab that carry no more than so many bits a second: a token bucket (tc-tbf) at either end, under the handle 1:, so
 * that what else is put on an interface (a silence) goes inside it and leaves it alone. Pure.
 */
import type { Endpoint, LabPlan, PlannedLink } from './plan.js';

const UNITS = { kbit: 1e3, mbit: 1e6, gbit: 1e9 } as const;
const PATTERN = /^([1-9]\d{0,6})(kbit|mbit|gbit)$/;
export const RATE_EXPECTED = 'expected a rate such as 50mbit (kbit, mbit, gbit)';
/** Less would hold sessions up. */
const LEAST_RATE = 100e3;

/** Bits a second; `undefined` when the text is no rate, or too low a one for routers to talk over. */
export function parseRate(text: string): number | undefined {
  const match = PATTERN.exec(text);
  const rate = match ? Number(match[1]) * UNITS[match[2] as keyof typeof UNITS] : 0;
  return rate >= LEAST_RATE ? rate : undefined;
}

/** `50mbit`. */
export function formatRate(rate: number): string {
  for (const unit of ['gbit', 'mbit', 'kbit'] as const)
    if (rate >= UNITS[unit] && rate % UNITS[unit] === 0) return `${rate / UNITS[unit]}${unit}`;
  return `${rate}bit`;
}

/** Of what leaves by either end of the link; `undefined`: as fast as the machine is. */
export function rateOf({ topology, hosts }: LabPlan, { b }: PlannedLink): number | undefined {
  return hosts.some((host) => host.name === b.node) ? topology.hostRate : topology.linkRate;
}

/** Milliseconds at the rate: what may pass at once, so that late timers lose nothing, and what may wait, so that bursts do not. */
const BURST_TIME = 4;
const QUEUE_TIME = 250;
/** Octets. Room for one large packet, and for the windows of a few subflows. */
const LEAST_BURST = 10_000;
const LEAST_QUEUE = 256_000;

/** Line of a `tc` batch, for one end. */
export function rateCommand({ interface: name }: Endpoint, rate: number): string {
  const octets = (milliseconds: number, least: number) => Math.max(least, Math.ceil((rate / 8000) * milliseconds));
  const burst = octets(BURST_TIME, LEAST_BURST);
  return `qdisc replace dev ${name} root handle 1: tbf rate ${rate}bit burst ${burst} limit ${octets(QUEUE_TIME, LEAST_QUEUE)}`;
}

/** containerlab's own command for the same, whatever tools the images have. */
export function containerlabRates(plan: LabPlan, endpoint: (end: Endpoint) => Endpoint): string[] {
  return plan.links.flatMap((link) => {
    const rate = rateOf(plan, link);
    if (rate === undefined) return [];
    return [link.a, link.b].map(endpoint).map(({ node, interface: name }) => {
      const container = `clab-${plan.topology.name}-${node}`;
      return `containerlab tools netem set -n ${container} -i ${name} --rate ${Math.round(rate / 1000)}`;
    });
  });
}
