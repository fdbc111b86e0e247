/** The fabric page of one daemon: itself, who is at its interfaces, and what changes. It costs nothing while nobody looks. */
import { readFileSync } from 'node:fs';
import { PageBoard } from '../../edge/control/page/page-board.js';
import type { MatrixQuery, PageSource } from '../../edge/control/page/page-server.js';
import type { MatrixPart, PageLink, PageLinkState } from '../../edge/control/page/shapes.js';
import type { ControlHandlers, Interface } from '../../edge/control/schema.js';
import { parseCounters } from '../lab/live-counters.js';
import { packageVersion } from '../version.js';
import { matrixPart } from './matrix-part.js';
import { type OctetCounters, OctetRates, type Rates } from './octet-rates.js';
import { type Answers, type PeerNames, peerNames, routerState, surroundings } from './router-state.js';

/** Milliseconds between two looks. */
const INTERVAL = 1000;

type Handlers = Pick<ControlHandlers, 'summary' | 'neighbors' | 'interfaces' | 'fabric' | 'watch'>;

export interface DaemonPageOptions {
  readonly counters?: () => ReadonlyMap<string, OctetCounters>;
  /** Milliseconds of a clock that goes one way. */
  readonly now?: () => number;
}

export class DaemonPage implements PageSource {
  readonly board = new PageBoard();
  readonly #rates = new OctetRates();
  #peers: PeerNames = new Map();
  #lookers = 0;
  #end: (() => void) | undefined;

  constructor(
    private readonly handlers: Handlers,
    private readonly options: DaemonPageOptions = {},
  ) {}

  look(): () => void {
    if (this.#lookers++ === 0) this.#begin();
    return () => {
      if (--this.#lookers === 0) this.#end?.();
    };
  }

  matrix(query: MatrixQuery): Promise<MatrixPart> {
    return matrixPart(this.handlers.fabric(), query);
  }

  #begin(): void {
    const { name } = this.handlers.summary();
    this.refresh();
    const timer = setInterval(() => this.refresh(), INTERVAL).unref();
    const unwatch = this.handlers.watch((event) => this.board.event(name, event));
    this.#end = () => {
      clearInterval(timer);
      unwatch();
    };
  }

  /** Called by the timer. */
  refresh(): void {
    const { handlers } = this;
    const answers: Answers = {
      summary: handlers.summary(),
      neighbors: [...handlers.neighbors()],
      interfaces: [...handlers.interfaces()],
    };
    const { name, uptimeMs } = answers.summary;
    const startedAt = this.board.router(name)?.since ?? new Date(Date.now() - uptimeMs).toISOString();
    this.#peers = peerNames(answers.neighbors, this.#peers);
    const around = surroundings(answers, this.#peers);
    this.board.show({ kind: 'fabric', scope: 'router', name, version: packageVersion, ...around, actions: [] });
    const { counters = ownCounters, now = () => performance.now() } = this.options;
    const rates = this.#rates.read(counters(), now());
    const links = around.links.map((link) => linkState(link, { here: name, interfaces: answers.interfaces, rates }));
    this.board.update({ routers: [routerState(answers, startedAt)], links });
  }
}

interface Seen {
  readonly here: string;
  readonly interfaces: readonly Interface[];
  readonly rates: ReadonlyMap<string, Rates>;
}

function linkState({ name, a, b }: PageLink, { here, interfaces, rates }: Seen): PageLinkState {
  const near = a.node === here ? a : b;
  const own = interfaces.find((one) => one.name === near.interface);
  const rate = rates.get(near.interface);
  const [out, back] = [rate?.sent ?? null, rate?.received ?? null];
  return {
    name,
    state: own?.carrier ? 'up' : own?.adminUp ? 'no-carrier' : 'cut',
    ...(near === a ? { forth: out, back } : { forth: back, back: out }),
  };
}

/** Of our own network namespace. */
function ownCounters(): ReadonlyMap<string, OctetCounters> {
  try {
    return parseCounters(readFileSync('/proc/net/dev', 'utf8'));
  } catch {
    return new Map();
  }
}
