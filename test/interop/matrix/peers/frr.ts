/** FRR: zebra, bgpd and bfdd (mgmtd in front where there is one) in a pathspace of their own; vtysh configures and is asked. */
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PASSWORD, PEER_AS, PEER_LINKS, type PeerLink, sessionAddress } from '../plan.js';
import { until } from '../until.js';
import type { Knob, Peer, PeerConfig, PeerContext, PeerKind, PeerPath } from './peer.js';

/** The user that the packages' scripts would have made. */
const FRR_USER = 900;

const KNOBS: readonly Knob[] = ['extended-next-hop', 'aigp', 'add-path', 'md5', 'gtsm', 'bfd', 'graceful-restart'];

export function frr(version: string): PeerKind {
  return {
    name: `FRR ${version}`,
    addressing: 'unnumbered',
    knobs: KNOBS,
    version: async (run) => /version (\S+)/.exec((await run('/usr/lib/frr/bgpd', '--version')).output)?.[1] ?? '',
    create: (context) => new Frr(context),
  };
}

interface ShownPath {
  readonly valid?: boolean;
  readonly aigpMetric?: number;
  readonly extendedCommunity?: { readonly string: string };
  readonly nexthops: readonly { readonly accessible?: boolean }[];
  readonly peer: { readonly peerId: string };
}

class Frr implements Peer {
  private readonly etc: string;
  private readonly sockets: string;
  private readonly daemons: readonly string[];

  constructor(private readonly context: PeerContext) {
    this.etc = join(context.root, 'etc/frr', context.namespace);
    this.sockets = join(context.root, 'run/frr', context.namespace);
    const hasManager = existsSync(join(context.root, 'usr/lib/frr/mgmtd'));
    this.daemons = [...(hasManager ? ['mgmtd'] : []), 'zebra', 'bfdd', 'bgpd'];
  }

  async complaint(config: PeerConfig): Promise<string | undefined> {
    writeFileSync(join(this.context.folder, 'check.conf'), frrConfig(config));
    const { output } = await this.context.run('vtysh', '-C', '--inputfile', '/lab/check.conf');
    const refused = /% Unknown command\[\d+\]: *(.*)/.exec(output)?.[1];
    return refused === undefined ? undefined : `Unknown command: ${refused}`;
  }

  async start(config: PeerConfig, restarting: boolean): Promise<void> {
    if (!restarting) this.prepare();
    writeFileSync(join(this.etc, 'frr.conf'), frrConfig(config));
    for (const daemon of restarting ? ['bgpd'] : this.daemons) {
      // A socket that is still there is taken for the new daemon's.
      rmSync(this.socket(daemon), { force: true });
      const space = ['-N', this.context.namespace];
      const options = ['-A', '127.0.0.1', '-P', '0', '--log', 'stdout', '--log-level', 'informational'];
      await this.context.launch(daemon, `/usr/lib/frr/${daemon}`, ...space, ...options);
      await until(() => existsSync(this.socket(daemon)), `${daemon} has started`);
    }
    const { output } = await this.context.run('vtysh', '-N', this.context.namespace, '-b');
    const complaint = /^.*(?:% |[Ee]rror|failed).*$/m.exec(output);
    if (complaint) throw new Error(`FRR refused its configuration: ${complaint[0]}`);
  }

  kill(): Promise<void> {
    return this.context.kill('bgpd');
  }

  clean(): void {
    for (const folder of [this.etc, this.sockets]) rmSync(folder, { recursive: true, force: true });
  }

  async established(link: PeerLink): Promise<boolean> {
    return (await this.neighbor(link)).bgpState === 'Established';
  }

  async paths(prefix: string): Promise<readonly PeerPath[]> {
    const family = prefix.includes(':') ? 'ipv6' : 'ipv4';
    const { paths = [] }: { paths?: readonly ShownPath[] } = JSON.parse(
      (await this.vtysh(`show bgp ${family} unicast ${prefix} json`)) || '{}',
    );
    return paths.flatMap((path) => {
      const link = PEER_LINKS.find((name) => sessionAddress('unnumbered', name, 1) === canonical(path.peer.peerId));
      return link ? [shownPath(link, path)] : [];
    });
  }

  async withdraw(prefix: string): Promise<void> {
    await this.configure(`address-family ${prefix.includes(':') ? 'ipv6' : 'ipv4'} unicast`, `no network ${prefix}`);
  }

  async refresh(link: PeerLink): Promise<void> {
    await this.vtysh(`clear bgp ipv6 unicast ${link} soft in`);
  }

  /** The log, because the next attempt to connect is answered too. */
  async lastError(link: PeerLink): Promise<string> {
    const lines = this.context
      .log('bgpd')
      .matchAll(new RegExp(`NOTIFICATION.*: received from neighbor ${link} (.*)`, 'g'));
    return [...lines].map((line) => line[1]).join('; ');
  }

  shutdown(link: PeerLink, text: string): Promise<void> {
    return this.configure(`neighbor ${link} shutdown message ${text}`);
  }

  async bfd(): Promise<string> {
    const peers: readonly { status: string }[] = JSON.parse((await this.vtysh('show bfd peers json')) || '[]');
    return peers.map(({ status }) => status).join(', ');
  }

  private async configure(...commands: string[]): Promise<void> {
    await this.vtysh('configure terminal', `router bgp ${PEER_AS}`, ...commands);
  }

  private async neighbor(link: PeerLink): Promise<{ bgpState?: string }> {
    const shown: Record<string, { bgpState?: string }> = JSON.parse(
      (await this.vtysh(`show bgp neighbors ${link} json`)) || '{}',
    );
    return shown[link] ?? {};
  }

  private async vtysh(...commands: string[]): Promise<string> {
    const parameters = commands.flatMap((command) => ['-c', command]);
    return (await this.context.run('vtysh', '-N', this.context.namespace, ...parameters)).output;
  }

  private socket(daemon: string): string {
    return join(this.sockets, daemon === 'zebra' ? 'zserv.api' : `${daemon}.vty`);
  }

  private prepare(): void {
    this.clean();
    for (const folder of [this.etc, this.sockets]) {
      mkdirSync(folder, { recursive: true });
      chownSync(folder, FRR_USER, FRR_USER);
      chmodSync(folder, 0o755);
    }
    writeFileSync(join(this.etc, 'vtysh.conf'), 'service integrated-vtysh-config\n');
  }
}

function canonical(address: string): string {
  return address.toLowerCase();
}

function shownPath(link: PeerLink, path: ShownPath): PeerPath {
  const colours = [...(path.extendedCommunity?.string ?? '').matchAll(/[Cc]olor:(?:\d+:)?(\d+)/g)];
  const unnamed = /UNK:\S+(?: \d+)?/.exec(path.extendedCommunity?.string ?? '')?.[0];
  const isUsable = path.valid === true && path.nexthops.every(({ accessible }) => accessible !== false);
  return {
    link,
    colours: colours.map((match) => Number(match[1])),
    ...(unnamed && { unnamed }),
    ...(path.aigpMetric !== undefined && { aigp: String(path.aigpMetric) }),
    ...(!isUsable && { unusable: 'next hop inaccessible' }),
  };
}

function frrConfig({ knobs, ipv6, ipv4 }: PeerConfig): string {
  return [
    'frr defaults datacenter',
    'service integrated-vtysh-config',
    ...(knobs.has('bfd')
      ? ['bfd', ' profile fabric', '  receive-interval 300', '  transmit-interval 300', ' exit', 'exit']
      : []),
    ...PEER_LINKS.flatMap((link) => [`interface ${link}`, ' ipv6 nd ra-interval 1', ' no ipv6 nd suppress-ra', 'exit']),
    `router bgp ${PEER_AS}`,
    ' bgp router-id 10.0.0.1',
    ' no bgp ebgp-requires-policy',
    ' no bgp default ipv4-unicast',
    ' no bgp network import-check',
    ' timers bgp 10 30',
    ' bgp log-neighbor-changes',
    ...(knobs.has('graceful-restart')
      ? [
          ' bgp graceful-restart',
          ' bgp graceful-restart preserve-fw-state',
          ' bgp graceful-restart select-defer-time 1',
        ]
      : []),
    ...PEER_LINKS.flatMap((link) => neighbor(link, knobs)),
    ...family('ipv6', ipv6, knobs),
    ...family('ipv4', ipv4, knobs),
    'exit',
    '',
  ].join('\n');
}

function neighbor(link: PeerLink, knobs: ReadonlySet<Knob>): string[] {
  const lines = [
    'interface remote-as external',
    'timers connect 1',
    ...(knobs.has('extended-next-hop') ? ['capability extended-nexthop'] : []),
    ...(knobs.has('aigp') ? ['aigp', 'oad'] : []),
    ...(link === 'signed' && knobs.has('md5') ? [`password ${PASSWORD}`] : []),
    ...(link === 'near' && knobs.has('gtsm') ? ['ttl-security hops 1'] : []),
    ...(link === 'watched' && knobs.has('bfd') ? ['bfd profile fabric'] : []),
  ];
  return lines.map((line) => ` neighbor ${link} ${line}`);
}

function family(name: 'ipv6' | 'ipv4', networks: readonly string[], knobs: ReadonlySet<Knob>): string[] {
  return [
    ` address-family ${name} unicast`,
    ...networks.map((network) => `  network ${network}`),
    ...PEER_LINKS.flatMap((link) => [
      `  neighbor ${link} activate`,
      ...(link === 'plain' && knobs.has('add-path') ? [`  neighbor ${link} addpath-tx-all-paths`] : []),
    ]),
    ' exit-address-family',
  ];
}
