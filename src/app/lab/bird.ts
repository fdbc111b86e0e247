/**
 * BIRD's configuration of a node (2.x and 3.x). BIRD sends RAs (protocol radv) but does not look for neighbours with them:
 * a session waits, for any link-local address on its interface, until the other side connects. It adds at least 1 to AIGP
 * on next-hop-self (RFC 7311 section 3.4) and takes a missing one as infinite, so it needs no help to follow the colours.
 */
import {
  allPrefixes,
  type FabricPort,
  type HostPort,
  isIpv4,
  type LabPlan,
  type PlannedPrefix,
  type PlannedRouter,
  prefixText,
} from './plan.js';

const FAMILIES = [
  { name: 'ipv6', has: (prefix: PlannedPrefix) => !isIpv4(prefix) },
  { name: 'ipv4', has: isIpv4 },
] as const;
type Family = (typeof FAMILIES)[number];

/** Extended community type 3 (opaque), subtype 0x0b, as the upper half of BIRD's generic notation. */
const COLOUR_COMMUNITY = '0x030b0000';
/** An IGP metric that BIRD takes as unknown: such a route gets no AIGP of ours. */
const NO_METRIC = 0xffffffff;

export function birdConfig(plan: LabPlan, router: PlannedRouter): string {
  const used = FAMILIES.filter((family) => allPrefixes(plan).some(family.has));
  return [
    `router id ${router.routerId};`,
    'log stderr all;',
    'protocol device { scan time 1; }',
    ...bfdProtocol(plan, router),
    ...used.map((family) => kernelProtocol(router, family)),
    ...router.hosts.flatMap((port) => used.flatMap((family) => staticRoutes(port, family))),
    'protocol radv {',
    ...router.fabric.map((port) => `  interface "${port.interface}" { ${RA_TIMES} };`),
    ...router.hosts.map(hostAdvertisement),
    '}',
    ...router.fabric.flatMap((port, index) => session(plan, router, { port, index, used })),
    '',
  ].join('\n');
}

function bfdProtocol({ topology: { bfd } }: LabPlan, router: PlannedRouter): string[] {
  if (!bfd) return [];
  const times = `interval ${bfd.interval} ms; multiplier ${bfd.multiplier};`;
  const interfaces = router.fabric.map((port) => `"${port.interface}"`).join(', ');
  return [`protocol bfd fabric_bfd { interface ${interfaces} { ${times} }; }`];
}

/** A leaf merges no paths: BIRD merges without regard to AIGP, and its choice by AIGP would be lost. */
function kernelProtocol(router: PlannedRouter, family: Family): string {
  const merge = router.role === 'spine' ? 'merge paths on limit 64; ' : '';
  return `protocol kernel { ${family.name} { import none; export where source = RTS_BGP; }; ${merge}}`;
}

const RA_TIMES = 'min ra interval 3; max ra interval 4; default lifetime 30;';

function hostAdvertisement(port: HostPort): string {
  const prefixes = port.prefixes
    .filter((planned) => !isIpv4(planned))
    .map((planned) => `prefix ${prefixText(planned)};`);
  return `  interface "${port.interface}" { ${RA_TIMES} ${prefixes.join(' ')} };`;
}

function staticRoutes(port: HostPort, family: Family): string[] {
  return [
    `protocol static { ${family.name};`,
    ...port.prefixes
      .filter(family.has)
      .map(
        (planned) =>
          `  route ${prefixText(planned)} via "${port.interface}" { bgp_ext_community.add((generic, ${COLOUR_COMMUNITY}, ${planned.colour})); };`,
      ),
    '}',
  ];
}

interface SessionParts {
  readonly port: FabricPort;
  readonly index: number;
  readonly used: readonly Family[];
}

function security({ topology: { password, gtsm } }: LabPlan): string[] {
  return [...(password === undefined ? [] : [`  password "${password}";`]), ...(gtsm ? ['  ttl security on;'] : [])];
}

function session(plan: LabPlan, router: PlannedRouter, { port, index, used }: SessionParts): string[] {
  const hold = plan.topology.timers.hold;
  return [
    `protocol bgp {`,
    `  local as ${router.asn}; neighbor range fe80::/10 external; interface "${port.interface}"; dynamic name "link${index + 1}_";`,
    `  hold time ${hold}; keepalive time ${Math.floor(hold / 3)}; error wait time 1, 4; error forget time 8;${plan.topology.bfd ? ' bfd on;' : ''}`,
    ...security(plan),
    ...used.map((family) => channel(router, port, family)),
    '}',
  ];
}

function channel(router: PlannedRouter, port: FabricPort, family: Family): string {
  const aigp = router.role === 'leaf' ? 'aigp originate' : 'aigp on';
  const filter = router.role === 'leaf' ? `filter { ${leafExport(router, port, family)} }` : exportAll(port);
  return `  ${family.name} { import all; export ${filter}; ${aigp}; next hop self; extended next hop on; };`;
}

function exportAll(port: FabricPort): string {
  return port.peer.implementation === 'frr' ? `filter { ${WITHOUT_COLOUR} accept; }` : 'all';
}

const WITHOUT_COLOUR = `bgp_ext_community.delete([(generic, ${COLOUR_COMMUNITY}, *)]);`;

/** A leaf is no transit; AIGP goes on its prefixes of this uplink's colour only. */
function leafExport(router: PlannedRouter, port: FabricPort, family: Family): string {
  const preferred = router.hosts
    .flatMap((host) => host.prefixes)
    .filter((planned) => family.has(planned) && planned.colour === port.colour)
    .map(prefixText);
  return [
    'if source != RTS_STATIC then reject;',
    ...(port.peer.implementation === 'frr' ? [WITHOUT_COLOUR] : []),
    `if net ~ [ ${preferred.join(', ')} ] then igp_metric = 0; else igp_metric = ${NO_METRIC};`,
    'accept;',
  ].join(' ');
}
