/** The profile of a study with what the study says otherwise, and whether that can be: ECN before PFC, code points that lead into one class. */
import { pausesBeforeMarks } from '../../simulator/network/ecn-before-pfc.js';
import type { BufferProfile, MarkingProfile } from '../../simulator/network/shared-buffer.js';
import type { WatchdogProfile } from '../../simulator/network/switches.js';
import type { Topology } from '../../simulator/network/topology.js';
import { CONTROL_CLASS, classOf, LOSSLESS_CLASS, type TrafficClass } from '../../simulator/network/traffic-classes.js';
import { dcqcnWith } from './dcqcn-keys.js';
import { PROFILES, type Profile } from './profiles.js';
import { formatOctets } from './quantities.js';
import { StudyProblem } from './study-problem.js';
import { type StudyFile, studySchema } from './study-schema.js';
import { headroomIn } from './study-settings.js';

type Switches = StudyFile['switches'];

/** Throws StudyProblem. */
export function profileOf(file: StudyFile, topology: Topology): Profile {
  const merged = mergedProfile(file);
  checkMarks(merged);
  const marking = markingOf(file.switches, merged, topology);
  const profile = { ...merged, switches: { ...merged.switches, marking } };
  if (profile.marksFirst) checkMarksFirst(file.switches, profile, topology);
  return profile;
}

/** Packets that a queue has at least before it is marked, in a fabric that somebody would build. */
const PACKETS_UNMARKED = 4;

/** Throws StudyProblem when PFC may pause before ECN marks, with what would do: another threshold, or where none would, another buffer. */
function checkMarksFirst({ ecn, buffer: given }: Switches, profile: Profile, topology: Topology): void {
  const headroom = headroomIn(topology, profile);
  const reasonWith = (minimum: number, size = profile.buffer.size) =>
    pausesBeforeMarks(
      topology,
      { ...profile.buffer, size },
      { marking: { ...profile.switches.marking, minimum }, headroom },
    );
  const reason = reasonWith(profile.switches.marking.minimum);
  if (reason === undefined) return;
  const few = PACKETS_UNMARKED * (profile.sizes.payload + profile.sizes.overhead);
  if (ecn.minimum !== undefined && reasonWith(few) === undefined) {
    throw new StudyProblem(['switches', 'ecn', 'minimum'], `${reason}; or pfc-before-ecn: true runs it as it is`);
  }
  const least = leastWith((size) => reasonWith(Math.min(few, ecn.minimum ?? few), size) === undefined);
  throw new StudyProblem(
    given === undefined ? ['switches'] : ['switches', 'buffer'],
    `${reason}; expected a larger buffer, such as ${formatOctets(Math.ceil(least / 1e5) * 1e5)}`,
  );
}

/** The least number of octets, to a thousandth, with which something is so that is so with all larger ones. */
function leastWith(isSo: (octets: number) => boolean): number {
  let most = 1e5;
  while (!isSo(most) && most < Number.MAX_SAFE_INTEGER / 2) most *= 2;
  let least = most / 2;
  while (most - least > most / 1000) {
    const middle = (least + most) / 2;
    if (isSo(middle)) most = middle;
    else least = middle;
  }
  return most;
}

function mergedProfile({ profile, transport, switches }: StudyFile): Profile {
  const base = PROFILES[profile];
  const { dcqcn, 'congestion-control': control } = transport;
  const [key] = Object.keys(dcqcn);
  if (control === 'none' && key !== undefined) {
    throw new StudyProblem(
      ['transport', 'dcqcn', key],
      'no sender follows congestion here; expected congestion-control: dcqcn, or no parameters of it',
      true,
    );
  }
  const watchdog = watchdogOf(switches, base);
  const { watchdog: _, ...switching } = base.switches;
  return {
    ...base,
    sizes: {
      ...base.sizes,
      payload: transport.payload ?? base.sizes.payload,
      overhead: transport.overhead ?? base.sizes.overhead,
    },
    buffer: bufferOf(switches, base.buffer),
    switches: { ...switching, ...(watchdog && { watchdog }) },
    headroom: typeof switches.pfc === 'object' ? switches.pfc.headroom : base.headroom,
    classes: classesOf(switches, base.classes),
    marks: {
      data: transport.dscp ?? base.marks.data,
      acknowledgement: transport['ack-dscp'] ?? base.marks.acknowledgement,
      notice: transport['cnp-dscp'] ?? base.marks.notice,
    },
    reliability: transport.reliability ?? base.reliability,
    dcqcn: dcqcnWith(profile, dcqcn),
    congestion: control,
    marksFirst: base.marksFirst && !switches['pfc-before-ecn'],
  };
}

function bufferOf({ buffer, pfc, 'egress-alpha': egressAlpha }: Switches, base: BufferProfile): BufferProfile {
  const settings = typeof pfc === 'object' ? pfc : {};
  return {
    ...base,
    size: buffer ?? base.size,
    egressAlpha: egressAlpha ?? base.egressAlpha,
    ingressAlpha: settings.alpha ?? base.ingressAlpha,
    resumeOffset: settings['xon-offset'] ?? base.resumeOffset,
    pfc: pfc !== false,
  };
}

function watchdogOf({ pfc }: Switches, { switches }: Profile): WatchdogProfile | undefined {
  const given = typeof pfc === 'object' ? pfc.watchdog : undefined;
  if (given === undefined) return switches.watchdog;
  if (given === true) return switches.watchdog ?? PROFILES.rocev2.switches.watchdog;
  return given === false ? undefined : given;
}

function classesOf({ classes }: Switches, base: readonly TrafficClass[]): readonly TrafficClass[] {
  const given = [classes.control, classes['no-loss']];
  const found = base.map((one, index) => ({
    ...one,
    dscp: given[index]?.dscp ?? one.dscp,
    pcp: given[index]?.pcp ?? one.pcp,
  }));
  for (const key of ['dscp', 'pcp'] as const) {
    const twice = found[CONTROL_CLASS]![key].find((point) => found[LOSSLESS_CLASS]![key].includes(point));
    if (twice === undefined) continue;
    const name = classes['no-loss']?.[key] ? 'no-loss' : 'control';
    throw new StudyProblem(
      ['switches', 'classes', name, key],
      `${key} ${twice} leads into no-loss and into control; expected it in one of them`,
    );
  }
  return found;
}

function checkMarks({ classes, marks }: Profile): void {
  if (classOf(marks.data, classes) !== CONTROL_CLASS) return;
  throw new StudyProblem(
    ['transport', 'dscp'],
    `${marks.data} leads into the class of CNPs, which goes before everything else and is never paused; expected a code point of another class`,
  );
}

function markingOf(switches: Switches, merged: Profile, topology: Topology): MarkingProfile {
  const { minimum, maximum, probability } = switches.ecn;
  const usual = merged.marksFirst ? fittingMarking(merged, topology) : merged.switches.marking;
  const marking = {
    minimum: minimum ?? Math.min(usual.minimum, maximum ?? usual.minimum),
    maximum: maximum ?? Math.max(usual.maximum, minimum ?? 0),
    probability: probability ?? usual.probability,
  };
  if (marking.maximum >= marking.minimum) return marking;
  throw new StudyProblem(
    ['switches', 'ecn', 'maximum'],
    `${marking.maximum} octets; expected ${marking.minimum} or more, the minimum`,
  );
}

/** The profile's marking, begun earlier where the ports of a switch are many for its buffer. */
function fittingMarking(profile: Profile, topology: Topology): MarkingProfile {
  const { marking } = profile.switches;
  const headroom = headroomIn(topology, profile);
  let minimum = marking.minimum;
  while (
    minimum > 1000 &&
    pausesBeforeMarks(topology, profile.buffer, { marking: { ...marking, minimum }, headroom })
  ) {
    minimum = Math.floor(minimum * 0.8);
  }
  return { ...marking, minimum, maximum: Math.floor((marking.maximum / marking.minimum) * minimum) };
}

/** The keys of hosts and switches that a study gives, for whoever reads its results: what is not the profile's own. */
export function changedKeys({ transport, switches }: StudyFile): string[] {
  const usual = new Map(
    leaves('', { transport: studySchema.shape.transport.parse({}), switches: studySchema.shape.switches.parse({}) }),
  );
  return leaves('', { transport, switches }).flatMap(([key, value]) => (usual.get(key) === value ? [] : [key]));
}

function leaves(path: string, value: unknown): [key: string, value: unknown][] {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null || Array.isArray(value) || 'rate' in value || 'ofLine' in value) {
    return [[path, value]];
  }
  return Object.entries(value).flatMap(([key, child]) => leaves(path === '' ? key : `${path}.${key}`, child));
}
