/** Who else is here: other listeners on the BGP port, routing daemons, and what they left in the kernel. */
import { ROUTE_PROTOCOL } from '../../core/fib/ownership.js';
import { counted } from '../../core/net/counted.js';
import { type Finding, ok, problem, warning } from './finding.js';
import type { Process } from './proc.js';

const LISTEN = '0A';

/** Inodes of sockets that listen on a TCP port. @param tables /proc/net/tcp and tcp6 */
export function listenersOn(tables: readonly string[], port: number): readonly string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return tables
    .flatMap((table) => table.split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(suffix) && fields[3] === LISTEN)
    .map((fields) => fields[9] ?? '');
}

export interface PortUse {
  readonly port: number;
  readonly listeners: number;
  readonly owners: readonly Process[];
}

/** @param running the heddle that answers on the control socket of this configuration, by its process */
export function checkPort({ port, listeners, owners }: PortUse, running: number | undefined): Finding {
  if (listeners === 0) return ok('port', `TCP port ${port} is free`);
  const [owner] = owners;
  if (running !== undefined && owners.every(({ pid }) => pid === running))
    return ok('port', `TCP port ${port} is held by the daemon of this configuration (process ${running})`);
  const who = owner ? `${owner.name} (process ${owner.pid})` : 'a process that this user may not look at';
  return problem('port', {
    found: `TCP port ${port} is taken by ${who}`,
    meaning: 'the daemon could not listen, and would not start',
    action: owner ? `stop ${owner.name}, or set another port in the configuration` : 'see who it is: sudo ss -ltnp',
  });
}

/** By the names of their processes: what they do that collides. */
const DAEMONS: ReadonlyMap<string, string> = new Map([
  ['radvd', 'it sends router advertisements of its own: hosts and neighbours hear two routers'],
  ['zebra', 'FRR writes routes, and sends router advertisements where it is told to'],
  ['bgpd', 'it speaks BGP, and takes the sessions of neighbours'],
  ['bird', 'it writes routes, and takes the sessions of neighbours'],
  ['bird6', 'it writes routes, and takes the sessions of neighbours'],
  ['gobgpd', 'it speaks BGP, and takes the sessions of neighbours'],
  ['ospf6d', 'it writes routes through zebra'],
  ['babeld', 'it writes routes'],
  ['dhcpcd', 'it takes addresses and default routes from router advertisements'],
  ['NetworkManager', 'it may take addresses and routes of interfaces that it is not told to leave alone'],
  ['systemd-network', 'it may take addresses and routes of interfaces that it is not told to leave alone'],
]);

export function checkDaemons(processes: readonly Process[]): Finding[] {
  const found = processes.filter(({ name }) => DAEMONS.has(name));
  if (found.length === 0) return [ok('daemons', 'no other routing daemon runs in this network namespace')];
  return found.map(({ name, pid }) =>
    warning('daemons', {
      subject: name,
      found: `${name} runs in this network namespace (process ${pid})`,
      meaning: DAEMONS.get(name)!,
      action: `stop it, or keep it off the interfaces of heddle`,
    }),
  );
}

/** Numbers of rtm_protocol that other programs of the field write (/etc/iproute2/rt_protos). */
const PROTOCOLS: ReadonlyMap<number, string> = new Map([
  [9, 'router advertisements that the kernel took'],
  [10, 'MRT'],
  [11, 'zebra'],
  [12, 'BIRD'],
  [16, 'DHCP'],
  [42, 'babel'],
  [186, 'BGP of FRR'],
  [187, 'IS-IS'],
  [188, 'OSPF'],
  [189, 'RIP'],
  [192, 'EIGRP'],
]);

export function checkRoutes(routes: ReadonlyMap<number, number>, running: boolean): Finding[] {
  const foreign = [...routes].filter(([protocol]) => PROTOCOLS.has(protocol));
  const own = routes.get(ROUTE_PROTOCOL) ?? 0;
  return [
    ...foreign.map(([protocol, count]) =>
      warning('routes', {
        subject: PROTOCOLS.get(protocol)!,
        found: `${counted(count, 'route')} in the main tables of ${PROTOCOLS.get(protocol)} (protocol ${protocol})`,
        meaning: 'where one has a metric below 20 for a prefix of the fabric, it is used in place of ours',
        action: `ip -6 route show proto ${protocol} lists them; stop who writes them, or see that they are for other prefixes`,
      }),
    ),
    ...(own > 0 && !running
      ? [
          warning('routes', {
            subject: 'heddle',
            found: `${counted(own, 'route')} of heddle itself (protocol ${ROUTE_PROTOCOL}), and no daemon answers`,
            meaning:
              'a daemon restarted, or was killed: the next one takes over what it wants too, and deletes the rest',
            action: 'start the daemon; ip route flush proto 179, also with -6, removes them without one',
          }),
        ]
      : []),
    ...(foreign.length === 0 ? [ok('routes', 'no routing daemon has routes in the main tables')] : []),
  ];
}
