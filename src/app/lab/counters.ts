/** Which links really carry a packet: the kernel's interface counters before and after a burst. */
import type { Colour } from '../../core/speaker/config.js';
import { run } from './command.js';
import { findHost } from './hosts.js';
import { findRouter, type Lab, namespaceOf } from './lab.js';
import { colourFlow, prepareBurst } from './probe.js';

export interface PacketCounters {
  readonly received: number;
  readonly sent: number;
}

export interface InterfaceCounters extends PacketCounters {
  readonly receivedOctets: number;
  readonly sentOctets: number;
}

interface LinkJson {
  readonly ifname: string;
  readonly stats64?: { readonly rx: { readonly packets: number }; readonly tx: { readonly packets: number } };
}

/** By interface name. */
export async function packetCounters(lab: Lab, node: string): Promise<ReadonlyMap<string, PacketCounters>> {
  const output = await run('ip', ['-n', namespaceOf(lab, node), '-j', '-s', 'link', 'show']);
  const links: readonly LinkJson[] = JSON.parse(output);
  return new Map(
    links.map((link) => [
      link.ifname,
      { received: link.stats64?.rx.packets ?? 0, sent: link.stats64?.tx.packets ?? 0 },
    ]),
  );
}

interface QueueJson {
  readonly dev: string;
  readonly root?: boolean;
  readonly packets: number;
  readonly drops: number;
  readonly qlen: number;
}

/** By interface with a queue: packets that it was given since it has this queue, those included for which there was no room. */
export async function offeredPackets(namespace: string): Promise<ReadonlyMap<string, number>> {
  const queues: readonly QueueJson[] = JSON.parse(await run('tc', ['-n', namespace, '-s', '-j', 'qdisc', 'show']));
  return new Map(
    queues.filter(({ root }) => root).map(({ dev, packets, drops, qlen }) => [dev, packets + drops + qlen]),
  );
}

export interface PathReport {
  readonly burst: number;
  /** Packets of the burst's time by uplink of the first host's leaf, and of the other's as they came in. */
  readonly sent: ReadonlyMap<string, number>;
  readonly received: ReadonlyMap<string, number>;
  /** Uplinks of the first leaf that carried a share of the burst, and those of the other that it came in by. */
  readonly carriers: readonly string[];
  readonly arrivals: readonly string[];
}

export interface PathQuestion {
  readonly from: string;
  readonly to: string;
  readonly colour: Colour;
}

/** Nobody listens there: a probe that is running must not take the burst for its own. */
const DISCARD_PORT = 9;
/** Enough ports that each of three uplinks has its share but for once in 10^17 bursts, and each of four but for once in 10^9. */
const BURST = { count: 2048, ports: 256 };
/** Less than this is the chatter of the daemons, or a probe's flow of one datagram a millisecond. */
const SHARE = 0.1;

/** Sends a burst from many source ports between the hosts' addresses of a colour, and says which uplinks it took. */
export async function pathOf(lab: Lab, { from, to, colour }: PathQuestion): Promise<PathReport> {
  const flow = await colourFlow(lab, { from, to, colour });
  const leaves = [findHost(lab, from).leaf, findHost(lab, to).leaf] as const;
  const send = await prepareBurst(namespaceOf(lab, from), { ...flow, port: DISCARD_PORT }, BURST);
  const before = await Promise.all(leaves.map((leaf) => packetCounters(lab, leaf)));
  await send();
  const after = await Promise.all(leaves.map((leaf) => packetCounters(lab, leaf)));
  const difference = (index: 0 | 1, key: keyof PacketCounters) =>
    new Map(
      findRouter(lab, leaves[index]).fabric.map(({ interface: name }) => [
        name,
        (after[index]?.get(name)?.[key] ?? 0) - (before[index]?.get(name)?.[key] ?? 0),
      ]),
    );
  const sent = difference(0, 'sent');
  const received = difference(1, 'received');
  return { burst: BURST.count, sent, received, carriers: sharers(sent), arrivals: sharers(received) };
}

function sharers(packets: ReadonlyMap<string, number>): string[] {
  return [...packets].filter(([, count]) => count >= BURST.count * SHARE).map(([name]) => name);
}
