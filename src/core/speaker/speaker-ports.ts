/** Everything of the outside world that a speaker touches. */
import type { BfdSessions } from '../ports/bfd.js';
import type { Clock } from '../ports/clock.js';
import type { EventLog } from '../ports/event-log.js';
import type { Gateways } from '../ports/gateways.js';
import type { KernelTables } from '../ports/kernel-tables.js';
import type { Links } from '../ports/links.js';
import type { LoadMeters } from '../ports/load-meters.js';
import type { NdSockets } from '../ports/nd-socket.js';
import type { Random } from '../ports/random.js';
import type { Reachability } from '../ports/reachability.js';
import type { TableMemory } from '../ports/table-memory.js';
import type { Transport } from '../ports/transport.js';
import type { AttributeTable } from '../route/attribute-table.js';
import type { SessionWatcher } from './session-watcher.js';

export interface SpeakerPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: Transport;
  readonly ndSockets: NdSockets;
  readonly links: Links;
  readonly bfd: BfdSessions;
  readonly tables: KernelTables;
  readonly reachability: Reachability;
  /** Without it a session that is up is proof that its neighbour can be sent to. */
  readonly gateways?: Gateways;
  /** Without them nothing is known of loads, and nothing balanced by them. */
  readonly meters?: LoadMeters;
  readonly log: EventLog;
  /** Of the tables of routes. */
  readonly tableMemory?: TableMemory;
  /** Shared with other speakers of the process. */
  readonly attributes?: AttributeTable;
  /** Told what sessions do. */
  readonly watchers?: readonly SessionWatcher[];
}
