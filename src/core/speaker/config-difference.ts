/**
 * What separates a running configuration from the one that is to run: by interface and by prefix, so that only what changed is
 * touched. Pure. Whatever has no way to change while it runs needs a restart, and says so.
 */
import { equalPrefixes } from '../net/prefix.js';
import type {
  AdvertisedPrefix,
  FabricInterfaceConfig,
  HostInterfaceConfig,
  NeighbourConfig,
  SpeakerConfig,
} from './config.js';

export interface ConfigDifference {
  readonly fabric: SetDifference<FabricInterfaceConfig>;
  readonly neighbours: SetDifference<NeighbourConfig>;
  readonly hosts: SetDifference<HostInterfaceConfig>;
  readonly advertise: SetDifference<AdvertisedPrefix>;
  readonly timers: boolean;
}

/** `changed` has the new values. */
export interface SetDifference<T> {
  readonly added: readonly T[];
  readonly removed: readonly T[];
  readonly changed: readonly T[];
}

/** The last one is asked for at a start alone. */
const LIVE: readonly string[] = ['fabric', 'neighbours', 'hosts', 'advertise', 'timers', 'waitForConvergence'];
/** Names in the configuration file of those that are called otherwise here. */
const FILE_KEYS: Readonly<Record<string, string>> = {
  asn: 'as',
  identifier: 'router-id',
  manageSwitches: 'sysctl',
  useLinkBandwidth: 'link-bandwidth',
  balancing: 'load-balancing',
};

/** Keys of the configuration file that differ and that only a restart changes. */
export function needsRestart(before: SpeakerConfig, after: SpeakerConfig): readonly string[] {
  const old = new Map<string, unknown>(Object.entries(before));
  const next = new Map<string, unknown>(Object.entries(after));
  return [...new Set([...old.keys(), ...next.keys()])]
    .filter((key) => !LIVE.includes(key) && !sameValue(old.get(key), next.get(key)))
    .map((key) => FILE_KEYS[key] ?? key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
}

export function configDifference(before: SpeakerConfig, after: SpeakerConfig): ConfigDifference {
  const sameName = (a: { name: string }, b: { name: string }) => a.name === b.name;
  return {
    fabric: setDifference(before.fabric, after.fabric, sameName),
    neighbours: setDifference(before.neighbours ?? [], after.neighbours ?? [], sameName),
    hosts: setDifference(before.hosts, after.hosts, sameName),
    advertise: prefixDifference(before.advertise, after.advertise),
    timers: !sameValue(before.timers, after.timers),
  };
}

export function prefixDifference<T extends AdvertisedPrefix>(
  before: readonly T[],
  after: readonly T[],
): SetDifference<T> {
  return setDifference(before, after, (a, b) => equalPrefixes(a.prefix, b.prefix));
}

/** A line for each change, for people. */
export function describeDifference({
  fabric,
  neighbours,
  hosts,
  advertise,
  timers,
}: ConfigDifference): readonly string[] {
  return [
    ...describeSet(fabric, ({ name }) => `fabric interface ${name}`),
    ...describeSet(neighbours, ({ name }) => `neighbor ${name}`),
    ...describeSet(hosts, ({ name }) => `host interface ${name}`),
    ...(advertise.added.length > 0 ? [`advertised prefixes: ${advertise.added.length} added`] : []),
    ...(advertise.removed.length > 0 ? [`advertised prefixes: ${advertise.removed.length} removed`] : []),
    ...(advertise.changed.length > 0 ? [`advertised prefixes: ${advertise.changed.length} changed`] : []),
    ...(timers ? ['timers changed; sessions that are up keep theirs'] : []),
  ];
}

function describeSet<T>({ added, removed, changed }: SetDifference<T>, name: (item: T) => string): string[] {
  return [
    ...added.map((item) => `${name(item)} added`),
    ...removed.map((item) => `${name(item)} removed`),
    ...changed.map((item) => `${name(item)} changed`),
  ];
}

function setDifference<T>(before: readonly T[], after: readonly T[], same: (a: T, b: T) => boolean): SetDifference<T> {
  const counterpart = (item: T, others: readonly T[]) => others.find((other) => same(item, other));
  return {
    added: after.filter((item) => !counterpart(item, before)),
    removed: before.filter((item) => !counterpart(item, after)),
    changed: after.filter((item) => {
      const old = counterpart(item, before);
      return old !== undefined && !sameValue(old, item);
    }),
  };
}

/** Of configuration values: scalars, octets, lists and records. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const first = new Map<string, unknown>(Object.entries(a));
  const second = new Map<string, unknown>(Object.entries(b));
  const keys = [...new Set([...first.keys(), ...second.keys()])];
  return Array.isArray(a) === Array.isArray(b) && keys.every((key) => sameValue(first.get(key), second.get(key)));
}
