/**
 * A namespace with one link in and four out, whose far ends throw away what comes: the plane's way and the kernel's lead over the same
 * four.
 */
import { run, tryRun } from '../../app/lab/command.js';
import { ipBatch, setSwitches } from '../../app/lab/namespaces.js';

export const INGRESS = 'in0';
export const INGRESS_PEER = 'in0x';
export const PORTS = [0, 1, 2, 3] as const;
export const portName = (port: number) => `out${port}`;
export const sinkName = (port: number) => `sink${port}`;
/**
 * Of the interface that frames come in by, and of all neighbours too: the kernel sends the same pages again as they were left, and so
 * they are still for us.
 */
export const LINK_ADDRESS = '02:00:00:00:00:01';
/** Jumbo frames. */
export const MTU = 9000;
export const PREFIX = '2001:db8:1::/64';
const GROUP = 10;

export async function buildStage(namespace: string): Promise<void> {
  await clearStage(namespace);
  await run('ip', ['netns', 'add', namespace]);
  await setSwitches(namespace, { 'ipv6/conf/all/forwarding': 1, 'ipv6/fib_multipath_hash_policy': 1 });
  const pairs = [[INGRESS, INGRESS_PEER], ...PORTS.map((port) => [portName(port), sinkName(port)])];
  await ipBatch(
    pairs.flatMap(([near, far]) => [
      `link add ${near} mtu ${MTU} type veth peer name ${far} mtu ${MTU}`,
      `link set ${near} up`,
      `link set ${far} up`,
    ]),
    namespace,
  );
  await ipBatch([`link set ${INGRESS} address ${LINK_ADDRESS}`, ...PORTS.flatMap(routeOf), ...groupOf()], namespace);
}

function routeOf(port: number): readonly string[] {
  return [
    `neigh replace fe80::${port + 1} lladdr ${LINK_ADDRESS} dev ${portName(port)} nud permanent`,
    `nexthop replace id ${port + 1} via fe80::${port + 1} dev ${portName(port)}`,
  ];
}

function groupOf(): readonly string[] {
  const members = PORTS.map((port) => port + 1).join('/');
  return [`nexthop replace id ${GROUP} group ${members}`, `route replace ${PREFIX} nhid ${GROUP}`];
}

/** Nothing happens when it is not there. */
export async function clearStage(namespace: string): Promise<void> {
  await tryRun('ip', ['netns', 'delete', namespace]);
}
