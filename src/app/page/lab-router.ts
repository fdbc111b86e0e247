/** One router of a lab for its page: a heddle's own page is followed, also over its restarts; others are asked now and then. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ControlClient } from '../../edge/control/client.js';
import type { PageBoard } from '../../edge/control/page/page-board.js';
import type { PageMessage, RouterState } from '../../edge/control/page/shapes.js';
import { driverOf } from '../lab/drivers.js';
import { controlSocket, type Lab } from '../lab/lab.js';
import type { PlannedRouter } from '../lab/plan.js';

/** Milliseconds until one that does not answer is tried again, and between two questions to others than heddle. */
const RETRY = 1000;
const ASK_OTHERS = 3000;

export class LabRouter {
  constructor(
    private readonly lab: Lab,
    private readonly router: PlannedRouter,
    private readonly board: PageBoard,
  ) {}

  /** Until `signal` is given. */
  follow(signal: AbortSignal): void {
    const pause = (time: number) => sleep(time, undefined, { signal }).catch(() => undefined);
    const isHeddle = this.router.implementation === 'heddle';
    const run = async () => {
      while (!signal.aborted) {
        await (isHeddle ? this.#listen(signal) : this.#ask());
        await pause(isHeddle ? RETRY : ASK_OTHERS);
      }
    };
    void run();
  }

  async #listen(signal: AbortSignal): Promise<void> {
    try {
      for await (const message of new ControlClient(controlSocket(this.lab, this.router.name)).page(signal))
        this.#take(message);
      if (!signal.aborted) this.#lose('its daemon has ended');
    } catch (error) {
      this.#lose(error instanceof Error ? error.message : String(error));
    }
  }

  #take(message: PageMessage): void {
    const { name } = this.router;
    if (message.kind === 'event') this.board.event(name, message.event);
    if (message.kind !== 'update') return;
    for (const state of message.routers) this.#tell({ ...state, name });
  }

  async #ask(): Promise<void> {
    const { router, lab } = this;
    const counts = await driverOf(router)
      .sessions(lab, router)
      .catch(() => undefined);
    if (!counts) return this.#lose('it does not answer');
    const down = counts.missing.map((text) => {
      const [port = '', ...why] = text.split(': ');
      return { session: port, interface: port, state: 'down', why: why.join(': '), next: null };
    });
    const { up, total } = counts;
    const none = { problem: null, startedAt: null, prefixes: null };
    this.#tell({ name: router.name, answers: true, since: '', ...none, sessions: { up, total }, down });
  }

  #tell(state: RouterState): void {
    const before = this.board.router(state.name);
    const at = new Date().toISOString();
    if (before && !before.answers) this.board.event(state.name, { kind: 'router', at, answers: true, why: null });
    this.board.update({ routers: [{ ...state, since: before?.answers ? before.since : at }] });
  }

  /** What it said last stays, as old as it is. */
  #lose(problem: string): void {
    const { name, fabric } = this.router;
    const before = this.board.router(name);
    if (before && !before.answers) return;
    const at = new Date().toISOString();
    this.board.event(name, { kind: 'router', at, answers: false, why: problem });
    const last = before ?? {
      name,
      startedAt: null,
      sessions: { up: 0, total: fabric.length },
      down: [],
      prefixes: null,
    };
    this.board.update({ routers: [{ ...last, answers: false, since: at, problem }] });
  }
}
