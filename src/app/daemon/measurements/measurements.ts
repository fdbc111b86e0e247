/** What `/metrics` tells of a running speaker, put together when somebody asks: a walk of sessions, links and forwarding classes. */
import { FAMILIES } from '../../../core/net/family.js';
import type { Clock } from '../../../core/ports/clock.js';
import type { FabricLink } from '../../../core/speaker/fabric-link.js';
import type { Neighbour } from '../../../core/speaker/neighbour.js';
import type { Speaker } from '../../../core/speaker/speaker.js';
import type {
  ColourMeasurement,
  FibMeasurement,
  LinkMeasurement,
  Measurements,
  NeighborMeasurement,
  ProcessMeasurement,
} from '../../../edge/control/measurements.js';
import { byAddress, linksInOrder, ownersInOrder } from '../show-order.js';
import { linkWord, sessionWord } from './down-words.js';
import type { SessionMeter } from './session-meter.js';

export interface MeasuredParts {
  readonly speaker: Speaker;
  readonly clock: Clock;
  readonly meter: SessionMeter;
  readonly reloads: () => Measurements['reload'];
  readonly process: () => ProcessMeasurement;
}

export function measurements(parts: MeasuredParts): Measurements {
  const { speaker, meter, reloads, process } = parts;
  return {
    reload: reloads(),
    restarting: speaker.engine.restarting !== false,
    links: linksInOrder(speaker.fabricLinks).map(linkMeasurement),
    neighbors: [...neighborMeasurements(parts)],
    drops: meter.drops,
    keepaliveLateness: meter.keepaliveLateness.counts,
    selectionChanges: meter.selectionChanges,
    colours: colourMeasurements(speaker),
    fib: fibMeasurement(speaker),
    process: process(),
  };
}

function linkMeasurement(link: FabricLink): LinkMeasurement {
  const { config, state } = link;
  const sessions = link.sessions();
  const up = sessions.some(({ isEstablished }) => isEstablished);
  const place = { interface: config.name, colour: config.colour ?? null, carrier: state?.carrier ?? false };
  if (up) return { ...place, up, reason: null };
  const [first] = sessions;
  const word = first ? sessionWord(link.keeper.holdOf(first.name), first.summary().lastDown) : 'no-neighbour';
  return { ...place, up, reason: link.reason === undefined ? word : linkWord(link.reason) };
}

function* neighborMeasurements({ speaker, clock }: MeasuredParts): Iterable<NeighborMeasurement> {
  for (const owner of ownersInOrder(speaker)) {
    const sessions = byAddress(owner.sessions());
    const { config, keeper } = owner;
    if (sessions.length === 0 && 'address' in config)
      yield { ...NO_SESSION, name: config.name, reason: keeper.holdOf(config.name)?.kind ?? 'unreachable' };
    for (const session of sessions) {
      const { state, establishedCount, lastDown } = session.summary();
      const up = state === 'established';
      yield {
        name: session.name,
        interface: session.place.interfaceName,
        up,
        reason: up ? null : sessionWord(keeper.holdOf(session.name), lastDown),
        uptime: up ? (clock.now() - session.changedAt) / 1000 : null,
        establishedCount,
        messages: { sent: { ...session.counters.sent }, received: { ...session.counters.received } },
        ...routesOf(speaker, session),
        bfd: session.bfd
          ? { up: session.bfd.status?.state === 'Up', failures: session.bfd.status?.failures ?? 0 }
          : null,
      };
    }
  }
}

const NO_MESSAGES = { open: 0, update: 0, notification: 0, keepalive: 0, routeRefresh: 0 };

/** Of a neighbour of the configuration that cannot be tried. */
const NO_SESSION: Omit<NeighborMeasurement, 'name' | 'reason'> = {
  ...{ interface: '', up: false, uptime: null, establishedCount: 0, limits: [], settling: false, bfd: null },
  prefixes: { received: 0, accepted: 0, advertised: 0 },
  messages: { sent: NO_MESSAGES, received: NO_MESSAGES },
  ...{ announced: 0, withdrawn: 0, malformed: 0, stale: 0 },
};

type Routes = Pick<
  NeighborMeasurement,
  'prefixes' | 'limits' | 'announced' | 'withdrawn' | 'malformed' | 'stale' | 'settling'
>;

function routesOf({ engine }: Speaker, neighbour: Neighbour): Routes {
  const kept = engine.stale.state(neighbour);
  const peer = engine.session(neighbour)?.peer ?? kept?.peer;
  const { prefixLimits = {} } = neighbour.place.config;
  const limits = FAMILIES.flatMap((family) => {
    const limit = prefixLimits[family]?.limit;
    return limit === undefined ? [] : [{ family, limit, received: engine.prefixCount(neighbour, family) }];
  });
  const settling = engine.settling.state(neighbour) !== undefined;
  if (peer === undefined) {
    const { prefixes, announced, withdrawn, malformed, stale } = NO_SESSION;
    return { prefixes, limits, announced, withdrawn, malformed, stale, settling };
  }
  const { paths, accepted, announced, withdrawn, errors } = engine.rib.counters(peer);
  return {
    prefixes: { received: paths, accepted, advertised: engine.out.counters(peer).advertised },
    ...{ limits, announced, withdrawn, malformed: errors, stale: kept ? paths : 0, settling },
  };
}

/** On a leaf: a spine passes on what has no path of its colour there, and that is as it should be. */
function colourMeasurements({ config: { role }, fib, fabricLinks }: Speaker): ColourMeasurement[] {
  if (role !== 'leaf') return [];
  const uses = fib.colours();
  const colours = new Set([...fabricLinks.flatMap(({ config }) => config.colour ?? []), ...uses.keys()]);
  return [...colours]
    .sort((a, b) => a - b)
    .map((colour) => ({ colour, ...(uses.get(colour) ?? { prefixes: 0, onFallback: 0 }) }));
}

function fibMeasurement({ fib }: Speaker): FibMeasurement {
  const { outsideChanges, refusals, resyncs } = fib.counters;
  const { routesDeleted, routesReplaced, nextHopsDeleted } = outsideChanges;
  return {
    outsideChanges: new Map([
      ['route-deleted', routesDeleted],
      ['route-replaced', routesReplaced],
      ['next-hop-deleted', nextHopsDeleted],
    ]),
    refusals,
    resyncs,
    foreign: [...fib.foreign()].length,
  };
}
