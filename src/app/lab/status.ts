/** The state of a lab as one value: nodes with their processes and sessions, links, and host addresses. */
import { driverOf } from './drivers.js';
import { hostAddresses } from './hosts.js';
import { allNamespaces, type Lab, namespaceOf } from './lab.js';
import { rateOf } from './link-rate.js';
import { type LinkState, linkConditions } from './links.js';
import { listNamespaces } from './namespaces.js';
import type { PlannedRouter } from './plan.js';
import { isAlive, recordedProcesses } from './processes.js';

export interface RouterStatus {
  readonly name: string;
  readonly role: string;
  readonly implementation: string;
  readonly as: number;
  readonly namespace: string;
  readonly processes: readonly { readonly name: string; readonly pid: number; readonly alive: boolean }[];
  readonly sessions: { readonly up: number; readonly total: number; readonly missing: readonly string[] };
}

export interface LabStatus {
  readonly name: string;
  readonly source: string;
  readonly directory: string;
  readonly routers: readonly RouterStatus[];
  readonly hosts: readonly {
    readonly name: string;
    readonly leaf: string;
    readonly namespace: string;
    readonly addresses: { readonly usable: number; readonly total: number };
  }[];
  readonly links: readonly {
    readonly a: string;
    readonly b: string;
    readonly state: LinkState;
    /** Bits a second each way; absent: as fast as the machine is. */
    readonly rate?: number;
  }[];
  /** Namespaces that should exist and do not. */
  readonly missingNamespaces: readonly string[];
}

export async function labStatus(lab: Lab): Promise<LabStatus> {
  const existing = new Set(await listNamespaces());
  const missingNamespaces = allNamespaces(lab).filter((name) => !existing.has(name));
  const whole = missingNamespaces.length === 0;
  const routers = await Promise.all(lab.plan.routers.map((router) => routerStatus(lab, router)));
  const conditions = whole ? await linkConditions(lab) : [];
  return {
    name: lab.name,
    source: lab.source,
    directory: lab.directory,
    routers,
    hosts: await Promise.all(
      lab.plan.hosts.map(async (host) => {
        const addresses = whole ? await hostAddresses(lab, host) : [];
        const usable = addresses.filter((address) => address.usable).length;
        return {
          name: host.name,
          leaf: host.leaf,
          namespace: namespaceOf(lab, host.name),
          addresses: { usable, total: addresses.length },
        };
      }),
    ),
    links: conditions.map(({ link, state }) => {
      const rate = rateOf(lab.plan, link);
      const [a, b] = [link.a, link.b].map((end) => `${end.node}/${end.interface}`) as [string, string];
      return { a, b, state, ...(rate !== undefined && { rate }) };
    }),
    missingNamespaces,
  };
}

async function routerStatus(lab: Lab, router: PlannedRouter): Promise<RouterStatus> {
  const mine = (name: string) => name === router.name || name.startsWith(`${router.name}.`);
  const processes = recordedProcesses(lab.directory).filter((entry) => mine(entry.name));
  const alive = processes.length > 0 && processes.every(isAlive);
  const none = { up: 0, total: router.fabric.length, missing: ['not running'] };
  return {
    name: router.name,
    role: router.role,
    implementation: router.implementation,
    as: router.asn,
    namespace: namespaceOf(lab, router.name),
    processes: processes.map((entry) => ({ name: entry.name, pid: entry.pid, alive: isAlive(entry) })),
    sessions: alive ? await driverOf(router).sessions(lab, router) : none,
  };
}
