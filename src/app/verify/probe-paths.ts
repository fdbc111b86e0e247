/**
 * Probe packets to every prefix, counted at every hop: all hosts behind other leaves send a volley to a host's address of one colour, and
 * the interface counters of all nodes, before and after, say which links carried it.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PacketCounters } from '../lab/counters.js';
import { type HostAddress, hostAddresses } from '../lab/hosts.js';
import { JsonChild } from '../lab/json-child.js';
import { type Lab, namespaceOf, PACKAGE_ROOT } from '../lab/lab.js';
import { type CounterReading, LiveCounters } from '../lab/live-counters.js';
import type { PlannedHost } from '../lab/plan.js';
import { type Flow, linkLoads } from './link-loads.js';
import type { Prediction } from './model.js';
import type { LinkCount, ProbeReading } from './probe-differences.js';
import type { Volley, VolleyAnswer, VolleyTask } from './volley-protocol.js';

/** Enough ports that no next hop of eight goes without. */
const VOLLEY = 256;
const SOURCE_PORTS = 128;
const PORT = 33434;
const MAIN = join(PACKAGE_ROOT, 'dist', 'app', 'verify', 'volley-main.js');
/** Times that counters are read again while packets are still to come, milliseconds apart; none that came in so many is the end. */
const REREADS = { count: 100, pause: 20, still: 10 };

type Sender = JsonChild<Volley, VolleyAnswer>;

/** One reading a prefix that hosts behind other leaves can send to; prefixes of hosts without an address are named in `skipped`. */
export async function probePaths(
  lab: Lab,
  prediction: Prediction,
): Promise<{ readonly readings: readonly ProbeReading[]; readonly skipped: readonly string[] }> {
  const { hosts } = lab.plan;
  const addresses = new Map(
    await Promise.all(hosts.map(async (host) => [host.name, await hostAddresses(lab, host)] as const)),
  );
  const counters = await LiveCounters.open(lab);
  const senders = new Map(hosts.map(({ name }) => [name, startSender(lab, name)]));
  try {
    await Promise.all([...senders.values()].map((sender) => sender.expect('ready')));
    return await new Prober(lab, prediction, { addresses, senders, counters }).all();
  } finally {
    for (const sender of senders.values()) sender.end();
    counters.close();
  }
}

function startSender(lab: Lab, host: string): Sender {
  const task: VolleyTask = { count: VOLLEY, sourcePorts: SOURCE_PORTS, port: PORT };
  return new JsonChild({ title: 'the path probe', namespace: namespaceOf(lab, host), script: MAIN, task });
}

interface Equipment {
  readonly addresses: ReadonlyMap<string, readonly HostAddress[]>;
  readonly senders: ReadonlyMap<string, Sender>;
  readonly counters: LiveCounters;
}

class Prober {
  constructor(
    private readonly lab: Lab,
    private readonly prediction: Prediction,
    private readonly equipment: Equipment,
  ) {}

  async all() {
    const readings: ProbeReading[] = [];
    const skipped: string[] = [];
    for (const host of this.lab.plan.hosts) {
      for (const target of this.equipment.addresses.get(host.name) ?? []) {
        const reading = target.usable ? await this.probe(host, target) : undefined;
        if (reading) readings.push(reading);
        else skipped.push(`${host.name} ${target.prefix}`);
      }
    }
    return { readings, skipped };
  }

  private async probe(host: PlannedHost, target: HostAddress): Promise<ProbeReading | undefined> {
    const sources = this.lab.plan.hosts
      .filter(({ leaf }) => leaf !== host.leaf)
      .flatMap(({ name }) => {
        const source = this.addressFor(name, target);
        return source === undefined ? [] : [{ name, source }];
      });
    if (sources.length === 0) return undefined;
    const flows = sources.map(({ name }): Flow => ({ from: name, to: host.name, colour: target.colour, size: VOLLEY }));
    const expected = linkLoads(this.prediction, flows);
    const due = expected.cutOff.reduce((left, { size }) => left - size, flows.length * VOLLEY);
    const before = this.equipment.counters.read();
    await Promise.all(sources.map(({ name, source }) => this.fire(name, { source, destination: target.expected })));
    const links = await this.settled(before, { host: host.name, due });
    return { prefix: target.prefix, host: host.name, sent: flows.length * VOLLEY, expected, links };
  }

  private addressFor(host: string, { colour }: HostAddress): string | undefined {
    const own = this.equipment.addresses.get(host) ?? [];
    const usable = own.filter((address) => address.usable);
    return (usable.find((address) => address.colour === colour) ?? usable[0])?.expected;
  }

  private async fire(host: string, volley: Volley): Promise<void> {
    const sender = this.equipment.senders.get(host)!;
    sender.tell(volley);
    await sender.expect('sent');
  }

  /** Counted until all have arrived, or no more come. */
  private async settled(before: CounterReading, { host, due }: { host: string; due: number }): Promise<LinkCount[]> {
    let counts = this.counts(before, this.equipment.counters.read());
    for (let reread = 0, still = 0; reread < REREADS.count && still < REREADS.still; reread++) {
      if (arrivedAt(counts, host) >= due) break;
      await sleep(REREADS.pause);
      const next = this.counts(before, this.equipment.counters.read());
      still = arrivedAt(next, host) === arrivedAt(counts, host) ? still + 1 : 0;
      counts = next;
    }
    return counts;
  }

  private counts(before: CounterReading, after: CounterReading): LinkCount[] {
    const grown = (node: string, name: string, key: keyof PacketCounters) =>
      (after.get(node)?.get(name)?.[key] ?? 0) - (before.get(node)?.get(name)?.[key] ?? 0);
    return this.prediction.links.flatMap(({ name: link, a, b }) =>
      [[a, b] as const, [b, a] as const].map(([from, to]) => ({
        link,
        from: from.node,
        to: to.node,
        interface: from.interface,
        sent: grown(from.node, from.interface, 'sent'),
        received: grown(to.node, to.interface, 'received'),
      })),
    );
  }
}

function arrivedAt(counts: readonly LinkCount[], host: string): number {
  return counts.filter(({ to }) => to === host).reduce((sum, { received }) => sum + received, 0);
}
