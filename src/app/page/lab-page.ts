/**
 * The fabric page of a whole lab: every daemon's own page followed, links looked at in the kernel, counters of both their ends; and links cut and mended
 * as `heddle lab fail` and `heal` do it.
 */
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { forward } from '../../edge/control/page/forward.js';
import { PageBoard } from '../../edge/control/page/page-board.js';
import type { PageSource } from '../../edge/control/page/page-server.js';
import { LINK_ACTIONS, type LinkChange, type PageLinkState, type PageNode } from '../../edge/control/page/shapes.js';
import { LabError } from '../lab/command.js';
import { controlSocket, findRouter, knownLabs, type Lab } from '../lab/lab.js';
import { rateOf } from '../lab/link-rate.js';
import { failLink, healLink, type LinkState, linkConditions, silenceLink } from '../lab/links.js';
import { parseCounters } from '../lab/live-counters.js';
import type { Endpoint, PlannedRouter } from '../lab/plan.js';
import { recordedProcesses } from '../lab/processes.js';
import { linkNames } from '../verify/failures.js';
import { packageVersion } from '../version.js';
import { LabRouter } from './lab-router.js';
import { type OctetCounters, OctetRates, type Rates } from './octet-rates.js';

/** Milliseconds between two looks, at least; a large lab, whose links take long to look at, is looked at less often. */
const INTERVAL = 1000;
const SHARE_OF_TIME = 4;

const CHANGES = { fail: failLink, silence: silenceLink, heal: healLink } as const;

export class LabPage implements PageSource {
  readonly board = new PageBoard();
  readonly #names: ReturnType<typeof linkNames>;
  readonly #rates = new OctetRates();
  readonly #routers: readonly LabRouter[];
  readonly #end = new AbortController();
  #looking: Promise<void> = Promise.resolve();

  constructor(private readonly lab: Lab) {
    this.#names = linkNames(lab.plan);
    this.#routers = lab.plan.routers.map((router) => new LabRouter(lab, router, this.board));
  }

  /** Until `close` is called, or the lab is taken down, with which it resolves. */
  async run(): Promise<void> {
    this.board.show(fabricOf(this.lab, this.#names));
    for (const router of this.#routers) router.follow(this.#end.signal);
    while (!this.#end.signal.aborted && knownLabs().includes(this.lab.name)) {
      const started = performance.now();
      await this.#refresh();
      const pause = Math.max(INTERVAL, (performance.now() - started) * SHARE_OF_TIME);
      await sleep(pause, undefined, { signal: this.#end.signal }).catch(() => undefined);
    }
    this.close();
  }

  close(): void {
    this.#end.abort();
  }

  /** It is looked at all the time, so that who comes later sees what was before. */
  look(): () => void {
    return () => undefined;
  }

  async change({ link, action }: LinkChange): Promise<void> {
    if (!this.#names.has(link)) throw new LabError(`lab ${this.lab.name} has no link ${link}`);
    await CHANGES[action](this.lab, link);
    await this.#refresh();
  }

  pass(name: string, path: string, response: ServerResponse): boolean {
    const router = this.lab.plan.routers.find((one) => one.name === name);
    if (!router || !isAsked(router)) return false;
    forward(controlSocket(this.lab, name), path, response);
    return true;
  }

  /** One look after the other: what an older one saw is not to be told after a newer one. */
  #refresh(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look());
    return this.#looking;
  }

  async #look(): Promise<void> {
    // Without its namespaces there is nothing to see: it is being taken down.
    const conditions = await linkConditions(this.lab).catch(() => []);
    const states = new Map(conditions.map(({ link, state }) => [link, state]));
    const rates = this.#rates.read(countersOf(this.lab), performance.now());
    const links = [...this.#names].flatMap(([name, link]): PageLinkState[] => {
      const state = states.get(link);
      return state === undefined ? [] : [{ name, state, ...ratesOf(rates, link.a, link.b) }];
    });
    for (const { name, state } of links) this.#tellChange(name, state);
    this.board.update({ links });
  }

  #tellChange(link: string, to: LinkState): void {
    const from = this.board.link(link)?.state;
    if (from === undefined || from === to) return;
    this.board.event(null, { kind: 'link', at: new Date().toISOString(), link, from, to });
  }
}

function isAsked({ implementation }: PlannedRouter): boolean {
  return implementation === 'heddle';
}

function fabricOf(lab: Lab, names: ReturnType<typeof linkNames>) {
  const { routers, hosts } = lab.plan;
  const nodes: PageNode[] = [
    ...routers.map((router) => {
      return { name: router.name, role: router.role, as: router.asn, asked: isAsked(router), leaf: null };
    }),
    ...hosts.map(({ name, leaf }) => ({ name, role: 'host' as const, as: null, asked: false, leaf })),
  ];
  const links = [...names].map(([name, link]) => {
    const port = findRouter(lab, link.a.node).fabric.find((one) => one.interface === link.a.interface);
    return { name, a: link.a, b: link.b, colour: port?.colour ?? null, rate: rateOf(lab.plan, link) ?? null };
  });
  const actions = [...LINK_ACTIONS];
  return { kind: 'fabric', scope: 'lab', name: lab.name, version: packageVersion, nodes, links, actions } as const;
}

/** By `NODE INTERFACE`, of every router with a process to see its namespace through. */
function countersOf(lab: Lab): ReadonlyMap<string, OctetCounters> {
  const counters = new Map<string, OctetCounters>();
  const processes = new Map(recordedProcesses(lab.directory).map(({ name, pid }) => [name.split('.')[0], pid]));
  for (const { name } of lab.plan.routers)
    for (const [port, values] of countersThrough(processes.get(name))) counters.set(`${name} ${port}`, values);
  return counters;
}

function countersThrough(pid: number | undefined): ReadonlyMap<string, OctetCounters> {
  try {
    return pid === undefined ? new Map() : parseCounters(readFileSync(`/proc/${pid}/net/dev`, 'utf8'));
  } catch {
    return new Map();
  }
}

/** Either end counts; where a daemon is away, the other one. */
function ratesOf(rates: ReadonlyMap<string, Rates>, a: Endpoint, b: Endpoint): Pick<PageLinkState, 'forth' | 'back'> {
  const [near, far] = [a, b].map((end) => rates.get(`${end.node} ${end.interface}`));
  return { forth: near?.sent ?? far?.received ?? null, back: near?.received ?? far?.sent ?? null };
}
