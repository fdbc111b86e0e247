/** What a daemon with this configuration would change on this machine: told before it does, and nothing of it done. */
import { ROUTE_PROTOCOL } from '../../core/fib/ownership.js';
import { FALLBACK_METRIC, PRIMARY_METRIC } from '../../core/fib/types.js';
import { equalBytes, formatAddress } from '../../core/net/address.js';
import { counted, countedPrefixes } from '../../core/net/counted.js';
import { formatPrefix } from '../../core/net/prefix.js';
import type { ForwardingSwitch } from '../../edge/linux/forwarding-switches.js';
import type { DaemonConfig } from '../config/daemon-config.js';
import { type Finding, ok } from './finding.js';
import { type NamedLink, type SwitchState, switchName } from './link-checks.js';

export interface Present {
  /** The daemon may set switches, and can. */
  readonly manage: boolean;
  readonly switches: readonly ForwardingSwitch[];
  readonly links: readonly NamedLink[];
  readonly wrong: ReadonlyMap<string, readonly SwitchState[]>;
}

export function changesOf(config: DaemonConfig, present: Present): Finding[] {
  return [
    ...(present.manage ? switchChanges(present) : []),
    ...addressChanges(config, present.links),
    ...advertisementChanges(config),
    ...routeChanges(config),
    ...(config.plane
      ? [ok('changes', `attaches programs to ${namesOf(config).join(', ')}; they end with the daemon`)]
      : []),
    ok('changes', `listens on TCP port ${config.speaker.port}, and on ${config.controlSocket}`),
  ];
}

function switchChanges({ switches, wrong }: Present): Finding[] {
  const global = switches
    .filter(({ before, value }) => before !== undefined && before !== value)
    .map(({ name, before, value }) => ok('changes', `sets ${name} from ${before} to ${value}; it stays so`));
  const ofLinks = [...wrong].flatMap(([link, found]) =>
    found.map(({ name, before, value }) =>
      ok('changes', `sets ${switchName(link, name)} from ${before} to ${value}; it stays so`, link),
    ),
  );
  return [...global, ...ofLinks];
}

function addressChanges({ speaker }: DaemonConfig, links: readonly NamedLink[]): Finding[] {
  return speaker.hosts.flatMap(({ name, prefixes }) => {
    const there = links.find((link) => link.name === name)?.state?.addresses ?? [];
    return prefixes
      .filter(({ gateway }) => !there.some(({ address }) => equalBytes(address, gateway)))
      .map(({ gateway, prefix }) =>
        ok('changes', `adds ${formatAddress(gateway)}/${prefix.length}, and takes it away when it stops`, name),
      );
  });
}

function advertisementChanges({ speaker: { fabric, hosts } }: DaemonConfig): Finding[] {
  return [
    ...fabric.map(({ name }) => ok('changes', 'sends router advertisements without prefixes', name)),
    ...hosts.map(({ name, prefixes }) =>
      ok(
        'changes',
        `sends router advertisements: a default router, and ${prefixes.map(({ prefix }) => formatPrefix(prefix)).join(', ')}`,
        name,
      ),
    ),
  ];
}

function routeChanges({ speaker }: DaemonConfig): Finding[] {
  const sessions = speaker.fabric.length + (speaker.neighbours?.length ?? 0);
  const own = speaker.advertise.length + speaker.hosts.reduce((sum, { prefixes }) => sum + prefixes.length, 0);
  const told = ok(
    'changes',
    `announces ${countedPrefixes(own)} of its own to ${counted(sessions, 'neighbour')} at least`,
  );
  if (speaker.fib.install === false) return [told];
  const metrics = `metric ${PRIMARY_METRIC}, and ${FALLBACK_METRIC} for what takes over`;
  return [
    told,
    ok(
      'changes',
      `writes learned routes into the main tables (protocol ${ROUTE_PROTOCOL}, ${metrics}), and takes them away when it stops`,
    ),
  ];
}

function namesOf({ speaker: { fabric, hosts } }: DaemonConfig): string[] {
  return [...fabric, ...hosts].map(({ name }) => name);
}
