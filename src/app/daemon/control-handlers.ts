/** The control API's answers, read from a running speaker. Values only: what is shown, not how. */

import { formatIdentifier } from '../../core/net/identifier.js';
import type { Clock } from '../../core/ports/clock.js';
import type { Speaker } from '../../core/speaker/speaker.js';
import { API_VERSION, type ControlHandlers, type Interface, type Summary } from '../../edge/control/schema.js';
import { packageVersion } from '../version.js';
import { loadBalancing } from './dlb-view.js';
import type { EventHub } from './events/event-hub.js';
import { fabricMatrix } from './fabric-view.js';
import { fibDifferences } from './fib-difference-view.js';
import { fibEntries, fibNotes } from './fib-view.js';
import type { ForwardingPlane } from './forwarding-plane.js';
import { interfaceViews } from './interface-view.js';
import { type MeasuredParts, measurements } from './measurements/measurements.js';
import type { Monitoring } from './monitoring.js';
import { mrtDump } from './mrt-view.js';
import { neighborViews } from './neighbor-view.js';
import { routeSummaries, routeView } from './route-view.js';

export interface BesideSpeaker {
  readonly measured: Omit<MeasuredParts, 'speaker' | 'clock'>;
  readonly monitoring: Monitoring;
  readonly events: Pick<EventHub, 'watch'>;
  readonly plane: Pick<ForwardingPlane, 'notes' | 'view' | 'prefixes'>;
}

export function controlHandlers(
  speaker: Speaker,
  clock: Clock,
  { monitoring, events, plane, measured }: BesideSpeaker,
): ControlHandlers {
  return {
    summary: () => ({ ...summary(speaker, clock), monitoring: monitoring.summary() }),
    neighbors: () => neighborViews(speaker, clock),
    neighbor: (name) => [...neighborViews(speaker, clock, name)],
    routes: (family) => routeSummaries(speaker, family),
    route: (prefix) => routeView(speaker, clock, prefix),
    fib: () => fibEntries(speaker),
    fibNotes: () => [...fibNotes(speaker), ...plane.notes(speaker)],
    fibDifferences: () => fibDifferences(speaker),
    dlb: () => loadBalancing(speaker, plane.view(speaker)),
    planePrefixes: () => plane.prefixes(),
    fabric: () => fabricMatrix(speaker),
    interfaces: (): Iterable<Interface> => interfaceViews(speaker),
    measurements: () => measurements({ speaker, clock, ...measured }),
    watch: (listener) => events.watch(listener),
    mrt: (family) => mrtDump(speaker, clock, family),
  };
}

function summary(speaker: Speaker, clock: Clock): Omit<Summary, 'monitoring'> {
  const { config, engine, convergence } = speaker;
  const totals = engine.rib.totals();
  return {
    apiVersion: API_VERSION,
    name: config.name,
    version: packageVersion,
    pid: process.pid,
    role: config.role,
    as: config.asn,
    routerId: formatIdentifier(config.identifier),
    families: [...config.families],
    dpfMode: config.dpf.mode,
    uptimeMs: clock.now() - speaker.startedAt,
    neighbors: speaker.sessionCount(),
    routes: totals.prefixes,
    paths: totals.paths,
    fib: fibSummary(speaker),
    startup: {
      linkUpToRoutesMs: convergence.duration ?? null,
      convergedAt: convergence.completedAt === undefined ? null : timeOf(convergence.completedAt, clock),
      waitsFor: [...speaker.awaited],
    },
  };
}

export function fibSummary({ fib }: Speaker): Summary['fib'] {
  const { prefixes, waiting, failed, written } = fib.counters;
  return { installed: prefixes - waiting - failed, pending: waiting, failed, written: { ...written } };
}

/** A moment of the monotonic clock as ISO 8601 text. */
function timeOf(moment: number, clock: Clock): string {
  return new Date(Date.now() - (clock.now() - moment)).toISOString();
}
