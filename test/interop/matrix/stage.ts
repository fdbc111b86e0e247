/** Namespaces, links and programs of one row. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, tryRun } from '../../../src/app/lab/command.js';
import { PACKAGE_ROOT } from '../../../src/app/lab/lab.js';
import { deleteNamespaces, ipBatch } from '../../../src/app/lab/namespaces.js';
import { poll } from '../../../src/app/lab/poll.js';
import {
  endProcesses,
  isAlive,
  type LabProcess,
  logFile,
  recordedProcesses,
  startProcess,
} from '../../../src/app/lab/processes.js';
import { ROUTER_SWITCHES } from '../../../src/app/lab/switches.js';
import { Heddle } from './heddle.js';
import type { Peer, PeerContext, PeerKind } from './peers/peer.js';
import { type Addressing, type End, globalAddress, type LinkName, macAddress, PEER_LINKS } from './plan.js';

const PEER_RUN = join(PACKAGE_ROOT, 'scripts', 'peer-run');
const PREFIX = 'mx';
/** Addresses are used at once, and are those that the plan knows. */
const SWITCHES = { ...ROUTER_SWITCHES, 'ipv6/conf/all/accept_dad': 0, 'ipv6/conf/default/accept_dad': 0 };

/** A version of a peer and where its programs are. */
export interface Contender {
  readonly kind: PeerKind;
  /** Folder of HEDDLE_PEERS. */
  readonly root: 'root' | 'bookworm';
}

export class Stage {
  readonly leaf: Heddle;
  readonly spine: Heddle;
  readonly peer: Peer;
  readonly context: PeerContext;
  readonly folder: string;
  private readonly names: { readonly leaf: string; readonly peer: string; readonly spine: string };

  constructor(readonly contender: Contender) {
    const slug = contender.kind.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    this.names = { leaf: `${PREFIX}-${slug}-l`, peer: `${PREFIX}-${slug}-p`, spine: `${PREFIX}-${slug}-s` };
    this.folder = join(tmpdir(), 'heddle-matrix', slug);
    const { addressing } = contender.kind;
    this.leaf = new Heddle(this.folder, 'leaf', this.names.leaf, addressing);
    this.spine = new Heddle(this.folder, 'spine', this.names.spine, addressing);
    this.context = this.peerContext();
    this.peer = contender.kind.create(this.context);
  }

  /** Takes down what an interrupted run has left, then makes namespaces and links. */
  async build(): Promise<void> {
    await this.tearDown();
    mkdirSync(this.folder, { recursive: true });
    const { leaf, peer, spine } = this.names;
    await ipBatch([leaf, peer, spine].map((name) => `netns add ${name}`));
    await Promise.all([leaf, peer, spine].map(setSwitches));
    const { addressing } = this.contender.kind;
    for (const link of PEER_LINKS)
      await connect({ link, from: link === 'onward' ? spine : leaf, to: peer, addressing });
    await connect({ link: 'direct', from: leaf, to: spine, addressing: 'unnumbered' });
  }

  async tearDown(): Promise<void> {
    await endProcesses(recordedProcesses(this.folder));
    await deleteNamespaces(Object.values(this.names));
    this.peer.clean();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private peerContext(): PeerContext {
    const { folder, contender } = this;
    const namespace = this.names.peer;
    const env = { HEDDLE_PEER_DIR: folder, HEDDLE_PEERS_ROOT: contender.root };
    const processes = new Map<string, LabProcess>();
    return {
      addressing: contender.kind.addressing,
      namespace,
      folder,
      root: join(process.env.HEDDLE_PEERS ?? '/var/tmp/heddle-peers', contender.root),
      run: async (...command) => {
        const { status, stdout, stderr } = await tryRun(PEER_RUN, [namespace, ...command], { env });
        return { status, output: stdout + stderr };
      },
      launch: async (name, ...command) => {
        const parameters = [namespace, ...command];
        processes.set(name, startProcess(folder, { name, program: PEER_RUN, parameters, env }));
      },
      assist: async (name, ...command) => {
        const parameters = [namespace, ...command];
        startProcess(folder, { name, program: PEER_RUN, parameters, env: { HEDDLE_PEER_DIR: folder } });
      },
      kill: async (name) => {
        const running = processes.get(name);
        if (!running || !isAlive(running)) throw new Error(`${name} does not run any more`);
        // Its children first: they must not have the time to say good-bye.
        for (const pid of [...childrenOf(running.pid), running.pid]) killNow(pid);
        await poll(() => !isAlive(running), { timeout: 120_000, interval: 10 });
      },
      log: (name) => readFileSync(logFile(folder, name), 'utf8'),
    };
  }
}

/** One that has gone meanwhile, because another has, is as good. */
function killNow(pid: number): void {
  if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL');
}

function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...childrenOf(child)]);
}

async function setSwitches(namespace: string): Promise<void> {
  const writes = Object.entries(SWITCHES).map(([path, value]) => `echo ${value} >/proc/sys/net/${path}`);
  await run('ip', ['netns', 'exec', namespace, 'sh', '-ec', ['ip link set lo up', ...writes].join('\n')]);
}

interface Connection {
  readonly link: LinkName;
  readonly from: string;
  readonly to: string;
  readonly addressing: Addressing;
}

/** Both ends have the name of the link. */
async function connect({ link, from, to, addressing }: Connection): Promise<void> {
  const end = (namespace: string, side: End) => `${link} netns ${namespace} address ${macAddress(link, side)}`;
  await ipBatch([`link add ${end(from, 1)} type veth peer name ${end(to, 2)}`]);
  const addresses = (side: End) =>
    addressing === 'numbered' ? [`addr add ${globalAddress(link, side)}/64 dev ${link}`] : [];
  await Promise.all([
    ipBatch([`link set ${link} up`, ...addresses(1)], from),
    ipBatch([`link set ${link} up`, ...addresses(2)], to),
  ]);
}
