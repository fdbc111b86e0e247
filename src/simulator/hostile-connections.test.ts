/** One neighbour over streams that never go away by themselves. */
import { describe, expect, it } from 'vitest';
import { MemoryKernelTables } from '../core/fib/memory-tables.js';
import { parseAddress } from '../core/net/address.js';
import type { Stream } from '../core/ports/transport.js';
import { Neighbour } from '../core/speaker/neighbour.js';
import { link, router } from '../core/speaker/plain-config.js';
import { SeededRandom } from './seeded-random.js';
import { VirtualClock } from './virtual-clock.js';
import { VirtualLinks } from './virtual-links.js';
import { VirtualReachability } from './virtual-reachability.js';

const LOCAL = parseAddress('fe80::1')!;
const REMOTE = parseAddress('fe80::2')!;

describe('a neighbour', () => {
  it('holds no more than eight connections, however slowly the refused ones are closed', () => {
    const neighbour = runningNeighbour();
    let destroyed = 0;
    for (let i = 0; i < 1000; i++) neighbour.accept(stuckStream(() => destroyed++));
    expect(neighbour.openConnections).toBe(8);
    expect(destroyed).toBe(992);
  });
});

function stuckStream(destroy: () => void): Stream {
  const ends = { interfaceName: 'eth0', local: LOCAL, remote: REMOTE, localPort: 179, remotePort: 50_000 };
  return {
    ...ends,
    pending: 0,
    start: () => {},
    write: () => true,
    pause: () => {},
    resume: () => {},
    end: () => {},
    destroy,
  };
}

function runningNeighbour(): Neighbour {
  const fabric = link('eth0');
  const config = router('router', 65001, { identifier: 1, fabric: [fabric] });
  const links = new VirtualLinks();
  const never = new Promise<never>(() => {});
  const clock = new VirtualClock();
  const ports = {
    clock,
    random: new SeededRandom(1),
    log: { write: () => {} },
    transport: { connect: () => never, listen: () => never, protect: () => {}, obstacle: () => undefined },
    tables: new MemoryKernelTables(),
    reachability: new VirtualReachability(clock, links),
    links,
    bfd: { open: () => ({ status: () => undefined, change: () => {}, close: () => {} }) },
    ndSockets: links,
  };
  const routes = {
    established: () => {},
    update: () => undefined,
    refresh: () => {},
    alive: () => {},
    writable: () => {},
    hasRead: () => {},
    down: () => {},
    restarting: false as const,
  };
  const place = {
    name: 'neighbour',
    config: fabric,
    interfaceIndex: 1,
    interfaceName: fabric.name,
    local: LOCAL,
    nextHops: { ipv6: { linkLocal: LOCAL } },
    families: config.families,
    timers: config.timers,
    port: config.port,
    passive: false,
    connecting: true,
  };
  const neighbour = new Neighbour(config, ports, routes, place, REMOTE);
  neighbour.start();
  return neighbour;
}
