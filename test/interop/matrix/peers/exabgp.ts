/**
 * ExaBGP, over numbered links: its configuration takes no address with a zone. It has no routing table: a program of ours that it
 * runs (exabgp-api.py) writes down what it says as JSON, and hands it the commands that stand in a pipe.
 */
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LEAF_AS, PASSWORD, PEER_AS, PEER_LINKS, type PeerLink, SPINE_AS, sessionAddress } from '../plan.js';
import { until } from '../until.js';
import { KNOBS, type Peer, type PeerConfig, type PeerContext, type PeerKind, type PeerPath } from './peer.js';

/** It stays root: the file it writes to is. */
const ENVIRONMENT = "[exabgp.api]\ncli = false\n[exabgp.daemon]\nuser = 'root'\ndrop = false\n";
/** Of 64 bits, as a number: too many for a double. */
const COMMUNITY = /"value": (\d+)/g;
const CONTROL = /\p{Cc}/gu;
const API = new URL('exabgp-api.py', import.meta.url);

export function exabgp(version: string): PeerKind {
  return {
    name: `ExaBGP ${version}`,
    addressing: 'numbered',
    knobs: KNOBS,
    version: async (run) =>
      /ExaBGP : (\S+)/.exec((await run('python3', '-m', 'exabgp', '--version')).output)?.[1] ?? '',
    create: (context) => new ExaBgp(context),
  };
}

interface Said {
  readonly type: string;
  readonly neighbor?: {
    readonly address: { readonly peer: string };
    readonly state?: string;
    /** Of state `down`. */
    readonly reason?: string;
    readonly direction?: string;
    readonly message?: {
      readonly update?: {
        readonly attribute?: {
          readonly aigp?: unknown;
          readonly 'extended-community'?: readonly { readonly value: string }[];
        };
        readonly announce?: Readonly<Record<string, Readonly<Record<string, readonly { readonly nlri: string }[]>>>>;
        readonly withdraw?: Readonly<Record<string, readonly { readonly nlri: string }[]>>;
      };
    };
    readonly notification?: { readonly code: number; readonly subcode: number; readonly data: string };
  };
}

class ExaBgp implements Peer {
  constructor(private readonly context: PeerContext) {}

  async complaint(config: PeerConfig): Promise<string | undefined> {
    this.write('check.conf', config);
    const { output } = await this.context.run('python3', '-m', 'exabgp', '--test', '/lab/check.conf');
    if (!output.includes('syntax error')) return undefined;
    const lines = output.split('\n').flatMap((line) => /configuration +\| +(\S.*)/.exec(line)?.[1] ?? []);
    return lines.at(-1);
  }

  async start(config: PeerConfig): Promise<void> {
    const { folder, launch } = this.context;
    for (const name of ['exabgp.pipe', 'exabgp.said']) rmSync(join(folder, name), { force: true });
    copyFileSync(API, join(folder, 'exabgp-api.py'));
    this.write('exabgp.conf', config);
    writeFileSync(join(folder, 'exabgp.env'), ENVIRONMENT);
    await launch('exabgp', 'python3', '-m', 'exabgp', '--env', '/lab/exabgp.env', '/lab/exabgp.conf');
    await until(() => existsSync(join(folder, 'exabgp.pipe')), 'ExaBGP has started');
  }

  kill(): Promise<void> {
    return this.context.kill('exabgp');
  }

  clean(): void {}

  async established(link: PeerLink): Promise<boolean> {
    return this.said(link).findLast(({ type }) => type === 'state')?.neighbor?.state === 'up';
  }

  async paths(prefix: string): Promise<readonly PeerPath[]> {
    return PEER_LINKS.flatMap((link) => {
      const path = pathNow(link, this.said(link), prefix);
      return path ? [path] : [];
    });
  }

  async withdraw(prefix: string): Promise<void> {
    this.tell(`withdraw route ${prefix} next-hop self`);
  }

  async refresh(link: PeerLink): Promise<void> {
    this.tell(`neighbor ${address(link)} announce route-refresh ipv6 unicast`);
  }

  /** What was sent to it, and what it found wrong with that. */
  async lastError(link: PeerLink): Promise<string> {
    const shown = this.said(link).flatMap(({ type, neighbor }) => {
      if (type === 'notification') return notificationShown(neighbor?.notification);
      return /notification sent .*error\((.*)\)$/.exec(neighbor?.reason ?? '')?.[1] ?? [];
    });
    return [...new Set(shown)].join('; ');
  }

  /** It has a command to end a session with a subcode, and none to say why. */
  async shutdown(link: PeerLink): Promise<void> {
    this.tell(`neighbor ${address(link)} teardown 2`);
  }

  async bfd(): Promise<string> {
    return '';
  }

  private tell(command: string): void {
    writeFileSync(join(this.context.folder, 'exabgp.pipe'), `${command}\n`);
  }

  private said(link: PeerLink): readonly Said[] {
    const file = join(this.context.folder, 'exabgp.said');
    if (!existsSync(file)) return [];
    const whole = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    // It leaves octets of a NOTIFICATION as they are, which JSON does not allow.
    const lines = whole
      .filter((line) => line.startsWith('{'))
      .map((line): Said => JSON.parse(line.replaceAll(CONTROL, ' ').replaceAll(COMMUNITY, '"value": "$1"')));
    return lines.filter(({ neighbor }) => neighbor?.address.peer === address(link));
  }

  private write(name: string, config: PeerConfig): void {
    writeFileSync(join(this.context.folder, name), exabgpConfig(config));
  }
}

const CEASE = 6;
const CONNECTION_REJECTED = 5;

/** An attempt that is refused is none of what ended the session before it. */
function notificationShown(content: NonNullable<Said['neighbor']>['notification']): string[] {
  if (!content || (content.code === CEASE && content.subcode === CONNECTION_REJECTED)) return [];
  return [`${content.code}/${content.subcode} ${content.data}`];
}

/** Of what was said since the session came up. */
function pathNow(link: PeerLink, said: readonly Said[], prefix: string): PeerPath | undefined {
  const since = said.slice(
    said.findLastIndex(({ type, neighbor }) => type === 'state' && neighbor?.state !== 'up') + 1,
  );
  let path: PeerPath | undefined;
  for (const { neighbor } of since) {
    const update = neighbor?.message?.update;
    if (!update) continue;
    const withdrawn = Object.values(update.withdraw ?? {}).flat();
    if (withdrawn.some(({ nlri }) => nlri === prefix)) path = undefined;
    const announced = Object.values(update.announce ?? {}).flatMap((hops) => Object.values(hops).flat());
    if (announced.some(({ nlri }) => nlri === prefix)) path = shownPath(link, update.attribute ?? {});
  }
  return path;
}

type ShownAttributes = NonNullable<
  NonNullable<NonNullable<NonNullable<Said['neighbor']>['message']>['update']>['attribute']
>;

function shownPath(link: PeerLink, attribute: ShownAttributes): PeerPath {
  const values = (attribute['extended-community'] ?? []).map(({ value }) => BigInt(value));
  const colours = values.filter((value) => value >> 48n === 0x030bn).map((value) => Number(value & 0xffffffffn));
  const { aigp } = attribute;
  return { link, colours, ...(aigp !== undefined && { aigp: String(aigp) }) };
}

function address(link: PeerLink): string {
  return sessionAddress('numbered', link, 1);
}

function exabgpConfig(config: PeerConfig): string {
  return [
    'process api { run /usr/bin/python3 /lab/exabgp-api.py; encoder json; }',
    ...PEER_LINKS.map((link) => neighbor(link, config)),
    '',
  ].join('\n');
}

function neighbor(link: PeerLink, { knobs, ipv6, ipv4 }: PeerConfig): string {
  const own = sessionAddress('numbered', link, 2);
  const capabilities = [
    'asn4 enable; route-refresh enable;',
    ...(knobs.has('extended-next-hop') ? ['nexthop enable;'] : []),
    ...(knobs.has('extended-message') ? ['extended-message enable;'] : []),
    ...(knobs.has('aigp') ? ['aigp enable;'] : []),
    ...(link === 'plain' && knobs.has('add-path') ? ['add-path send/receive;'] : []),
    // With it, `teardown` closes the connection without a NOTIFICATION.
    ...(link !== 'ended' && knobs.has('graceful-restart') ? ['graceful-restart 60;'] : []),
  ];
  return [
    `neighbor ${address(link)} {`,
    `  router-id 10.0.0.1; local-address ${own}; local-as ${PEER_AS}; peer-as ${link === 'onward' ? SPINE_AS : LEAF_AS};`,
    '  hold-time 30; group-updates true;',
    `  capability { ${capabilities.join(' ')} }`,
    '  family { ipv6 unicast; ipv4 unicast; }',
    ...(knobs.has('extended-next-hop') ? ['  nexthop { ipv4 unicast ipv6; }'] : []),
    ...(link === 'signed' && knobs.has('md5') ? [`  md5-password "${PASSWORD}";`] : []),
    ...(link === 'near' && knobs.has('gtsm') ? ['  outgoing-ttl 255; incoming-ttl 255;'] : []),
    ...(link === 'watched' && knobs.has('bfd') ? ['  bfd enable;'] : []),
    '  api { processes [ api ]; neighbor-changes; receive { parsed; update; notification; } }',
    `  static { ${[...(link === 'plain' ? ipv6 : ipv6.slice(0, 10)), ...ipv4].map((prefix) => `route ${prefix} next-hop ${own};`).join(' ')} }`,
    '}',
  ].join('\n');
}
