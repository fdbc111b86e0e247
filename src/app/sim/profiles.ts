/**
 * Where the values of a study come from that it does not give; a study has one profile, and nothing of another.
 *
 * `rocev2`: an AI fabric of today (IPv6, 4,096 octets of payload, the code points of Juniper's validated design, buffers and ECN thresholds as switches
 * of 400G have them), and DCQCN by the rules of its paper with steps that grow with the line.
 * `paper`: DCQCN as in its paper ("Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015): its parameters, its marking at 40 Gb/s, its
 * switch of 12 MB; results are the paper's at 40G only.
 * `ns3-conweave`: the public ns-3 models behind HPCC and ConWeave, so that their numbers can be compared with. Their DCQCN is another one.
 */
import { NS3_CONWEAVE, type Ns3DcqcnParameters } from '../../simulator/hosts/dcqcn-ns3.js';
import {
  DCQCN_OF_LINE,
  DCQCN_PAPER,
  DCQCN_PAPER_MARKING,
  type PaperDcqcnParameters,
} from '../../simulator/hosts/dcqcn-paper.js';
import type { PacketSizes } from '../../simulator/hosts/hosts.js';
import { NS3_BUFFER, NS3_SIZES, NS3_SWITCHES } from '../../simulator/network/ns3-profile.js';
import { MOST_QUANTA } from '../../simulator/network/pause-sender.js';
import type { BufferProfile } from '../../simulator/network/shared-buffer.js';
import type { SwitchProfile } from '../../simulator/network/switches.js';
import { TRAFFIC_CLASSES, type TrafficClass } from '../../simulator/network/traffic-classes.js';

/** The two kinds of DCQCN, each with parameters of its own: by CNPs as in the paper, by bits echoed in ACKs as in the ns-3 models. */
export type Dcqcn =
  | { readonly kind: 'cnp'; readonly parameters: PaperDcqcnParameters }
  | { readonly kind: 'echo'; readonly parameters: Ns3DcqcnParameters };

/** The code points that hosts mark packets with. */
export interface Marks {
  readonly data: number;
  readonly acknowledgement: number;
  readonly notice: number;
}

export interface Profile {
  readonly sizes: PacketSizes;
  readonly buffer: BufferProfile;
  readonly switches: SwitchProfile;
  /** Octets of headroom of each port; undefined: as many as its link needs. */
  readonly headroom: number | undefined;
  readonly classes: readonly TrafficClass[];
  readonly marks: Marks;
  readonly reliability: 'go-back-n' | 'irn' | 'placing';
  readonly dcqcn: Dcqcn;
  /** How senders follow congestion; none: line rate, always. */
  readonly congestion: 'dcqcn' | 'none';
  /** Whether a fabric in which PFC may pause before ECN marks is refused. The published models run such fabrics. */
  readonly marksFirst: boolean;
}

/** Ethernet 14, IPv6 40, UDP 8, BTH 12, ICRC 4, FCS 4, and preamble and gap 20. */
const ROCE_OVERHEAD = 102;
/** The same with IPv4. */
const ROCE_IPV4_OVERHEAD = 82;
/** Octets of a pause frame: the smallest Ethernet frame, preamble and gap. */
const PAUSE_FRAME = 84;
/** A pause of 65,535 quanta at 400 Gb/s, picoseconds. */
const LONGEST_PAUSE = 83.9e6;
/** What Junos and SONiC do unless told otherwise: 200 ms. */
const WATCHDOG_TIME = 200e9;

const QUANTA = { pause: MOST_QUANTA, refresh: MOST_QUANTA / 2 };

const COMMON = {
  headroom: undefined,
  classes: TRAFFIC_CLASSES,
  marks: { data: 26, acknowledgement: 48, notice: 48 },
  reliability: 'go-back-n',
  congestion: 'dcqcn',
} as const;

export const PROFILE_NAMES = ['rocev2', 'paper', 'ns3-conweave'] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  rocev2: {
    ...COMMON,
    sizes: { payload: 4096, overhead: ROCE_OVERHEAD, answer: 84 },
    buffer: {
      size: 64 * 1024 * 1024,
      ingressAlpha: 1 / 8,
      egressAlpha: 1,
      guaranteed: 4096 + ROCE_OVERHEAD,
      reservedClasses: 1,
      resumeOffset: 2 * (4096 + ROCE_OVERHEAD),
      pfc: true,
    },
    switches: {
      marking: { minimum: 400_000, maximum: 1_600_000, probability: 0.2 },
      pauseTime: LONGEST_PAUSE,
      pauseBytes: PAUSE_FRAME,
      quanta: QUANTA,
      watchdog: { detect: WATCHDOG_TIME, restore: WATCHDOG_TIME, action: 'drop' },
    },
    dcqcn: { kind: 'cnp', parameters: DCQCN_OF_LINE },
    marksFirst: true,
  },
  paper: {
    ...COMMON,
    sizes: { payload: 1024, overhead: ROCE_IPV4_OVERHEAD, answer: 84 },
    buffer: {
      // Its Trident II: 12 MB, beta 8 over eight priorities, RESUME two packets below the threshold.
      size: 12e6,
      ingressAlpha: 1,
      egressAlpha: 1,
      guaranteed: 1024 + ROCE_IPV4_OVERHEAD,
      reservedClasses: 1,
      resumeOffset: 2 * (1024 + ROCE_IPV4_OVERHEAD),
      pfc: true,
    },
    switches: {
      marking: DCQCN_PAPER_MARKING,
      pauseTime: LONGEST_PAUSE,
      pauseBytes: PAUSE_FRAME,
      quanta: QUANTA,
    },
    dcqcn: { kind: 'cnp', parameters: DCQCN_PAPER },
    marksFirst: true,
  },
  'ns3-conweave': {
    ...COMMON,
    sizes: NS3_SIZES,
    buffer: NS3_BUFFER,
    switches: NS3_SWITCHES,
    dcqcn: { kind: 'echo', parameters: NS3_CONWEAVE },
    marksFirst: false,
  },
};
