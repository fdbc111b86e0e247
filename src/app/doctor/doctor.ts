/**
 * `heddle doctor`: is this machine fit to run heddle, and this configuration in particular. Everything is read or asked of the kernel in ways
 * that leave nothing behind; the checks themselves are functions of what was read, in the files beside this one.
 */
import { existsSync } from 'node:fs';
import { release } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ControlClient } from '../../edge/control/client.js';
import { bpfObstacle, packageObstacle, tcpAoObstacle, tcxObstacle } from '../../edge/linux/diagnosis/features.js';
import { readKernelClock } from '../../edge/linux/diagnosis/kernel-clock.js';
import { type RoutingTables, readRoutingTables } from '../../edge/linux/diagnosis/routing-tables.js';
import { areSwitchesReadOnly, forwardingSwitches } from '../../edge/linux/forwarding-switches.js';
import { LinuxLinks } from '../../edge/linux/links.js';
import { md5Obstacle } from '../../edge/linux/tcp-socket.js';
import type { DaemonConfig } from '../config/daemon-config.js';
import { changesOf } from './changes.js';
import { CHECKS, type Finding, ok, problem } from './finding.js';
import {
  type ClockLooks,
  checkFiles,
  checkMemlock,
  checkMonotonicClock,
  checkPrivileges,
  checkStorage,
  checkSynchronised,
} from './host-checks.js';
import {
  checkEbpf,
  checkForwarding,
  checkIpv6,
  checkNextHops,
  checkPackages,
  checkSigning,
  checkVersion,
} from './kernel-checks.js';
import {
  checkAddresses,
  checkMtu,
  checkNeighbours,
  checkState,
  checkSubnet,
  checkSwitches,
  type NamedLink,
  wrongSwitches,
} from './link-checks.js';
import { checkDaemons, checkPort, checkRoutes, listenersOn } from './neighbour-checks.js';
import { numberOf, processesHere, socketOwners, textOf } from './proc.js';

/** Of BGP, where no configuration says another. */
const BGP_PORT = 179;
/** Milliseconds between two looks at the clocks. */
const CLOCK_LOOK = 200;
const CONTROL_FOLDER = '/run/heddle';

/**
 * In the order of CHECKS. Without a configuration, what concerns any daemon on this machine.
 * @param known the daemon of the configuration, where somebody has looked for it already
 */
export async function examine(
  config?: DaemonConfig,
  known?: { readonly process: number | undefined },
): Promise<readonly Finding[]> {
  const running = known ? known.process : config && (await runningDaemon(config.controlSocket));
  const findings = [
    ...hostFindings(config),
    ...(await clockFindings()),
    ...placeFindings(config, running),
    ...(await kernelFindings(config, running !== undefined)),
  ];
  return findings.sort((one, other) => CHECKS.indexOf(one.check) - CHECKS.indexOf(other.check));
}

/** The process of the daemon behind the socket; undefined where none answers. */
async function runningDaemon(socket: string): Promise<number | undefined> {
  if (!existsSync(socket)) return undefined;
  return new ControlClient(socket).summary().then(
    ({ pid }) => pid,
    () => undefined,
  );
}

function hostFindings(config: DaemonConfig | undefined): Finding[] {
  const plane = config?.plane !== undefined;
  const limits = textOf('/proc/self/limits') ?? '';
  const { fabric = [], neighbours = [], hosts = [] } = config?.speaker ?? {};
  return [
    checkVersion(release()),
    checkIpv6(numberOf('/proc/sys/net/ipv6/conf/all/disable_ipv6')),
    ...checkPackages(packageObstacle),
    checkPrivileges(textOf('/proc/self/status') ?? '', {
      port: config?.speaker.port ?? BGP_PORT,
      firstFreePort: numberOf('/proc/sys/net/ipv4/ip_unprivileged_port_start') ?? 1024,
      plane,
    }),
    checkFiles(limits, fabric.length + neighbours.length + hosts.length),
    checkMemlock(limits, { plane, kernel: release() }),
    ...storageFindings(config),
  ];
}

function storageFindings(config: DaemonConfig | undefined): Finding[] {
  const socket = config ? dirname(config.controlSocket) : CONTROL_FOLDER;
  const mrt = config?.mrt;
  return [
    checkStorage('the control socket', socket),
    // The file itself, and the one before it.
    ...(mrt ? [checkStorage('MRT records', dirname(mrt.updates), 2 * (mrt.maximum || 1024 ** 3))] : []),
  ];
}

async function clockFindings(): Promise<Finding[]> {
  const [monotonic, wall] = [performance.now(), Date.now()];
  await sleep(CLOCK_LOOK);
  const looks: ClockLooks = { monotonic: [monotonic, performance.now()], wall: [wall, Date.now()] };
  const source = textOf('/sys/devices/system/clocksource/clocksource0/current_clocksource')?.trim();
  const kept = packageObstacle('koffi') === undefined ? readKernelClock() : undefined;
  return [checkMonotonicClock(looks, source), checkSynchronised(kept)];
}

function placeFindings(config: DaemonConfig | undefined, running: number | undefined): Finding[] {
  const port = config?.speaker.port ?? BGP_PORT;
  const tables = ['/proc/self/net/tcp', '/proc/self/net/tcp6'].map((path) => textOf(path) ?? '');
  const inodes = listenersOn(tables, port);
  const owners = inodes.length === 0 ? [] : socketOwners(inodes);
  return [checkPort({ port, listeners: inodes.length, owners }, running), ...checkDaemons(processesHere())];
}

/** What takes the native packages to ask: without them a single line, beside that of `packages`. */
async function kernelFindings(config: DaemonConfig | undefined, running: boolean): Promise<Finding[]> {
  const switches = forwardingSwitches();
  const forwarding = checkForwarding(switches, setsSwitches(config));
  try {
    const tables = await readRoutingTables();
    const links = await LinuxLinks.open();
    try {
      return [
        ok('kernel.netlink', 'rtnetlink answers'),
        ...forwarding,
        ...featureFindings(config),
        checkNextHops(tables),
        ...checkRoutes(tables.routes, running),
        ...(config ? await linkFindings(config, { links, tables }) : []),
      ];
    } finally {
      links.close();
    }
  } catch (error) {
    return [
      ...forwarding,
      problem('kernel.netlink', {
        found: `rtnetlink cannot be used: ${error instanceof Error ? error.message : String(error)}`,
        meaning: 'the daemon cannot start; links, routes and features of the kernel were not looked at',
        action: 'see packages above; in a sandbox, allow AF_NETLINK',
      }),
    ];
  }
}

/** A daemon would set switches: it may, and it can. */
function setsSwitches(config: DaemonConfig | undefined): boolean {
  return (config?.speaker.manageSwitches ?? true) && !areSwitchesReadOnly();
}

function featureFindings(config: DaemonConfig | undefined): Finding[] {
  const btf = existsSync('/sys/kernel/btf/vmlinux');
  return [
    ...checkSigning({ md5: md5Obstacle(), ao: tcpAoObstacle() }, config),
    checkEbpf({ bpf: bpfObstacle(), tcx: tcxObstacle(), btf }, config?.plane !== undefined),
  ];
}

interface LinkWorld {
  readonly links: LinuxLinks;
  readonly tables: RoutingTables;
}

async function linkFindings(config: DaemonConfig, { links, tables }: LinkWorld): Promise<Finding[]> {
  const { fabric, hosts, neighbours = [] } = config.speaker;
  const manage = setsSwitches(config);
  const states = await links.list();
  const named =
    (kind: NamedLink['kind']) =>
    (link: { readonly name: string }): NamedLink => {
      const state = states.find(({ name }) => name === link.name);
      return { name: link.name, kind, ...(state && { state }) };
    };
  const all = [...fabric.map(named('fabric')), ...hosts.map(named('host'))];
  const read = links.readSwitch.bind(links);
  const wrong = new Map(all.map((link) => [link.name, wrongSwitches(link, manage, read)]));
  return [
    ...all.map(checkState),
    ...all.flatMap((link) => (link.state ? checkSwitches(link, wrong.get(link.name) ?? [], manage) : [])),
    ...checkMtu(all),
    ...all.flatMap(checkAddresses),
    ...all.flatMap((link) => checkNeighbours(link, tables.neighbours)),
    ...neighbours.flatMap((neighbour) => checkSubnet(neighbour, states)),
    ...changesOf(config, { manage, switches: forwardingSwitches(), links: all, wrong }),
  ];
}
