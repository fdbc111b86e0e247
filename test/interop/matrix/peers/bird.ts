/** BIRD 2 and 3. It sends router advertisements (protocol radv) and is told the addresses of its neighbours. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
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

export function bird(version: string, program = '/usr/sbin'): PeerKind {
  return {
    name: `BIRD ${version}`,
    addressing: 'unnumbered',
    knobs: KNOBS,
    version: async (run) => /version (\S+)/.exec((await run(`${program}/bird`, '--version')).output)?.[1] ?? '',
    create: (context) => new Bird(context, program),
  };
}

class Bird implements Peer {
  constructor(
    private readonly context: PeerContext,
    private readonly program: string,
  ) {}

  async complaint(config: PeerConfig): Promise<string | undefined> {
    writeFileSync(join(this.context.folder, 'check.conf'), birdConfig(config));
    const { status, output } = await this.context.run(`${this.program}/bird`, '-p', '-c', '/lab/check.conf');
    return status === 0 ? undefined : (output.trim().split('\n').at(-1) ?? '').replace(/^.*check\.conf:\d+:\d+ /, '');
  }

  async start(config: PeerConfig, restarting: boolean): Promise<void> {
    const { folder, launch } = this.context;
    writeFileSync(join(folder, 'bird.conf'), birdConfig(config));
    rmSync(join(folder, 'bird.ctl'), { force: true });
    const recover = restarting ? ['-R'] : [];
    await launch('bird', `${this.program}/bird`, '-f', ...recover, '-c', '/lab/bird.conf', '-s', '/lab/bird.ctl');
    await until(() => existsSync(join(folder, 'bird.ctl')), 'BIRD has started');
  }

  kill(): Promise<void> {
    return this.context.kill('bird');
  }

  clean(): void {}

  async established(link: PeerLink): Promise<boolean> {
    return /Established/.test(await this.birdc('show', 'protocols', protocol(link)));
  }

  async paths(prefix: string): Promise<readonly PeerPath[]> {
    const shown = await this.birdc('show', 'route', prefix, 'all');

    // A path begins with a line that names its protocol; what is said of it is indented by a tab.
    return shown.split(/\n(?=\S|\s{2,}\S.*\[)/).flatMap((text) => {
      const link = PEER_LINKS.find((name) => text.includes(`[${protocol(name)} `));
      return link ? [shownPath(link, text)] : [];
    });
  }

  async withdraw(prefix: string): Promise<void> {
    await this.birdc('disable', originator(prefix));
  }

  async refresh(link: PeerLink): Promise<void> {
    const answer = await this.birdc('reload', 'in', protocol(link));
    // BIRD 3.1 has another word for it.
    if (answer.includes('No such command')) await this.birdc('reload', 'filters', 'in', protocol(link));
  }

  /** The log, because the next attempt to connect is answered too. */
  async lastError(link: PeerLink): Promise<string> {
    const lines = this.context.log('bird').matchAll(new RegExp(`${protocol(link)}: (Received: .*)`, 'g'));
    return [...lines].map((line) => line[1]).join('; ');
  }

  async shutdown(link: PeerLink, text: string): Promise<void> {
    await this.birdc('disable', protocol(link), `"${text}"`);
  }

  async bfd(): Promise<string> {
    const shown = await this.birdc('show', 'bfd', 'sessions');
    return /watched\s+(Up|Down|Init)/.exec(shown)?.[1] ?? '';
  }

  private async birdc(...command: string[]): Promise<string> {
    return (await this.context.run(`${this.program}/birdc`, '-s', '/lab/bird.ctl', ...command)).output;
  }
}

function protocol(link: PeerLink): string {
  return `to_${link}`;
}

/** Each prefix has a protocol of its own, so that it can be taken away. */
function originator(prefix: string): string {
  return `own_${prefix.replaceAll(/[^0-9a-f]/g, '_')}`;
}

function shownPath(link: PeerLink, text: string): PeerPath {
  const colours = [...text.matchAll(/\(generic, 0x30b0000, (\w+)\)/g)];
  const aigp = /aigp: (\d+)/.exec(text)?.[1];
  return {
    link,
    colours: colours.map((match) => Number(match[1])),
    ...(aigp !== undefined && { aigp }),
    ...(/unreachable/.test(text) && { unusable: 'unreachable' }),
  };
}

function birdConfig({ knobs, ipv6, ipv4 }: PeerConfig): string {
  return [
    'router id 10.0.0.1;',
    'log stderr all;',
    // After a restart it waits for every neighbour, those that never come included.
    'graceful restart wait 4;',
    'protocol device { scan time 1; }',
    ...(knobs.has('bfd') ? ['protocol bfd { interface "watched" { interval 300 ms; multiplier 3; }; }'] : []),
    `protocol radv { ${PEER_LINKS.map((link) => `interface "${link}" { min ra interval 3; max ra interval 4; };`).join(' ')} }`,
    ...origination('ipv6', ipv6),
    ...origination('ipv4', ipv4),
    ...PEER_LINKS.map((link) => session(link, knobs)),
    '',
  ].join('\n');
}

/** It takes its table in slices, so that equal attributes alone make no long message: communities do. */
const LONG = ` { ${Array.from({ length: 1100 }, (_, index) => `bgp_community.add((${PEER_AS}, ${index}));`).join(' ')} }`;

/** The first few can be taken away one by one; the rest is one protocol. */
function origination(family: 'ipv6' | 'ipv4', prefixes: readonly string[]): string[] {
  const single = prefixes
    .slice(0, 3)
    .map((prefix) => `protocol static ${originator(prefix)} { ${family}; route ${prefix} blackhole; }`);
  const rest = prefixes.slice(3).map((prefix, index) => `  route ${prefix} blackhole${index === 0 ? LONG : ''};`);
  return [...single, ...(rest.length > 0 ? [`protocol static rest_${family} { ${family};`, ...rest, '}'] : [])];
}

function session(link: PeerLink, knobs: ReadonlySet<Knob>): string {
  const asn = link === 'onward' ? SPINE_AS : LEAF_AS;
  const options = [
    ...(knobs.has('extended-message') ? ['enable extended messages on;'] : []),
    ...(knobs.has('graceful-restart') ? ['graceful restart on;'] : []),
    ...(link === 'signed' && knobs.has('md5') ? [`password "${PASSWORD}";`] : []),
    ...(link === 'near' && knobs.has('gtsm') ? ['ttl security on;'] : []),
    ...(link === 'watched' && knobs.has('bfd') ? ['bfd on;'] : []),
  ];
  const channel = [
    'import all; export all; next hop self;',
    ...(knobs.has('extended-next-hop') ? ['extended next hop on;'] : []),
    ...(knobs.has('aigp') ? ['aigp on;'] : []),
    ...(link === 'plain' && knobs.has('add-path') ? ['add paths on;'] : []),
  ].join(' ');
  return [
    `protocol bgp ${protocol(link)} {`,
    `  local as ${PEER_AS}; neighbor ${sessionAddress('unnumbered', link, 1)} % '${link}' as ${asn};`,
    '  hold time 30; connect delay time 1; connect retry time 1; error wait time 1, 2;',
    `  ${options.join(' ')}`,
    `  ipv6 { ${channel} };`,
    `  ipv4 { ${channel} };`,
    '}',
  ].join('\n');
}
