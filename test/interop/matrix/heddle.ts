/** The two heddles of a row: their configurations, and what is asked of them and of their kernels. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { run } from '../../../src/app/lab/command.js';
import { PACKAGE_ROOT } from '../../../src/app/lab/lab.js';
import {
  endProcesses,
  isAlive,
  type LabProcess,
  lastLogLine,
  logFile,
  startProcess,
} from '../../../src/app/lab/processes.js';
import { ControlClient } from '../../../src/edge/control/client.js';
import { commandNeighbor, reload } from '../../../src/edge/control/command-client.js';
import type { NeighborCommandName } from '../../../src/edge/control/commands.js';
import type { Neighbor, Path, Route } from '../../../src/edge/control/schema.js';
import {
  type Addressing,
  globalAddress,
  LEAF,
  LEAF_AS,
  LEAF_BULK,
  type LinkName,
  METRIC,
  PASSWORD,
  PEER_AS,
  type PeerLink,
  PREFIX_LIMIT,
  SPINE_AS,
  sessionAddress,
} from './plan.js';
import { until } from './until.js';

export class Heddle {
  private process: LabProcess | undefined;
  readonly client: ControlClient;
  private readonly socket: string;

  constructor(
    private readonly folder: string,
    private readonly name: 'leaf' | 'spine',
    readonly namespace: string,
    private readonly addressing: Addressing,
  ) {
    this.socket = join(folder, `${name}.sock`);
    this.client = new ControlClient(this.socket);
  }

  async start(config: object): Promise<void> {
    this.write(config);
    const command = [
      process.execPath,
      join(PACKAGE_ROOT, 'bin', 'heddle'),
      'run',
      join(this.folder, `${this.name}.yaml`),
    ];
    const parameters = ['netns', 'exec', this.namespace, ...command];
    this.process = startProcess(this.folder, { name: this.name, program: 'ip', parameters });
    await until(() => existsSync(this.socket), `heddle has started: ${lastLogLine(this.folder, this.name)}`);
  }

  async stop(): Promise<void> {
    if (this.process) await endProcesses([this.process]);
    this.process = undefined;
  }

  async reload(config: object): Promise<void> {
    this.write(config);
    await reload(this.socket);
  }

  async neighbor(link: LinkName): Promise<Neighbor> {
    const [found] = await this.client.neighbor(this.neighborName(link));
    if (!found) throw new Error(`heddle knows nothing of ${link}`);
    return found;
  }

  async established(link: LinkName): Promise<boolean> {
    return (await this.neighbor(link)).state === 'established';
  }

  command(link: LinkName, command: NeighborCommandName, message?: string): Promise<readonly string[]> {
    return commandNeighbor(this.socket, {
      name: this.neighborName(link),
      command,
      ...(message !== undefined && { message }),
    });
  }

  /** The path of a prefix that came over a link. */
  async path(prefix: string, link: LinkName): Promise<Path | undefined> {
    const route: Route | undefined = await this.client.route(prefix).catch(() => undefined);
    return route?.prefix === prefix
      ? route.paths.find(({ neighbor }) => neighbor?.split('%')[0] === sessionAddress(this.addressing, link, 2))
      : undefined;
  }

  private neighborName(link: LinkName): string {
    return this.addressing === 'unnumbered' || link === 'direct' ? link : globalAddress(link, 2);
  }

  /** Lines of the kernel's routes to a prefix. */
  async kernelRoutes(prefix: string): Promise<string> {
    const family = prefix.includes(':') ? '-6' : '-4';
    return run('ip', ['-n', this.namespace, family, 'route', 'show', prefix, 'proto', '179']);
  }

  /** Writes down how the kernel's IPv6 routes change until the function is called that is the result; it has that text. */
  watchKernel(name: string): () => string {
    const parameters = ['-n', this.namespace, '-6', 'monitor', 'route'];
    const watcher = startProcess(this.folder, { name: `kernel-${name}`, program: 'ip', parameters });
    return () => {
      if (isAlive(watcher)) process.kill(watcher.pid, 'SIGTERM');
      return readFileSync(logFile(this.folder, `kernel-${name}`), 'utf8');
    };
  }

  private write(config: object): void {
    writeFileSync(join(this.folder, `${this.name}.yaml`), stringify(config));
  }
}

const COMMON = {
  families: ['ipv6', 'ipv4'],
  timers: { hold: 30, 'connect-retry': 1, 'router-advertisement': 1 },
};
/** A session that carries no routes. */
const SILENT = { import: 'none', export: 'none' };
const REJECT_ALL = [{ action: 'reject' }];

/** Sessions with the peer: an interface each, or an address each. */
function sessions(addressing: Addressing, settings: Readonly<Partial<Record<PeerLink, object>>>) {
  const entries = Object.entries(settings) as [PeerLink, object][];
  if (addressing === 'unnumbered') return { fabric: Object.fromEntries(entries), neighbors: {} };
  const numbered = entries.map(([link, given]) => [
    globalAddress(link, 2),
    { 'remote-as': PEER_AS, aigp: true, ...given },
  ]);
  return { fabric: {}, neighbors: Object.fromEntries(numbered) };
}

/** `without` are prefixes that are not originated any more. */
export function leafConfig(folder: string, addressing: Addressing, without: readonly string[] = []): object {
  const originated = [...Object.values(LEAF), ...LEAF_BULK].filter((prefix) => !without.includes(prefix));
  const metric = { match: { prefixes: LEAF.metric }, set: { aigp: METRIC }, action: 'accept' };
  const { fabric, neighbors } = sessions(addressing, {
    plain: { import: 'all', export: 'told', 'add-path': { receive: true, send: 'all' } },
    signed: { ...SILENT, password: PASSWORD },
    near: { ...SILENT, gtsm: 'require' },
    watched: { ...SILENT, bfd: { interval: 300, multiplier: 3 } },
    limited: { ...SILENT, 'max-prefixes': { ipv6: { limit: PREFIX_LIMIT, action: 'shutdown' } } },
    ended: SILENT,
  });
  return {
    ...COMMON,
    name: 'leaf',
    role: 'leaf',
    as: LEAF_AS,
    'router-id': '10.1.0.1',
    fabric: { ...fabric, direct: { import: 'none', export: 'few' } },
    ...(addressing === 'numbered' && { neighbors }),
    advertise: originated.map((prefix) => ({ prefix, ...(prefix === LEAF.coloured && { colour: 1 }) })),
    policies: {
      none: REJECT_ALL,
      all: [{ action: 'accept' }],
      told: [metric, { action: 'accept' }],
      few: [metric, { match: { prefixes: LEAF.coloured }, action: 'accept' }, ...REJECT_ALL],
    },
    'graceful-restart': { helper: true, restarter: true, 'restart-time': 60, 'selection-deferral': 20 },
    'control-socket': join(folder, 'leaf.sock'),
  };
}

/** Passes what the leaf tells it to the peer, and takes from the peer what the peer passes on of that. */
export function spineConfig(folder: string, addressing: Addressing): object {
  const { fabric, neighbors } = sessions(addressing, { onward: { import: 'few', export: 'all' } });
  return {
    ...COMMON,
    name: 'spine',
    role: 'spine',
    as: SPINE_AS,
    'router-id': '10.0.0.2',
    fabric: { ...fabric, direct: { export: 'none' } },
    ...(addressing === 'numbered' && { neighbors }),
    policies: {
      none: REJECT_ALL,
      all: [{ action: 'accept' }],
      few: [{ match: { prefixes: [LEAF.coloured, LEAF.metric, LEAF.plain] }, action: 'accept' }, ...REJECT_ALL],
    },
    'control-socket': join(folder, 'spine.sock'),
  };
}
