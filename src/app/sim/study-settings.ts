/** The parts of a simulation that a study's profile and fabric decide: buffers, packets, what hosts run. */
import type { EventQueue } from '../../simulator/engine/event-queue.js';
import { type CongestionControl, NoCongestionControl } from '../../simulator/hosts/congestion-control.js';
import { Ns3Dcqcn } from '../../simulator/hosts/dcqcn-ns3.js';
import { PaperDcqcn } from '../../simulator/hosts/dcqcn-paper.js';
import { GoBackN } from '../../simulator/hosts/go-back-n.js';
import { Irn } from '../../simulator/hosts/irn.js';
import { PlacingNic } from '../../simulator/hosts/placing-nic.js';
import type { QueuePairs } from '../../simulator/hosts/queue-pairs.js';
import type { Reliability } from '../../simulator/hosts/reliability.js';
import type { FabricSettings } from '../../simulator/network/fabric-simulation.js';
import { headroomOf } from '../../simulator/network/ns3-profile.js';
import type { Topology } from '../../simulator/network/topology.js';
import { classOf } from '../../simulator/network/traffic-classes.js';
import type { Profile } from './profiles.js';

export function settingsOf(
  topology: Topology,
  profile: Profile,
): Omit<FabricSettings, 'seed' | 'forwarding' | 'scheme'> {
  const { classes, marks } = profile;
  return {
    topology,
    buffer: profile.buffer,
    switches: profile.switches,
    headroom: headroomIn(topology, profile),
    sizes: profile.sizes,
    answerClasses: {
      acknowledgement: classOf(marks.acknowledgement, classes),
      notice: classOf(marks.notice, classes),
    },
    reliability: (queuePairs, events) => reliabilityOf(profile, queuePairs, events),
    congestion: (queuePairs, events) => congestionOf(profile, queuePairs, events),
  };
}

/** Of each port its headroom, octets. */
export function headroomIn({ links }: Topology, { buffer, sizes, headroom }: Profile): (port: number) => number {
  if (!buffer.pfc) return () => 0;
  return (port) => headroom ?? headroomOf(links[port >> 1]!, sizes.payload + sizes.overhead);
}

function reliabilityOf({ reliability, sizes }: Profile, queuePairs: QueuePairs, events: EventQueue): Reliability {
  if (reliability === 'irn') return new Irn(queuePairs, sizes.payload);
  return reliability === 'placing' ? new PlacingNic(queuePairs) : new GoBackN(queuePairs, events);
}

function congestionOf({ congestion, dcqcn }: Profile, queuePairs: QueuePairs, events: EventQueue): CongestionControl {
  if (congestion === 'none') return new NoCongestionControl();
  return dcqcn.kind === 'echo'
    ? new Ns3Dcqcn(queuePairs, events, dcqcn.parameters)
    : new PaperDcqcn(queuePairs, events, dcqcn.parameters);
}
