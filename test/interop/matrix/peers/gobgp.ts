/** GoBGP, over numbered links: over unnumbered ones 3.36 sends `::` as the next hop of its routes. It touches no kernel. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LEAF_AS, PASSWORD, PEER_AS, PEER_LINKS, type PeerLink, SPINE_AS, sessionAddress } from '../plan.js';
import { until } from '../until.js';
import type { Knob, Peer, PeerConfig, PeerContext, PeerKind, PeerPath } from './peer.js';

const KNOBS: readonly Knob[] = ['aigp', 'extended-message', 'add-path', 'md5', 'gtsm', 'bfd', 'graceful-restart'];
/** It takes routes one by one, by a command each; the first few do. */
const ROUTES = 8;

export function gobgp(version: string): PeerKind {
  return {
    name: `GoBGP ${version}`,
    addressing: 'numbered',
    knobs: KNOBS,
    version: async (run) => /version (\S+)/.exec((await run('gobgpd', '--version')).output)?.[1] ?? '',
    create: (context) => new GoBgp(context),
  };
}

interface ShownAttribute {
  readonly type: number;
  readonly value?: unknown;
}

interface ShownPath {
  readonly attrs: readonly ShownAttribute[];
  readonly 'neighbor-ip'?: string;
}

const EXTENDED_COMMUNITIES = 16;
const AIGP = 26;
const OPAQUE = 3;
const COLOUR = 0x0b;

class GoBgp implements Peer {
  constructor(private readonly context: PeerContext) {}

  async complaint(config: PeerConfig): Promise<string | undefined> {
    writeFileSync(join(this.context.folder, 'check.toml'), gobgpConfig(config));
    const { status, output } = await this.context.run('gobgpd', '-d', '-p', '-f', '/lab/check.toml');
    return status === 0 ? undefined : (/has invalid keys: [\w-]+/.exec(output)?.[0] ?? output);
  }

  async start(config: PeerConfig, restarting: boolean): Promise<void> {
    writeFileSync(join(this.context.folder, 'gobgp.toml'), gobgpConfig(config));
    const options = ['-f', '/lab/gobgp.toml', '--api-hosts', '127.0.0.1:50051', '--pprof-disable', '-p'];
    await this.context.launch('gobgpd', 'gobgpd', ...options, ...(restarting ? ['-r'] : []));
    await until(async () => (await this.context.run('gobgp', 'neighbor')).status === 0, 'GoBGP answers');
    for (const prefix of [...config.ipv6.slice(0, ROUTES), ...config.ipv4]) await this.rib('add', prefix);
  }

  kill(): Promise<void> {
    return this.context.kill('gobgpd');
  }

  clean(): void {}

  async established(link: PeerLink): Promise<boolean> {
    return /BGP state = ESTABLISHED/.test(await this.gobgp('neighbor', address(link)));
  }

  async paths(prefix: string): Promise<readonly PeerPath[]> {
    const shown: Readonly<Record<string, readonly ShownPath[]>> = JSON.parse(
      (await this.gobgp('global', 'rib', '-a', family(prefix), prefix, '-j')).replace(/^[^{].*$/m, '') || '{}',
    );
    return (shown[prefix] ?? []).flatMap((path) => {
      const link = PEER_LINKS.find((name) => sessionAddress('numbered', name, 1) === path['neighbor-ip']);
      return link ? [shownPath(link, path.attrs)] : [];
    });
  }

  async withdraw(prefix: string): Promise<void> {
    await this.rib('del', prefix);
  }

  async refresh(link: PeerLink): Promise<void> {
    await this.gobgp('neighbor', address(link), 'softresetin');
  }

  /** The log, because the next attempt to connect is answered too. */
  async lastError(link: PeerLink): Promise<string> {
    const lines = this.context.log('gobgpd').split('\n');
    const mine = lines.filter((line) => /received notification/.test(line) && line.includes(address(link)));
    return mine.map((line) => line.replace(/^.*msg="/, '').replaceAll(/ (Key|State|Topic)=\S+|"/g, '')).join('; ');
  }

  async shutdown(link: PeerLink, text: string): Promise<void> {
    await this.gobgp('neighbor', address(link), 'disable', '--reason', text);
  }

  async bfd(): Promise<string> {
    return '';
  }

  private async rib(command: 'add' | 'del', prefix: string): Promise<void> {
    const { status, output } = await this.context.run('gobgp', 'global', 'rib', command, '-a', family(prefix), prefix);
    if (status !== 0) throw new Error(`gobgp rib ${command} ${prefix}: ${output.trim()}`);
  }

  private async gobgp(...command: string[]): Promise<string> {
    return (await this.context.run('gobgp', ...command)).output;
  }
}

function family(prefix: string): string {
  return prefix.includes(':') ? 'ipv6' : 'ipv4';
}

function address(link: PeerLink): string {
  return sessionAddress('numbered', link, 1);
}

function shownPath(link: PeerLink, attributes: readonly ShownAttribute[]): PeerPath {
  const valuesOf = (type: number) => {
    const value = attributes.find((attribute) => attribute.type === type)?.value;
    return (Array.isArray(value) ? value : []) as readonly Readonly<Record<string, number>>[];
  };
  const colours = valuesOf(EXTENDED_COMMUNITIES).filter(({ type, subtype }) => type === OPAQUE && subtype === COLOUR);
  const metric = valuesOf(AIGP)[0]?.metric;
  return { link, colours: colours.map(({ color }) => color!), ...(metric !== undefined && { aigp: String(metric) }) };
}

function gobgpConfig({ knobs }: PeerConfig): string {
  return [
    '[global.config]',
    `  as = ${PEER_AS}`,
    '  router-id = "10.0.0.1"',
    ...PEER_LINKS.flatMap((link) => neighbor(link, knobs)),
    '',
  ].join('\n');
}

function neighbor(link: PeerLink, knobs: ReadonlySet<Knob>): string[] {
  const restart = knobs.has('graceful-restart');
  const family = (name: string) => [
    '  [[neighbors.afi-safis]]',
    `    config = { afi-safi-name = "${name}" }`,
    ...(restart ? ['    mp-graceful-restart = { config = { enabled = true } }'] : []),
    ...(link === 'plain' && knobs.has('add-path')
      ? ['    add-paths = { config = { receive = true, send-max = 4 } }']
      : []),
  ];
  return [
    '[[neighbors]]',
    '  [neighbors.config]',
    `    neighbor-address = "${address(link)}"`,
    `    peer-as = ${link === 'onward' ? SPINE_AS : LEAF_AS}`,
    ...(link === 'signed' && knobs.has('md5') ? [`    auth-password = "${PASSWORD}"`] : []),
    ...(knobs.has('aigp') ? ['    aigp = true'] : []),
    ...(knobs.has('extended-message') ? ['    extended-message = true'] : []),
    '  [neighbors.transport.config]',
    `    local-address = "${sessionAddress('numbered', link, 2)}"`,
    '  [neighbors.timers.config]',
    '    connect-retry = 1',
    '    hold-time = 30',
    '    idle-hold-time-after-reset = 1',
    ...(restart
      ? [
          '  [neighbors.graceful-restart.config]',
          '    enabled = true',
          '    restart-time = 60',
          // Until then it says nothing: its routes come by commands, which take their time.
          '    deferral-time = 15',
        ]
      : []),
    ...(link === 'near' && knobs.has('gtsm')
      ? ['  [neighbors.ttl-security.config]', '    enabled = true', '    ttl-min = 255']
      : []),
    ...(knobs.has('bfd') ? ['  [neighbors.bfd.config]', '    enabled = true'] : []),
    ...family('ipv6-unicast'),
    ...family('ipv4-unicast'),
  ];
}
