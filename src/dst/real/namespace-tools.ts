/**
 * Tools for daemons in network namespaces: ip, tc, ss, signals, and octets written on a daemon's own connections. Nothing here makes a clock jump,
 * a kernel refuse or forget, a cable lose a part of what passes, or a daemon read nothing: faults of those kinds are left out.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { LabError, run, tryRun } from '../../app/lab/command.js';
import { heddleDriver } from '../../app/lab/heddle-driver.js';
import { controlSocket, findRouter, type Lab, namespaceOf } from '../../app/lab/lab.js';
import { deleteLink, failLink, healLink, remakeLink, silenceLink } from '../../app/lab/links.js';
import { ipBatch } from '../../app/lab/namespaces.js';
import { poll } from '../../app/lab/poll.js';
import { isAlive, type LabProcess, recordedProcesses, signalProcess } from '../../app/lab/processes.js';
import { formatAddress } from '../../core/net/address.js';
import { eui64Address, formatMac, parseMac } from '../../core/net/eui64.js';
import { parsePrefix } from '../../core/net/prefix.js';
import { reload } from '../../edge/control/command-client.js';
import { writeAs } from '../../edge/linux/borrowed-descriptor.js';
import { type LinkEnds, linkName } from '../fault.js';
import type { Intent } from '../intent.js';
import type { Of, Tools, Undo } from '../tools.js';
import type { Turns } from '../turns.js';

/** Milliseconds in which a process must end that is told to. */
const LONGEST_END = 20_000;
/** Of the first octet of a MAC address: with it, it is another. */
const OTHER_MAC = 0x10;
const LINK_LOCAL = parsePrefix('fe80::/64')!;
const PROTOCOL = ['proto', '179'];

export interface NamespaceToolsOptions {
  readonly lab: Lab;
  readonly intent: Intent;
  /** Of links. */
  readonly turns: Turns;
}

export class NamespaceTools implements Tools {
  private readonly lab: Lab;

  constructor(private readonly options: NamespaceToolsOptions) {
    this.lab = options.lab;
  }

  carrier(link: LinkEnds, up: boolean): void {
    this.inTurn(link, async (text) => void (await (up ? healLink(this.lab, text) : failLink(this.lab, text))));
  }

  silence(link: LinkEnds, ways: 'both' | 'out', silent: boolean): void {
    this.inTurn(
      link,
      async (text) => void (await (silent ? silenceLink(this.lab, text, ways) : healLink(this.lab, text))),
    );
  }

  remove(link: LinkEnds): void {
    this.inTurn(link, (text) => deleteLink(this.lab, text));
  }

  restore(link: LinkEnds): void {
    this.inTurn(link, (text) => remakeLink(this.lab, text));
  }

  changeAddress(link: LinkEnds): Undo {
    this.inTurn(link, () => this.turnedAddress(link));
    return () => this.inTurn(link, () => this.turnedAddress(link));
  }

  /** Back again when it is done twice. */
  private async turnedAddress(link: LinkEnds): Promise<void> {
    const { a } = link;
    const name = this.options.intent.interfaceOf(link);
    const [shown]: readonly { readonly address: string }[] = JSON.parse(
      await run('ip', ['-n', this.namespace(a), '-j', 'link', 'show', 'dev', name]),
    );
    const before = parseMac(shown?.address ?? '');
    if (!before) throw new LabError(`${a}: ${name} has no MAC address`);
    const after = Uint8Array.from(before, (octet, at) => (at === 0 ? octet ^ OTHER_MAC : octet));
    const address = (mac: Uint8Array) => `${formatAddress(eui64Address(LINK_LOCAL, mac))}/64`;
    await ipBatch(
      [
        `link set dev ${name} address ${formatMac(after)}`,
        `addr del ${address(before)} dev ${name}`,
        `addr add ${address(after)} dev ${name} nodad`,
      ],
      this.namespace(a),
    );
  }

  reset(link: LinkEnds): void {
    this.inTurn(link, () => this.endStreams(link));
  }

  /** What the kernel says of it is lost on the way. */
  abandon(link: LinkEnds): void {
    this.inTurn(link, async (text) => {
      if (this.options.intent.cut.has(linkName(link))) return this.endStreams(link);
      await silenceLink(this.lab, text, 'out');
      await this.endStreams(link);
      await healLink(this.lab, text);
    });
  }

  /** None where the interface is gone. */
  private async endStreams(link: LinkEnds): Promise<void> {
    const name = this.options.intent.interfaceOf(link);
    await tryRun('ss', ['-N', this.namespace(link.a), '-K', '-t', 'dev', '=', name]);
  }

  /** On all its connections there that stand. */
  write(link: LinkEnds, octets: Uint8Array): void {
    this.inTurn(link, async () => {
      const name = this.options.intent.interfaceOf(link);
      const words = ['-N', this.namespace(link.a), '-Htnp', 'state', 'established', 'dev', '=', name];
      for (const { groups } of (await run('ss', words)).matchAll(/pid=(?<pid>\d+),fd=(?<fd>\d+)/g))
        writeAs(Number(groups?.pid), Number(groups?.fd), octets);
    });
  }

  kill(router: string): Promise<void> {
    return this.ended(router, 'SIGKILL');
  }

  stop(router: string, restart: boolean): Promise<void> {
    return this.ended(router, restart ? 'SIGTERM' : 'SIGINT');
  }

  private async ended(router: string, signal: NodeJS.Signals): Promise<void> {
    const running = this.running(router);
    if (!running) throw new LabError(`${router} had ended before it was told to`);
    signalProcess(this.lab.directory, router, signal);
    const gone = await poll(() => !isAlive(running), { timeout: LONGEST_END, interval: 5 });
    if (!gone) throw new LabError(`${router} goes on ${LONGEST_END / 1000} s after ${signal}`);
    // One that was killed leaves it, and who starts the next waits for it.
    rmSync(controlSocket(this.lab, router), { force: true });
  }

  async start(router: string): Promise<void> {
    await heddleDriver.start(this.lab, findRouter(this.lab, router), this.written(router));
  }

  async reload(router: string): Promise<void> {
    this.written(router);
    await reload(controlSocket(this.lab, router));
  }

  /** The file that it is to run. */
  private written(router: string): string {
    const name = `${router}.yaml`;
    const file = { ...this.options.intent.file(router), 'control-socket': controlSocket(this.lab, router) };
    writeFileSync(join(this.lab.directory, name), stringify(file));
    return name;
  }

  suspend(router: string): void {
    signalProcess(this.lab.directory, router, 'SIGSTOP');
  }

  /** It need not have stood still yet, nor have been started. */
  resume(router: string): void {
    if (this.running(router)) signalProcess(this.lab.directory, router, 'SIGCONT');
  }

  private running(router: string): LabProcess | undefined {
    return recordedProcesses(this.lab.directory).find((one) => one.name === router && isAlive(one));
  }

  /** What is gone meanwhile is no fault. */
  deleteOutside(router: string, { what, number }: Pick<Of<'deleted'>, 'what' | 'number'>): void {
    this.options.turns.take(`deleted at ${router}`, async () => {
      const chosen = what === 'route' ? await this.routes(router) : await this.objects(router, what);
      const words = chosen[number % Math.max(1, chosen.length)];
      if (words) await tryRun('ip', ['-n', this.namespace(router), ...words]);
    });
  }

  private async routes(router: string): Promise<string[][]> {
    const found = ['-6', '-4'].map(async (family) => {
      const words = [family, 'route', 'show', ...PROTOCOL];
      const routes = await this.list<{ readonly dst: string; readonly metric: number }>(router, words);
      return routes.map(({ dst, metric }) => [family, 'route', 'del', dst, 'metric', `${metric}`, ...PROTOCOL]);
    });
    return (await Promise.all(found)).flat();
  }

  private async objects(router: string, what: 'group' | 'next-hop'): Promise<string[][]> {
    const objects: readonly { readonly id: number; readonly group?: unknown }[] = await this.list(router, [
      'nexthop',
      'show',
      ...PROTOCOL,
    ]);
    const wanted = objects.filter(({ group }) => (group !== undefined) === (what === 'group'));
    return wanted.map(({ id }) => ['nexthop', 'del', 'id', `${id}`]);
  }

  private async list<Row>(router: string, words: readonly string[]): Promise<readonly Row[]> {
    return JSON.parse((await run('ip', ['-n', this.namespace(router), '-j', ...words])) || '[]');
  }

  private inTurn(link: LinkEnds, work: (text: string) => Promise<void>): void {
    const number = link.link === undefined ? '' : `/${link.link}`;
    this.options.turns.take(linkName(link), () => work(`${link.a}:${link.b}${number}`));
  }

  private namespace(node: string): string {
    return namespaceOf(this.lab, node);
  }
}
