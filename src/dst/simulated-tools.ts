/** Tools of the simulated fabric: cables, streams, kernels and processes are objects of this process. */
import { Impairment } from '../simulator/impairment.js';
import { badUpdate } from './bad-update.js';
import type { LinkEnds } from './fault.js';
import type { Testbed } from './testbed.js';
import type { Of, Tools, Undo } from './tools.js';

/** Of the flag that says who gave out a MAC address; the first octet of a node's own is 2. */
const OTHER_MAC = 0x06;

export class SimulatedTools implements Required<Tools> {
  constructor(private readonly bed: Testbed) {}

  carrier(link: LinkEnds, up: boolean): void {
    this.bed.end(link)?.setAdmin(up);
  }

  silence(link: LinkEnds, ways: 'both' | 'out', silent: boolean): void {
    const end = this.bed.end(link);
    if (!end?.cable) return;
    end.cable.silence(end, silent);
    if (ways === 'both') end.cable.silent = silent;
  }

  remove({ a, b, link }: LinkEnds): void {
    this.bed.fabric.remove(a, b, link);
  }

  restore({ a, b, link }: LinkEnds): void {
    this.bed.fabric.restore(a, b, link);
  }

  changeAddress(link: LinkEnds): Undo {
    const end = this.bed.end(link);
    if (!end) return () => {};
    const before = end.mac;
    end.changeMac(Uint8Array.from(before, (octet, at) => (at === 0 ? OTHER_MAC : octet)));
    return () => end.changeMac(before);
  }

  impair(link: LinkEnds, rates: Of<'impaired'>['rates']): Undo {
    const end = this.bed.end(link);
    const cable = end?.cable;
    if (!cable) return () => {};
    cable.impair(end, new Impairment(rates, this.bed.random));
    return () => cable.impair(end, undefined);
  }

  stall(link: LinkEnds, stalled: boolean): void {
    this.bed.node(link.a).transport.stall(this.bed.interfaceOf(link), stalled);
  }

  reset(link: LinkEnds): void {
    this.bed.node(link.a).transport.reset(this.bed.interfaceOf(link));
  }

  abandon(link: LinkEnds): void {
    this.bed.node(link.a).transport.abandon(this.bed.interfaceOf(link));
  }

  write(link: LinkEnds, octets: Uint8Array): void {
    this.bed.node(link.a).transport.inject(this.bed.interfaceOf(link), octets);
  }

  misspeak(link: LinkEnds, how: Pick<Of<'bad-update'>, 'error' | 'seed'>): Undo {
    const { bed } = this;
    const { a, b } = link;
    const session = bed.down.has(a) ? undefined : bed.sessionOn(a, bed.interfaceOf(link));
    const told = session && bed.ledger.of(a, session);
    const routes = [...(told?.routes ?? [])];
    const route = routes[how.seed % Math.max(1, routes.length)];
    const update = route && badUpdate(...route, how);
    if (!told || !update) return () => {};
    this.write(link, update.message);
    bed.ledger.hears(told, route[0], update.heard);
    const back = bed.interfaceOf({ ...link, a: b, b: a });
    return () => bed.turns.take(b, () => void bed.sessionOn(b, back)?.requestRefresh());
  }

  kill(router: string): void {
    this.bed.node(router).kill();
  }

  async stop(router: string, restart: boolean): Promise<void> {
    await this.bed.node(router).speaker?.stop(restart ? { kind: 'restart' } : undefined);
  }

  start(router: string): Promise<void> {
    return this.bed.node(router).start(this.bed.config(router));
  }

  async reload(router: string): Promise<void> {
    const { speaker } = this.bed.node(router);
    if (!speaker) return;
    const { restart, problem } = await speaker.reconfigure(this.bed.config(router));
    if (problem !== undefined || restart.length > 0)
      throw new Error(`reload refused: ${problem ?? restart.join(', ')}`);
  }

  suspend(router: string): void {
    this.bed.node(router).suspension.suspend();
  }

  resume(router: string): void {
    this.bed.node(router).suspension.resume();
  }

  jump(router: string, by: number): void {
    this.bed.node(router).clock.jump(by);
  }

  refuse(router: string, { code, every }: Pick<Of<'refusals'>, 'code' | 'every'>): Undo {
    const { tables } = this.bed.node(router);
    let operations = 0;
    tables.injectFailures(() =>
      ++operations % every === 0 ? { code, message: `${code}, as the scenario has it` } : undefined,
    );
    return () => tables.injectFailures(undefined);
  }

  loseEvents(router: string): void {
    this.bed.node(router).tables.loseEvents();
  }

  deleteOutside(router: string, { what, number }: Pick<Of<'deleted'>, 'what' | 'number'>): void {
    const { tables } = this.bed.node(router);
    void tables.dump('everything').then(({ routes, groups, nextHops }) => {
      if (what === 'route') {
        const route = routes[number % Math.max(1, routes.length)];
        if (route) tables.deleteRouteOutside(route.prefix, route.metric);
        return;
      }
      const objects = what === 'group' ? groups : nextHops;
      const object = objects[number % Math.max(1, objects.length)];
      if (object) tables.deleteNextHopOutside(object.id);
    });
  }
}
