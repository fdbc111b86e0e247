/**
 * SR Linux as a spine of an exported lab: there is no SR Linux in namespaces, so a topology does not name it, the export does. The lines are the
 * `set` commands of its CLI (24.3 and newer), which containerlab applies at its start.
 *
 * - Its ports have names of their own. They are unnumbered: a link-local address, Router Advertisements, and dynamic neighbours
 *   whose AS is listed.
 * - It passes colours on and drops AIGP, as RFC 7311 section 3.2 has it for who does not know it. So the leaves behind it are told by an import
 *   policy what AIGP would have said: a colour that is the uplink's is preferred there.
 */
import { parse, stringify } from 'yaml';
import { LabError } from './command.js';
import { allPrefixes, type FabricPort, isIpv4, type LabPlan, type PlannedRouter } from './plan.js';

/** As containerlab and SR Linux write the n-th port, from 1. */
export function srLinuxPort(number: number): string {
  return `ethernet-1/${number}`;
}

/** Throws LabError where the plan asks of these nodes what the export cannot give them. */
export function checkSrLinux(plan: LabPlan, names: readonly string[]): void {
  const { dpfMode, bfd, password, gtsm } = plan.topology;
  for (const name of names) {
    const router = plan.routers.find((candidate) => candidate.name === name);
    if (router === undefined) throw new LabError(`there is no router ${name} in this topology`);
    if (router.role !== 'spine') throw new LabError(`${name} is a leaf: SR Linux is exported as a spine only`);
  }
  if (names.length === 0) return;
  if (dpfMode === 'session') throw new LabError('SR Linux keeps no colours apart, which dpf-mode: session needs');
  const asked = [bfd && 'bfd', password !== undefined && 'password', gtsm && 'gtsm'].filter(Boolean);
  if (asked.length > 0)
    throw new LabError(`${asked.join(', ')}: not exported for SR Linux; take it out of the topology`);
}

export function srLinuxConfig(plan: LabPlan, router: PlannedRouter): string {
  const ports = router.fabric.map((port, index) => ({ port, name: srLinuxPort(index + 1) }));
  const bgp = '/ network-instance default protocols bgp';
  const lines = [
    ...ports.flatMap(({ name }) => interfaceLines(name)),
    '/ network-instance default type default',
    '/ network-instance default admin-state enable',
    ...ports.map(({ name }) => `/ network-instance default interface ${name}.0`),
    `${bgp} admin-state enable`,
    `${bgp} autonomous-system ${router.asn}`,
    `${bgp} router-id ${router.routerId}`,
    // Without policies RFC 8212 lets nothing through.
    `${bgp} ebgp-default-policy import-reject-all false`,
    `${bgp} ebgp-default-policy export-reject-all false`,
    `${bgp} afi-safi ipv6-unicast admin-state enable`,
    ...(allPrefixes(plan).some(isIpv4) ? ipv4Lines(bgp) : []),
    `${bgp} group leaves admin-state enable`,
    ...ports.flatMap(({ port, name }) => neighbourLines(bgp, port, name)),
  ];
  return lines.map((line) => `set ${line}\n`).join('');
}

function interfaceLines(name: string): string[] {
  const subinterface = `/ interface ${name} subinterface 0`;
  const advertisement = `${subinterface} ipv6 router-advertisement router-role`;
  return [
    `/ interface ${name} admin-state enable`,
    `${subinterface} admin-state enable`,
    `${subinterface} ipv6 admin-state enable`,
    `${advertisement} admin-state enable`,
    `${advertisement} max-advertisement-interval 10`,
    `${advertisement} min-advertisement-interval 4`,
  ];
}

/** IPv4 routes have IPv6 next hops (RFC 8950), and IPv4 packets come in on interfaces without an IPv4 address. */
function ipv4Lines(bgp: string): string[] {
  return [
    '/ network-instance default ip-forwarding receive-ipv4-check false',
    `${bgp} afi-safi ipv4-unicast admin-state enable`,
    `${bgp} afi-safi ipv4-unicast ipv4-unicast advertise-ipv6-next-hops true`,
    `${bgp} afi-safi ipv4-unicast ipv4-unicast receive-ipv6-next-hops true`,
  ];
}

function neighbourLines(bgp: string, port: FabricPort, name: string): string[] {
  const neighbours = `${bgp} dynamic-neighbors interface ${name}.0`;
  return [`${neighbours} peer-group leaves`, `${neighbours} allowed-peer-as [ ${port.peer.asn} ]`];
}

/** What a spine of heddle adds to the AIGP 0 of a leaf. */
const METRIC = 1;

/**
 * A heddle leaf's configuration file with an import policy on each uplink to one of these spines; any other router's as it is.
 *
 * @param text YAML
 */
export function withPreferredColours(text: string, router: PlannedRouter, spines: ReadonlySet<string>): string {
  const uplinks = router.fabric.filter(({ peer }) => spines.has(peer.name));
  if (router.role !== 'leaf' || uplinks.length === 0) return text;
  const config = parse(text);
  const coloured = uplinks.filter((port) => config.fabric[port.interface].colour !== undefined);
  for (const port of coloured) {
    const policy = `prefer-${port.colour}`;
    config.fabric[port.interface].import = policy;
    config.policies = {
      ...config.policies,
      [policy]: [{ match: { colour: port.colour }, set: { aigp: METRIC }, action: 'accept' }],
    };
  }
  return stringify(config);
}
