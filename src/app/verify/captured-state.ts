/**
 * What captures of a fabric's sessions show of it: the routes that each receiver was told over each of them, at the end. Routers are known by
 * their BGP identifiers; what is not in the captures is taken out of the model before the two are compared.
 */
import { formatPrefix } from '../../core/net/prefix.js';
import type { ExplainedPath, Explanation } from '../../core/rib/types.js';
import { colourOf } from '../../core/wire/bgp/colour.js';
import type { FabricPort, PlannedRouter } from '../lab/plan.js';
import type { Receiver } from '../replay/receivers.js';
import type { ModelRoute, Prediction, Told } from './model.js';
import type { FabricState, NodeState } from './observation.js';

export interface Captured {
  readonly state: FabricState;
  /** Of the sessions that are shown, with routes as they are told. */
  readonly prediction: Prediction;
  /** Directions of sessions. */
  readonly sessions: number;
  /** Receivers that the topology does not have. */
  readonly strangers: readonly string[];
}

const UNSEEN = 'the captures do not show it';

export function capturedState(prediction: Prediction, receivers: readonly Receiver[]): Captured {
  const { plan } = prediction;
  const readings = new Map(
    receivers.flatMap((receiver) => {
      const router = plan.routers.find(({ routerId }) => routerId === receiver.host.name);
      return router ? [[router.name, new Reading(prediction, router, receiver)] as const] : [];
    }),
  );
  const nodes = plan.routers.map((router) => readings.get(router.name)?.state() ?? unseen(router));
  return {
    state: {
      format: 'heddle-verify-1',
      topology: plan.topology.name,
      nodes: nodes.map(({ node }) => node),
      links: [],
      routers: new Map(nodes.map((state) => [state.node, state])),
    },
    prediction: {
      ...prediction,
      routes: new Map([...prediction.routes].map(([name, routes]) => [name, shown(routes, readings.get(name))])),
    },
    sessions: [...readings.values()].reduce((sum, { ports }) => sum + ports.size, 0),
    strangers: receivers
      .map(({ host }) => host.name)
      .filter((name) => !plan.routers.some(({ routerId }) => routerId === name)),
  };
}

function unseen({ name, implementation }: PlannedRouter): NodeState {
  return {
    node: name,
    implementation,
    silent: UNSEEN,
    sessions: [],
    routes: [],
    fib: null,
    fibProblems: [],
    kernel: [],
  };
}

/** The routes of a router over the sessions that are shown, as they are told. */
function shown(routes: ReadonlyMap<string, ModelRoute>, reading: Reading | undefined): ReadonlyMap<string, ModelRoute> {
  const names = new Set([...(reading?.ports.values() ?? [])].map((port) => port.interface));
  return new Map(
    [...routes].map(([prefix, route]) => {
      const paths = route.paths
        .filter((path) => names.has(path.interface))
        .map(({ link, interface: name, peer, use, told }) => ({ link, interface: name, peer, use, told, ...told }));
      return [prefix, { ...route, paths }];
    }),
  );
}

class Reading {
  /** By the receiver's address on a session, with the sender: the port that it is on. */
  readonly ports: ReadonlyMap<string, FabricPort>;

  /** Of prefixes that were not withdrawn. */
  private readonly explanations: readonly Explanation[];

  constructor(
    private readonly prediction: Prediction,
    private readonly router: PlannedRouter,
    { outcomes }: Receiver,
  ) {
    this.explanations = outcomes.filter(({ gone }) => !gone).map(({ explanation }) => explanation);
    this.ports = this.assignedPorts();
  }

  state(): NodeState {
    const routes = this.explanations.map((explanation) => ({
      prefix: formatPrefix(explanation.prefix),
      paths: explanation.paths.flatMap((path) => {
        const port = this.ports.get(sessionOf(path));
        if (!port) return [];
        const told = toldBy(path);
        const aigp = told.aigp?.toString() ?? null;
        return [{ interface: port.interface, use: null, colour: told.colour ?? null, aigp, reason: null }];
      }),
    }));
    return { ...unseen(this.router), silent: null, routes: routes.filter(({ paths }) => paths.length > 0) };
  }

  /** A neighbour is known by its identifier, and which of several links to it a session is on by what is told there. */
  private assignedPorts(): ReadonlyMap<string, FabricPort> {
    const sessions = new Map<string, { peer: string; told: Map<string, Told> }>();
    for (const explanation of this.explanations) {
      for (const path of explanation.paths.filter(({ local }) => !local)) {
        const session = sessions.get(sessionOf(path)) ?? { peer: path.peerName, told: new Map<string, Told>() };
        session.told.set(formatPrefix(explanation.prefix), toldBy(path));
        sessions.set(sessionOf(path), session);
      }
    }
    const free = new Set(this.router.fabric);
    const ports = new Map<string, FabricPort>();
    for (const [key, { peer, told }] of sessions) {
      const candidates = [...free].filter((port) => this.identifierOf(port) === peer);
      const [best] = candidates.sort((a, b) => this.likeness(b, told) - this.likeness(a, told));
      if (!best) continue;
      free.delete(best);
      ports.set(key, best);
    }
    return ports;
  }

  private identifierOf(port: FabricPort): string | undefined {
    return this.prediction.plan.routers.find(({ name }) => name === port.peer.name)?.routerId;
  }

  /** Prefixes that are told as the model has them on this port. */
  private likeness(port: FabricPort, told: ReadonlyMap<string, Told>): number {
    const routes = this.prediction.routes.get(this.router.name)!;
    return [...told].filter(([prefix, { colour, aigp }]) => {
      const path = routes.get(prefix)?.paths.find((one) => one.interface === port.interface);
      return path !== undefined && path.told.colour === colour && path.told.aigp === aigp;
    }).length;
  }
}

function sessionOf({ peerName, interfaceName }: ExplainedPath): string {
  return `${peerName} ${interfaceName}`;
}

function toldBy({ attributes }: ExplainedPath): Told {
  const colour = colourOf(attributes);
  const aigp = attributes.aigp?.metric;
  return { ...(colour !== undefined && { colour }), ...(aigp !== undefined && { aigp }) };
}
