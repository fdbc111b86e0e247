/**
 * FRR's configuration of a node, for the integrated vtysh file. Numbers after "FRR" are the versions whose behaviour a line answers.
 *
 * - Unnumbered: a neighbour is an interface; FRR sends RAs there and connects to whoever answers.
 * - A coloured route over a link-local next hop stays inaccessible (FRR 10.3), and colour is not passed on between EBGP
 *   peers (FRR 10.3.1): so nobody sends FRR colours (node-config.ts), and FRR sends its own to other implementations only.
 * - AIGP from an EBGP peer counts only with `oad`; an AIGP of 0 is lost or kept by version, so a spine sets it on import.
 * - AIGP is compared only when both paths carry one, so a leaf is told the preferred uplink by local preference.
 */
import {
  allPrefixes,
  type FabricPort,
  isIpv4,
  type LabPlan,
  type PlannedPrefix,
  type PlannedRouter,
  prefixText,
} from './plan.js';

const FAMILIES = [
  { name: 'ipv6 unicast', keyword: 'ipv6', has: (prefix: PlannedPrefix) => !isIpv4(prefix) },
  { name: 'ipv4 unicast', keyword: 'ip', has: isIpv4 },
] as const;

export function frrConfig(plan: LabPlan, router: PlannedRouter): string {
  const used = FAMILIES.filter((family) => allPrefixes(plan).some(family.has));
  return [
    'frr defaults datacenter',
    `hostname ${router.name}`,
    'service integrated-vtysh-config',
    'log timestamp precision 6',
    ...bfdProfile(plan),
    ...router.fabric.flatMap(fabricInterface),
    ...router.hosts.flatMap(({ interface: name, prefixes }) => hostInterface(name, prefixes)),
    `router bgp ${router.asn}`,
    ` bgp router-id ${router.routerId}`,
    ' no bgp ebgp-requires-policy',
    ' no bgp default ipv4-unicast',
    ' no bgp network import-check',
    ' bgp bestpath as-path multipath-relax',
    ' bgp bestpath aigp',
    ` timers bgp ${Math.floor(plan.topology.timers.hold / 3)} ${plan.topology.timers.hold}`,
    ...router.fabric.flatMap((port) => neighbour(plan, router, port)),
    ...used.flatMap((family) => addressFamily(router, family)),
    'exit',
    ...prefixLists(plan),
    ...(router.role === 'leaf' ? router.fabric.flatMap((port) => leafRouteMaps(plan, port)) : spineRouteMaps(router)),
    '',
  ].join('\n');
}

export const BFD_PROFILE = 'fabric';

function bfdProfile({ topology: { bfd } }: LabPlan): string[] {
  if (!bfd) return [];
  const { interval, multiplier } = bfd;
  return [
    'bfd',
    ` profile ${BFD_PROFILE}`,
    `  detect-multiplier ${multiplier}`,
    `  transmit-interval ${interval}`,
    `  receive-interval ${interval}`,
    ' exit',
    'exit',
  ];
}

function fabricInterface(port: FabricPort): string[] {
  return [`interface ${port.interface}`, ' ipv6 nd ra-interval 3', ' no ipv6 nd suppress-ra', 'exit'];
}

function hostInterface(name: string, prefixes: readonly PlannedPrefix[]): string[] {
  return [
    `interface ${name}`,
    ...prefixes.map((planned) => ` ${isIpv4(planned) ? 'ip' : 'ipv6'} address ${planned.gateway}`),
    ...prefixes.filter((planned) => !isIpv4(planned)).map((planned) => ` ipv6 nd prefix ${prefixText(planned)}`),
    ' ipv6 nd ra-interval 3',
    ' no ipv6 nd suppress-ra',
    'exit',
  ];
}

/** A leaf goes without `oad`: with it FRR does not multipath over the uplinks that are left when the preferred one fails. */
function neighbour(plan: LabPlan, router: PlannedRouter, port: FabricPort): string[] {
  const name = port.interface;
  return [
    ` neighbor ${name} interface remote-as external`,
    ` neighbor ${name} capability extended-nexthop`,
    ` neighbor ${name} aigp`,
    ...(plan.topology.bfd ? [` neighbor ${name} bfd profile ${BFD_PROFILE}`] : []),
    ...(plan.topology.password === undefined ? [] : [` neighbor ${name} password ${plan.topology.password}`]),
    ...(plan.topology.gtsm ? [` neighbor ${name} ttl-security hops 1`] : []),
    ...(router.role === 'spine' ? [` neighbor ${name} oad`] : []),
  ];
}

function addressFamily(router: PlannedRouter, family: (typeof FAMILIES)[number]): string[] {
  const own = router.hosts.flatMap((port) => port.prefixes).filter(family.has);
  return [
    ` address-family ${family.name}`,
    ...own.map((planned) => `  network ${prefixText(planned)}`),
    '  maximum-paths 64',
    ...router.fabric.flatMap((port) => [
      `  neighbor ${port.interface} activate`,
      `  neighbor ${port.interface} route-map ${inbound(port)} in`,
      ...(router.role === 'leaf' ? [`  neighbor ${port.interface} route-map OUT-${port.uplink} out`] : []),
    ]),
    ' exit-address-family',
  ];
}

function inbound(port: FabricPort): string {
  return `IN-${port.uplink}`;
}

/** One list per colour and family: the fabric's prefixes of that colour. */
function prefixLists(plan: LabPlan): string[] {
  return FAMILIES.flatMap((family) =>
    allPrefixes(plan)
      .filter(family.has)
      .map((planned) => `${family.keyword} prefix-list COLOUR-${planned.colour} permit ${prefixText(planned)}`),
  );
}

interface Clause {
  readonly name: string;
  readonly sequence: number;
  readonly colour: number;
  readonly set: readonly string[];
}

/** A route-map clause for the prefixes of one colour, in each family. */
function clause({ name, sequence, colour, set }: Clause): string[] {
  return FAMILIES.flatMap((family, index) => [
    `route-map ${name} permit ${sequence + index}`,
    ` match ${family.keyword} address prefix-list COLOUR-${colour}`,
    ...set.map((action) => ` set ${action}`),
    'exit',
  ]);
}

function leafRouteMaps(plan: LabPlan, port: FabricPort): string[] {
  const out = plan.topology.colours.flatMap((colour, index) => {
    const set = [
      ...(port.peer.implementation === 'frr' ? [] : [`extcommunity color 00:${colour}`]),
      ...(colour === port.colour ? ['aigp-metric 0'] : []),
    ];
    return clause({ name: `OUT-${port.uplink}`, sequence: (index + 1) * 10, colour, set });
  });
  return [
    ...clause({ name: inbound(port), sequence: 10, colour: port.colour, set: ['local-preference 200'] }),
    `route-map ${inbound(port)} permit 100`,
    'exit',
    // A leaf is no transit: what it learned goes nowhere.
    'bgp as-path access-list OWN permit ^$',
    ...out.map((line) => (line.startsWith('route-map') ? `${line}\n match as-path OWN` : line)),
  ];
}

function spineRouteMaps(router: PlannedRouter): string[] {
  const colours = new Map(router.fabric.map((port) => [port.uplink, port]));
  return [...colours.values()].flatMap((port) => [
    ...clause({ name: inbound(port), sequence: 10, colour: port.colour, set: ['aigp-metric 1'] }),
    `route-map ${inbound(port)} permit 100`,
    'exit',
  ]);
}
