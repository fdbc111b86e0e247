/** The router's configuration in the language of each implementation: the same sessions, nothing put into the kernel. Pure. */
import { stringify } from 'yaml';
import { ROUTER, ROUTER_AS, ROUTER_ID, routerAddress, type SessionEnd, sessionEnd } from './plan.js';
import type { RouterSetup } from './subject.js';

const ends = ({ family, sessions }: RouterSetup): readonly SessionEnd[] =>
  Array.from({ length: sessions }, (_, index) => sessionEnd(family, index + 1));

export function heddleConfig(setup: RouterSetup, controlSocket: string): string {
  const { family, exports, holdTime } = setup;
  return stringify({
    name: ROUTER,
    role: 'spine',
    as: ROUTER_AS,
    'router-id': ROUTER_ID,
    families: [family],
    timers: { hold: holdTime },
    fib: { install: false },
    'peer-groups': {
      all: { 'remote-as': 'external', import: 'all', export: exports ? 'all' : 'none', passive: true },
    },
    neighbors: Object.fromEntries(ends(setup).map(({ address }) => [address, { 'peer-group': 'all' }])),
    policies: { all: [{ action: 'accept' }], none: [{ action: 'reject' }] },
    'control-socket': controlSocket,
  });
}

/** bgpd alone: it is started with `-n`, without zebra. */
export function frrConfig(setup: RouterSetup): string {
  const { family, exports, holdTime } = setup;
  return [
    'frr defaults datacenter',
    `hostname ${ROUTER}`,
    'service integrated-vtysh-config',
    'route-map none deny 10',
    `router bgp ${ROUTER_AS}`,
    ` bgp router-id ${ROUTER_ID}`,
    ' no bgp ebgp-requires-policy',
    ' no bgp default ipv4-unicast',
    ` timers bgp ${holdTime / 3} ${holdTime}`,
    ...ends(setup).flatMap(({ address, asn }) => [
      ` neighbor ${address} remote-as ${asn}`,
      ` neighbor ${address} passive`,
    ]),
    ` address-family ${family} unicast`,
    '  maximum-paths 1',
    ...ends(setup).flatMap(({ address }) => [
      `  neighbor ${address} activate`,
      ...(exports ? [] : [`  neighbor ${address} route-map none out`]),
    ]),
    ' exit-address-family',
    'exit',
    '',
  ].join('\n');
}

export function birdConfig(setup: RouterSetup): string {
  const { family, exports, holdTime } = setup;
  return [
    `router id ${ROUTER_ID};`,
    'log stderr all;',
    'protocol device { scan time 10; }',
    ...ends(setup).map(
      ({ address, asn }, index) =>
        `protocol bgp p${index + 1} { local ${routerAddress(family)} as ${ROUTER_AS}; neighbor ${address} as ${asn}; passive; ` +
        `hold time ${holdTime}; ${family} { import all; export ${exports ? 'all' : 'none'}; }; }`,
    ),
    '',
  ].join('\n');
}

export function gobgpConfig(setup: RouterSetup): string {
  const { family, exports, holdTime } = setup;
  return [
    '[global.config]',
    `as = ${ROUTER_AS}`,
    `router-id = "${ROUTER_ID}"`,
    ...(exports ? [] : ['[global.apply-policy.config]', 'default-export-policy = "reject-route"']),
    ...ends(setup).flatMap(({ address, asn }) => [
      '[[neighbors]]',
      '[neighbors.config]',
      `neighbor-address = "${address}"`,
      `peer-as = ${asn}`,
      '[neighbors.transport.config]',
      'passive-mode = true',
      '[neighbors.timers.config]',
      `hold-time = ${holdTime}`,
      `keepalive-interval = ${holdTime / 3}`,
      '[[neighbors.afi-safis]]',
      '[neighbors.afi-safis.config]',
      `afi-safi-name = "${family}-unicast"`,
    ]),
    '',
  ].join('\n');
}
