/**
 * A lab plan as a containerlab topology (https://containerlab.dev) with the configuration files that it binds. Pure: yields
 * the files, writes none. Hosts get eth1: eth0 is containerlab's management network.
 */
import { stringify } from 'yaml';
import { containerlabRates } from './link-rate.js';
import { nodeConfig } from './node-config.js';
import { type Endpoint, isIpv4, type LabPlan, type PlannedHost, type PlannedRouter } from './plan.js';
import { checkSrLinux, srLinuxConfig, srLinuxPort, withPreferredColours } from './sr-linux.js';
import { HOST_SWITCHES, ROUTER_SWITCHES, type Switches } from './switches.js';
import { type Implementation, isBird } from './topology.js';

export type Images = Readonly<Record<Implementation | 'srLinux' | 'host', string>>;

export const DEFAULT_IMAGES: Images = {
  heddle: 'heddle:latest',
  frr: 'frrouting/frr:latest',
  bird: 'bird:2',
  bird3: 'bird:3',
  srLinux: 'srlinux:latest',
  host: 'alpine:3',
};

export interface ExportedFile {
  /** Relative to the folder that is exported to. */
  readonly path: string;
  readonly text: string;
}

const HOST_INTERFACE = 'eth1';
const CONFIGS = 'configs';
/** bgpd is off in FRR's own file. */
const FRR_DAEMONS = 'bgpd=yes\nvtysh_enable=yes\nzebra_options="-A 127.0.0.1"\nbgpd_options="-A 127.0.0.1"\n';

interface Export {
  readonly plan: LabPlan;
  readonly images: Images;
  /** Names of the spines that are SR Linux here, whatever runs there in namespaces. */
  readonly srLinux: ReadonlySet<string>;
}

/** The topology file `NAME.clab.yml` first, then the configurations. Throws LabError where a node cannot be SR Linux. */
export function containerlabFiles(
  plan: LabPlan,
  images: Images,
  srLinux: readonly string[] = [],
): readonly ExportedFile[] {
  checkSrLinux(plan, srLinux);
  const whole = { plan, images, srLinux: new Set(srLinux) };
  const routers = plan.routers.map((router) => exportRouter(whole, router));
  const topology = {
    name: plan.topology.name,
    topology: {
      nodes: Object.fromEntries([
        ...routers.map(({ name, node }) => [name, node]),
        ...plan.hosts.map((host) => [host.name, hostNode(host, images)]),
      ]),
      links: plan.links.map((link) => ({
        endpoints: [link.a, link.b].map((end) => endpointText(exportedEnd(whole, end))),
      })),
    },
  };
  const head = [
    `Made by heddle lab export; deploy with: containerlab deploy -t ${plan.topology.name}.clab.yml`,
    ...rateLines(whole),
  ];
  const text = head.map((line) => `# ${line}\n`).join('');
  return [
    { path: `${plan.topology.name}.clab.yml`, text: text + stringify(topology) },
    ...routers.flatMap(({ files }) => files),
  ];
}

function endpointText({ node, interface: name }: Endpoint): string {
  return `${node}:${name}`;
}

function exportedEnd({ plan, srLinux }: Export, end: Endpoint): Endpoint {
  const host = plan.hosts.some((candidate) => candidate.name === end.node);
  if (host) return { node: end.node, interface: HOST_INTERFACE };
  if (!srLinux.has(end.node)) return end;
  const { fabric } = plan.routers.find(({ name }) => name === end.node)!;
  const number = fabric.findIndex((port) => port.interface === end.interface) + 1;
  return { node: end.node, interface: srLinuxPort(number) };
}

function rateLines(whole: Export): string[] {
  const commands = containerlabRates(whole.plan, (end) => exportedEnd(whole, end));
  return commands.length === 0
    ? []
    : ['containerlab keeps no rates in its topology; once it is deployed:', ...commands];
}

function exportRouter({ plan, images, srLinux }: Export, router: PlannedRouter) {
  if (srLinux.has(router.name)) return exportSrLinux(plan, router, images);
  const config = nodeConfig(plan, router, `/run/heddle/${router.name}.sock`);
  const file = { path: `${CONFIGS}/${config.file}`, text: config.text };
  const daemons = { path: `${CONFIGS}/frr-daemons`, text: FRR_DAEMONS };
  const common = { kind: 'linux', image: images[router.implementation], sysctls: sysctls(ROUTER_SWITCHES) };
  const { name } = router;
  if (isBird(router)) {
    const exec = gatewayCommands(router);
    const cmd = 'bird -f -c /etc/bird/bird.conf';
    const node = { ...common, binds: [`${file.path}:/etc/bird/bird.conf:ro`], cmd, ...(exec.length > 0 && { exec }) };
    return { name, node, files: [file] };
  }
  if (router.implementation === 'frr') {
    const binds = [`${file.path}:/etc/frr/frr.conf:ro`, `${daemons.path}:/etc/frr/daemons:ro`];
    return { name, node: { ...common, binds }, files: [file, daemons] };
  }
  const text = withPreferredColours(file.text, router, srLinux);
  const binds = [`${file.path}:/etc/heddle/heddle.yaml:ro`];
  return { name, node: { ...common, binds }, files: [{ ...file, text }] };
}

function exportSrLinux(plan: LabPlan, router: PlannedRouter, images: Images) {
  const file = { path: `${CONFIGS}/${router.name}.srl.cli`, text: srLinuxConfig(plan, router) };
  const node = { kind: 'nokia_srlinux', image: images.srLinux, 'startup-config': file.path };
  return { name: router.name, node, files: [file] };
}

function gatewayCommands(router: PlannedRouter): string[] {
  return router.hosts.flatMap((port) =>
    port.prefixes.map((planned) => `ip address add ${planned.gateway} dev ${port.interface}`),
  );
}

function hostNode(host: PlannedHost, images: Images) {
  const ipv4 = host.prefixes.filter(isIpv4);
  const gateway = ipv4[0]?.gateway.split('/')[0];
  return {
    kind: 'linux',
    image: images.host,
    cmd: 'sleep infinity',
    sysctls: sysctls(HOST_SWITCHES),
    // containerlab turns address autoconfiguration off when it adds the interface.
    exec: [
      `sysctl -w net.ipv6.conf.${HOST_INTERFACE}.accept_ra=1`,
      `sysctl -w net.ipv6.conf.${HOST_INTERFACE}.autoconf=1`,
      ...ipv4.map((planned) => `ip address add ${planned.hostAddress} dev ${HOST_INTERFACE}`),
      ...(gateway === undefined ? [] : [`ip route replace default via ${gateway} dev ${HOST_INTERFACE}`]),
    ],
  };
}

function sysctls(switches: Switches): Record<string, number> {
  return Object.fromEntries(
    Object.entries(switches).map(([path, value]) => [`net.${path.replaceAll('/', '.')}`, value]),
  );
}
