/** OpenBGPD, over numbered links: 7.7 ends with a segmentation fault at the first route with a link-local next hop. */
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LEAF_AS, PASSWORD, PEER_AS, PEER_LINKS, type PeerLink, SPINE_AS, sessionAddress } from '../plan.js';
import { until } from '../until.js';
import {
  KNOBS,
  type Knob,
  type Peer,
  type PeerConfig,
  type PeerContext,
  type PeerKind,
  type PeerPath,
} from './peer.js';

export function openbgpd(version: string): PeerKind {
  return {
    name: `OpenBGPD ${version}`,
    addressing: 'numbered',
    knobs: KNOBS,
    version: async (run) => /OpenBGPD (\S+)/.exec((await run('bgpd', '-V')).output)?.[1] ?? '',
    create: (context) => new OpenBgpd(context),
  };
}

class OpenBgpd implements Peer {
  private config: PeerConfig | undefined;

  constructor(private readonly context: PeerContext) {}

  async complaint(config: PeerConfig): Promise<string | undefined> {
    this.write('check.conf', config);
    const { status, output } = await this.context.run('bgpd', '-n', '-f', '/lab/check.conf');
    return status === 0 ? undefined : /check\.conf:\d+: (.*)/.exec(output)?.[1];
  }

  async start(config: PeerConfig): Promise<void> {
    const socket = join(this.context.folder, 'bgpd.sock');
    rmSync(socket, { force: true });
    this.write('bgpd.conf', config);
    await this.context.launch('bgpd', 'bgpd', '-d', '-v', '-f', '/lab/bgpd.conf');
    await until(() => existsSync(socket), 'OpenBGPD has started');
  }

  kill(): Promise<void> {
    return this.context.kill('bgpd');
  }

  clean(): void {}

  async established(link: PeerLink): Promise<boolean> {
    return /BGP state = Established/.test(await this.bgpctl('show', 'neighbor', address(link)));
  }

  async paths(prefix: string): Promise<readonly PeerPath[]> {
    const shown = await this.bgpctl('show', 'rib', 'detail', prefix);
    return shown.split('BGP routing table entry').flatMap((text) => {
      const link = PEER_LINKS.find((name) => text.includes(`Neighbor ${address(name)} `));
      return link ? [shownPath(link, text)] : [];
    });
  }

  async withdraw(prefix: string): Promise<void> {
    const { config } = this;
    this.write('bgpd.conf', { ...config!, ipv6: config!.ipv6.filter((one) => one !== prefix) });
    await this.bgpctl('reload');
  }

  async refresh(link: PeerLink): Promise<void> {
    await this.bgpctl('neighbor', address(link), 'refresh');
  }

  /** The log, because the next attempt to connect is answered too. */
  async lastError(link: PeerLink): Promise<string> {
    const lines = this.context.log('bgpd').split('\n');
    const said = lines.filter(
      (line) => line.startsWith(`neighbor ${address(link)}`) && /received (notification|shutdown)/.test(line),
    );
    return said.map((line) => line.replace(/^neighbor \S+ /, '')).join('; ');
  }

  async refusedRefresh(link: PeerLink): Promise<string | undefined> {
    const said = this.context.log('bgpd').split('\n');
    const refused = said.find((line) => line.startsWith(`neighbor ${address(link)}: route refresh: `));
    return refused?.replace(/^neighbor \S+ /, '');
  }

  async shutdown(link: PeerLink, text: string): Promise<void> {
    await this.bgpctl('neighbor', address(link), 'down', text);
  }

  async bfd(): Promise<string> {
    return '';
  }

  private write(name: string, config: PeerConfig): void {
    if (name === 'bgpd.conf') this.config = config;
    const file = join(this.context.folder, name);
    writeFileSync(file, openbgpdConfig(config));
    // It refuses a file that others can read.
    chmodSync(file, 0o600);
  }

  private async bgpctl(...command: string[]): Promise<string> {
    return (await this.context.run('bgpctl', '-s', '/lab/bgpd.sock', ...command)).output;
  }
}

function address(link: PeerLink): string {
  return sessionAddress('numbered', link, 1);
}

function shownPath(link: PeerLink, text: string): PeerPath {
  const colours = [...text.matchAll(/\[(?:3:b|11)\] 0x([0-9a-f]+)/g)];
  return {
    link,
    colours: colours.map((match) => Number.parseInt(match[1]!, 16)),
    ...(!/, valid/.test(text) && { unusable: 'not valid' }),
  };
}

function openbgpdConfig({ knobs, ipv6, ipv4 }: PeerConfig): string {
  return [
    `AS ${PEER_AS}`,
    'router-id 10.0.0.1',
    'fib-update no',
    'socket "/lab/bgpd.sock"',
    'nexthop qualify via default',
    ...[...ipv6, ...ipv4].map((prefix) => `network ${prefix}`),
    ...PEER_LINKS.flatMap((link) => neighbor(link, knobs)),
    'allow from any',
    'allow to any',
    '',
  ].join('\n');
}

function neighbor(link: PeerLink, knobs: ReadonlySet<Knob>): string[] {
  return [
    `neighbor ${address(link)} {`,
    `  remote-as ${link === 'onward' ? SPINE_AS : LEAF_AS}`,
    '  holdtime 30',
    '  announce IPv6 unicast',
    '  announce IPv4 unicast',
    ...(knobs.has('extended-next-hop') ? ['  announce extended nexthop yes'] : []),
    ...(knobs.has('extended-message') ? ['  announce extended message yes'] : []),
    ...(knobs.has('aigp') ? ['  announce aigp yes'] : []),
    ...(link === 'plain' && knobs.has('add-path')
      ? ['  announce add-path recv yes', '  announce add-path send all']
      : []),
    ...(link === 'signed' && knobs.has('md5') ? [`  tcp md5sig password "${PASSWORD}"`] : []),
    ...(link === 'near' && knobs.has('gtsm') ? ['  ttl-security yes'] : []),
    ...(link === 'watched' && knobs.has('bfd') ? ['  bfd yes'] : []),
    ...(knobs.has('graceful-restart') ? ['  announce restart yes'] : []),
    '}',
  ];
}
