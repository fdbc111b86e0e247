/** The router's configuration in the language of each implementation: the same sessions, the same policies. Pure. */
import { stringify } from 'yaml';
import { FIRST_AS, ROUTER, ROUTER_AS, ROUTER_ID, routerAddress } from './plan.js';
import type { RouterSetup } from './subject.js';

const FAMILIES = ['ipv6', 'ipv4'] as const;

/** What a changed policy adds to every route. */
const MARK = [65000, 1] as const;

export interface HeddleOptions {
  readonly controlSocket: string;
  /** The policy is the changed one. */
  readonly marking?: boolean;
}

export function heddleConfig(setup: RouterSetup, { controlSocket, marking = false }: HeddleOptions): string {
  const { exports, holdTime, kernel } = setup;
  return stringify({
    name: ROUTER,
    role: 'spine',
    as: ROUTER_AS,
    'router-id': ROUTER_ID,
    timers: { hold: holdTime },
    ...(!kernel && { fib: { install: false } }),
    'peer-groups': {
      all: { 'remote-as': 'external', import: 'in', export: exports ? 'all' : 'none', passive: true },
    },
    ...(setup.links.length > 0 && {
      fabric: Object.fromEntries(setup.links.map((name) => [name, { 'accept-remote-as': [acceptedRange(setup)] }])),
    }),
    neighbors: Object.fromEntries(
      setup.ends.map(({ address, family }) => [address, { 'peer-group': 'all', families: [family] }]),
    ),
    policies: {
      in: [{ ...(marking && { set: { communities: { add: [MARK.join(':')] } } }), action: 'accept' }],
      ...(exports ? { all: [{ action: 'accept' }] } : { none: [{ action: 'reject' }] }),
    },
    'control-socket': controlSocket,
  });
}

function acceptedRange({ links }: RouterSetup): string {
  return `${FIRST_AS}-${FIRST_AS + links.length - 1}`;
}

/** With no kernel to write to, bgpd alone: it is started with `-n`, without zebra. */
export function frrConfig({ ends, links, family, exports, holdTime, changeable }: RouterSetup): string {
  return [
    'frr defaults datacenter',
    `hostname ${ROUTER}`,
    'service integrated-vtysh-config',
    // What is told by hand, and once: not after 5 seconds by itself too.
    ...(changeable ? ['bgp route-map delay-timer 0', 'route-map in permit 10'] : []),
    'route-map none deny 10',
    ...links.flatMap((name) => [`interface ${name}`, ' ipv6 nd ra-interval 3', ' no ipv6 nd suppress-ra', 'exit']),
    `router bgp ${ROUTER_AS}`,
    ` bgp router-id ${ROUTER_ID}`,
    ' no bgp ebgp-requires-policy',
    ' no bgp default ipv4-unicast',
    ` timers bgp ${holdTime / 3} ${holdTime}`,
    ...ends.flatMap(({ address, asn }) => [` neighbor ${address} remote-as ${asn}`, ` neighbor ${address} passive`]),
    ...links.map((name) => ` neighbor ${name} interface remote-as external`),
    ...FAMILIES.flatMap((one) => [
      ` address-family ${one} unicast`,
      '  maximum-paths 1',
      ...ends
        .filter((end) => end.family === one)
        .flatMap(({ address }) => [
          `  neighbor ${address} activate`,
          ...(exports ? [] : [`  neighbor ${address} route-map none out`]),
          ...(changeable && one === family
            ? [`  neighbor ${address} soft-reconfiguration inbound`, `  neighbor ${address} route-map in in`]
            : []),
        ]),
      ...(one === family ? links.map((name) => `  neighbor ${name} activate`) : []),
      ' exit-address-family',
    ]),
    'exit',
    '',
  ].join('\n');
}

/** For vtysh. */
export function frrPolicyChange({ family }: RouterSetup): readonly string[] {
  return [
    'configure terminal',
    'route-map in permit 10',
    `set community ${MARK.join(':')} additive`,
    'end',
    `clear bgp ${family} unicast * soft in`,
  ];
}

export function birdConfig(setup: RouterSetup, { marking = false }: { readonly marking?: boolean } = {}): string {
  const { exports, holdTime, kernel, changeable } = setup;
  const mark = marking ? `bgp_community.add((${MARK.join(', ')})); ` : '';
  return [
    `router id ${ROUTER_ID};`,
    'log stderr all;',
    'protocol device { scan time 10; }',
    ...(kernel ? [`protocol kernel { ${setup.family} { import none; export all; }; }`] : []),
    `filter marked { ${mark}accept; }`,
    ...setup.ends.map(
      ({ number, address, asn, family }) =>
        `protocol bgp p${number} { local ${routerAddress(family)} as ${ROUTER_AS}; neighbor ${address} as ${asn}; passive; ` +
        `hold time ${holdTime}; ${family} { import filter marked; export ${exports ? 'all' : 'none'};` +
        `${changeable ? ' import table on;' : ''} }; }`,
    ),
    '',
  ].join('\n');
}

const GOBGP_STATEMENT = 'every-route';

export function gobgpConfig({ ends, exports, holdTime, changeable }: RouterSetup): string {
  return [
    '[global.config]',
    `as = ${ROUTER_AS}`,
    `router-id = "${ROUTER_ID}"`,
    ...(exports && !changeable ? [] : ['[global.apply-policy.config]']),
    ...(exports ? [] : ['default-export-policy = "reject-route"']),
    ...(changeable
      ? [
          'import-policy-list = ["in"]',
          'default-import-policy = "accept-route"',
          '[[policy-definitions]]',
          'name = "in"',
          '[[policy-definitions.statements]]',
          `name = "${GOBGP_STATEMENT}"`,
          '[policy-definitions.statements.actions]',
          'route-disposition = "accept-route"',
        ]
      : []),
    ...ends.flatMap(({ address, asn, family }) => [
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

/** For gobgp, in this order. */
export function gobgpPolicyChange({ family }: RouterSetup): readonly (readonly string[])[] {
  return [
    ['policy', 'statement', GOBGP_STATEMENT, 'add', 'action', 'community', 'add', MARK.join(':')],
    ['neighbor', 'all', 'softresetin', '-a', family],
  ];
}
