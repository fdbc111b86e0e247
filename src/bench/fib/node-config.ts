/** The leaf's configuration in the language of each implementation: the same sessions, the same choice. Pure. */
import { stringify } from 'yaml';
import {
  HOLD_TIME,
  HOST_PORT,
  LEAF_AS,
  LEAF_ID,
  leafAddress,
  spineAddress,
  spineAs,
  UPLINKS,
  uplinkInterface,
} from './plan.js';
import type { SubjectOptions } from './subject.js';

/** Seconds that a restart may take. */
export const RESTART_TIME = 60;
/** Seconds after a restart at which routes are chosen even if a neighbour has not told all its routes. */
const SELECTION_DEFERRAL = 20;

const PLANE_LINKS = Object.fromEntries([HOST_PORT, ...UPLINKS.map(uplinkInterface)].map((name) => [name, {}]));

export function heddleConfig(options: SubjectOptions, controlSocket: string): string {
  const { uplinks, gracefulRestart, balancing, ebpf } = options;
  return stringify({
    name: 'leaf1',
    role: 'leaf',
    as: LEAF_AS,
    'router-id': LEAF_ID,
    families: ['ipv6'],
    timers: { hold: HOLD_TIME },
    'peer-groups': { spines: { 'remote-as': 'external', import: 'all', export: 'none', passive: true, aigp: true } },
    neighbors: Object.fromEntries(uplinks.map((uplink) => [spineAddress(uplink), { 'peer-group': 'spines' }])),
    policies: { all: [{ action: 'accept' }], none: [{ action: 'reject' }] },
    ...(gracefulRestart && {
      'graceful-restart': {
        restarter: true,
        'restart-time': RESTART_TIME,
        'selection-deferral': SELECTION_DEFERRAL,
      },
    }),
    ...(balancing && {
      'load-balancing': { mode: balancing, ...(balancing === 'adaptive' && { 'scan-interval': 1 }) },
    }),
    // Links between routers are found by neighbours; the host's has to be named for packets from there to be the plane's.
    ...(ebpf && { plane: 'ebpf', ebpf, fabric: PLANE_LINKS }),
    'control-socket': controlSocket,
  });
}

/** Nothing is sent to the spines: what is measured is the way in. */
export function frrConfig({ uplinks, gracefulRestart }: SubjectOptions): string {
  return [
    'frr defaults datacenter',
    'hostname leaf1',
    'service integrated-vtysh-config',
    'ipv6 prefix-list none seq 5 deny any',
    `router bgp ${LEAF_AS}`,
    ` bgp router-id ${LEAF_ID}`,
    ' no bgp ebgp-requires-policy',
    ' no bgp default ipv4-unicast',
    ' bgp bestpath as-path multipath-relax',
    ` timers bgp ${HOLD_TIME / 3} ${HOLD_TIME}`,
    ...(gracefulRestart
      ? [
          ' bgp graceful-restart',
          ' bgp graceful-restart preserve-fw-state',
          ` bgp graceful-restart restart-time ${RESTART_TIME}`,
          ` bgp graceful-restart select-defer-time ${SELECTION_DEFERRAL}`,
        ]
      : []),
    ...uplinks.flatMap((uplink) => [
      ` neighbor ${spineAddress(uplink)} remote-as ${spineAs(uplink)}`,
      ` neighbor ${spineAddress(uplink)} passive`,
    ]),
    ' address-family ipv6 unicast',
    ...uplinks.flatMap((uplink) => [
      `  neighbor ${spineAddress(uplink)} activate`,
      `  neighbor ${spineAddress(uplink)} prefix-list none out`,
    ]),
    ' exit-address-family',
    'exit',
    '',
  ].join('\n');
}

export function birdConfig({ uplinks, gracefulRestart }: SubjectOptions): string {
  return [
    `router id ${LEAF_ID};`,
    'log stderr all;',
    'protocol device { scan time 1; }',
    `protocol kernel { ipv6 { import none; export all; }; merge paths on;${gracefulRestart ? ' persist; graceful restart;' : ''} }`,
    ...uplinks.map(
      (uplink) =>
        `protocol bgp spine${uplink} { local ${leafAddress(uplink)} as ${LEAF_AS}; neighbor ${spineAddress(uplink)} as ${spineAs(uplink)}; passive; ` +
        // As soon again as the others, where the speaker ended the session.
        'error wait time 1, 4; ' +
        `hold time ${HOLD_TIME}; ${gracefulRestart ? `graceful restart on; graceful restart time ${RESTART_TIME}; ` : ''}ipv6 { import all; export none; }; }`,
    ),
    '',
  ].join('\n');
}
