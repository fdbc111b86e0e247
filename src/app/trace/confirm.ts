/**
 * Whether packets really go the way that the kernels' tables say: a burst of the subflow's own five-tuple, and the counters of every
 * interface before and after it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type PacketCounters, packetCounters } from '../lab/counters.js';
import { type Lab, namespaceOf } from '../lab/lab.js';
import { prepareBurst } from '../lab/probe.js';
import type { Followed } from './follow.js';
import { type Burst, type Counters, judge } from './judge.js';
import type { FlowTuple } from './lookup.js';

const DATAGRAMS = 500;
/** Counters are read again until the burst has arrived, or nothing moves. */
const REREADS = { count: 20, pause: 50 };

export async function confirm(
  lab: Lab,
  flow: FlowTuple,
  ends: { readonly from: string; readonly to: string },
  followed: Followed,
): Promise<Burst> {
  const { source, destination, sourcePort, destinationPort: port } = flow;
  const send = await prepareBurst(
    namespaceOf(lab, ends.from),
    { name: 'trace', source, destination, port },
    { count: DATAGRAMS, ports: 1, sourcePort },
  );
  const before = await allCounters(lab);
  await send();
  let after = await allCounters(lab);
  let burst = judge({ plan: lab.plan, followed, to: ends.to, sent: DATAGRAMS }, before, after);
  for (let reread = 0; reread < REREADS.count && burst.arrived < DATAGRAMS; reread++) {
    await sleep(REREADS.pause);
    after = await allCounters(lab);
    const next = judge({ plan: lab.plan, followed, to: ends.to, sent: DATAGRAMS }, before, after);
    if (next.arrived === burst.arrived && reread > 2) break;
    burst = next;
  }
  return burst;
}

async function allCounters(lab: Lab): Promise<Counters> {
  const names = [...lab.plan.routers, ...lab.plan.hosts].map(({ name }) => name);
  const read = async (name: string): Promise<readonly [string, ReadonlyMap<string, PacketCounters>]> => [
    name,
    await packetCounters(lab, name),
  ];
  return new Map(await Promise.all(names.map(read)));
}
