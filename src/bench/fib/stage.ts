/**
 * The stage: namespaces and links, with addresses, permanent neighbours (resolving them is not what is measured) and the
 * spines' static routes.
 */

import { tearDown } from '../../app/lab/build.js';
import { run } from '../../app/lab/command.js';
import type { Lab } from '../../app/lab/lab.js';
import { ipBatch, setSwitches } from '../../app/lab/namespaces.js';
import { ROUTER_SWITCHES } from '../../app/lab/switches.js';
import { buildBenchLab } from '../common/bench-lab.js';
import {
  AGGREGATE,
  DOWN_INTERFACE,
  FAR,
  FAR_INTERFACE,
  farAddress,
  HOST,
  HOST_ADDRESS,
  HOST_GATEWAY,
  HOST_INTERFACE,
  HOST_PORT,
  LEAF,
  leafAddress,
  type StageNames,
  spineAddress,
  spineFarAddress,
  spineName,
  stageNames,
  UPLINKS,
  type Uplink,
  uplinkInterface,
} from './plan.js';

/** Addresses are used at once and outlive their link's going down. */
const SWITCHES = {
  ...ROUTER_SWITCHES,
  'ipv6/conf/all/accept_dad': 0,
  'ipv6/conf/default/accept_dad': 0,
  'ipv6/conf/all/keep_addr_on_down': 1,
  'ipv6/conf/default/keep_addr_on_down': 1,
};
/** The far leaf takes packets to all addresses of its prefixes. */
const FAR_SWITCHES = { ...SWITCHES, 'ipv6/ip_nonlocal_bind': 1 };

interface End {
  readonly node: string;
  readonly interface: string;
  readonly address: string;
  readonly mac: string;
}

interface Link {
  readonly near: End;
  readonly far: End;
}

export class Stage {
  readonly names: StageNames;
  private readonly links: readonly Link[];

  private constructor(readonly lab: Lab) {
    this.names = stageNames(lab);
    this.links = [hostLink(), ...UPLINKS.map(leafLink), ...UPLINKS.map(farLink)];
  }

  /** Takes down what an interrupted run of that name has left, and builds. Throws LabError when that cannot be. */
  static async build(name: string): Promise<Stage> {
    const topology = `spines: ${UPLINKS.length}\nleaves: 2\nimplementations: { leaf1: frr }\n`;
    const connect = (lab: Lab) => new Stage(lab).connect();
    return new Stage(await buildBenchLab({ name, source: 'the benchmark of forwarding', topology, connect }));
  }

  async tearDown(): Promise<void> {
    await tearDown(this.lab);
  }

  /** The leaf's own end: carrier and interface are gone at once. */
  async failUplink(uplink: Uplink): Promise<void> {
    await run('ip', ['-n', this.names.leaf, 'link', 'set', uplinkInterface(uplink), 'down']);
  }

  /** The spine's end of the leaf's uplink: the leaf loses carrier. */
  async loseCarrier(uplink: Uplink): Promise<void> {
    await run('ip', ['-n', this.names.spine(uplink), 'link', 'set', DOWN_INTERFACE, 'down']);
  }

  /** All links of the spine are up again, as they were. */
  async heal(uplink: Uplink): Promise<void> {
    const ends = [leafLink(uplink), farLink(uplink)].flatMap(({ near, far }) => [near, far]);
    await Promise.all(ends.map((end) => ipBatch([`link set ${end.interface} up`], this.namespaceOf(end))));
    const links = [leafLink(uplink), farLink(uplink)];
    await Promise.all(links.flatMap((link) => [this.settle(link.near, link.far), this.settle(link.far, link.near)]));
    await this.routeSpine(uplink);
  }

  private async connect(): Promise<void> {
    const nodes = [LEAF, FAR, HOST, ...UPLINKS.map(spineName)];
    await ipBatch(nodes.map((node) => `netns add ${this.namespace(node)}`));
    await Promise.all(nodes.map((node) => setSwitches(this.namespace(node), node === FAR ? FAR_SWITCHES : SWITCHES)));
    await ipBatch(
      this.links.map(({ near, far }) => `link add ${this.veth(near)} type veth peer name ${this.veth(far)}`),
    );
    for (const { near, far } of this.links) {
      await Promise.all([this.raise(near), this.raise(far)]);
      await Promise.all([this.settle(near, far), this.settle(far, near)]);
    }
    await ipBatch([`route add default via ${HOST_GATEWAY}`], this.names.host);
    await ipBatch([`route add local ${AGGREGATE} dev lo`], this.names.far);
    await Promise.all(UPLINKS.map((uplink) => this.routeSpine(uplink)));
  }

  private veth(end: End): string {
    return `${end.interface} netns ${this.namespaceOf(end)} address ${end.mac}`;
  }

  private raise(end: End): Promise<void> {
    return ipBatch(
      [`addr add ${end.address}/64 dev ${end.interface} nodad`, `link set ${end.interface} up`],
      this.namespaceOf(end),
    );
  }

  private settle(end: End, peer: End): Promise<void> {
    const neighbour = `${peer.address} lladdr ${peer.mac} dev ${end.interface}`;
    return ipBatch([`neigh replace ${neighbour} nud permanent`], this.namespaceOf(end));
  }

  private routeSpine(uplink: Uplink): Promise<void> {
    return ipBatch(
      [`route replace ${AGGREGATE} via ${farAddress(uplink)} dev ${FAR_INTERFACE}`],
      this.names.spine(uplink),
    );
  }

  private namespaceOf(end: End): string {
    return this.namespace(end.node);
  }

  private namespace(node: string): string {
    if (node === LEAF) return this.names.leaf;
    if (node === FAR) return this.names.far;
    if (node === HOST) return this.names.host;
    return this.names.spine(UPLINKS.find((uplink) => spineName(uplink) === node)!);
  }
}

function mac(link: number, end: 1 | 2): string {
  return `02:00:00:00:${link.toString(16).padStart(2, '0')}:0${end}`;
}

function hostLink(): Link {
  return {
    near: { node: HOST, interface: HOST_INTERFACE, address: HOST_ADDRESS, mac: mac(0, 1) },
    far: { node: LEAF, interface: HOST_PORT, address: HOST_GATEWAY, mac: mac(0, 2) },
  };
}

function leafLink(uplink: Uplink): Link {
  const spine = spineName(uplink);
  return {
    near: { node: LEAF, interface: uplinkInterface(uplink), address: leafAddress(uplink), mac: mac(16 + uplink, 1) },
    far: { node: spine, interface: DOWN_INTERFACE, address: spineAddress(uplink), mac: mac(16 + uplink, 2) },
  };
}

function farLink(uplink: Uplink): Link {
  const spine = spineName(uplink);
  return {
    near: { node: spine, interface: FAR_INTERFACE, address: spineFarAddress(uplink), mac: mac(32 + uplink, 1) },
    far: { node: FAR, interface: uplinkInterface(uplink), address: farAddress(uplink), mac: mac(32 + uplink, 2) },
  };
}
