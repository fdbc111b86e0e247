/** What every row stands on: the stage, the scripted speakers, and how to tell that the leaf has found its way. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LabError, run } from '../../app/lab/command.js';
import { type PollOptions, poll } from '../../app/lab/poll.js';
import { flushForwarding } from '../common/daemons.js';
import { kernelRouteCount } from '../common/usage.js';
import { whenStarted } from '../common/when-quiet.js';
import { addressIn, samplePrefixes, UPLINKS, type Uplink, uplinkInterface } from './plan.js';
import { Speaker } from './speaker.js';
import type { Stage } from './stage.js';
import type { Subject, SubjectOptions } from './subject.js';

/** Milliseconds. */
const SESSION_PATIENCE = 30_000;
const PATIENCE = 60_000;
/** The number of routes stands still for so long. */
const STILL = 400;

export class Ground {
  private readonly speakers: ReadonlyMap<Uplink, Speaker>;

  constructor(
    readonly stage: Stage,
    private readonly signal: AbortSignal,
  ) {
    this.speakers = new Map(UPLINKS.map((uplink) => [uplink, new Speaker(uplink, stage.names)]));
    // Whoever waits for one of them waits no longer.
    signal.addEventListener('abort', () => this.end());
  }

  speaker(uplink: Uplink): Speaker {
    return this.speakers.get(uplink)!;
  }

  end(): void {
    for (const speaker of this.speakers.values()) speaker.end();
  }

  /** Starts `subject` without routes, with all its sessions up, for `work`; afterwards nothing of it is left. */
  async with(subject: Subject, options: SubjectOptions, work: () => Promise<void>): Promise<void> {
    this.signal.throwIfAborted();
    await this.setRoutes(UPLINKS, 0);
    const before = await this.sessionCounts(options.uplinks);
    try {
      await subject.start(options);
      for (const uplink of options.uplinks) this.speaker(uplink).reset();
      await this.established(options.uplinks, before);
      await whenStarted(subject, this.signal);
      await work();
    } finally {
      for (const speaker of this.speakers.values()) speaker.reset({ silent: true });
      if (!this.signal.aborted) await subject.stop();
    }
  }

  async setRoutes(uplinks: readonly Uplink[], count: number): Promise<void> {
    await Promise.all(uplinks.map((uplink) => this.speaker(uplink).setRoutes(count)));
  }

  /** How many sessions each has had, for `established`. */
  sessionCounts(uplinks: readonly Uplink[]): Promise<readonly number[]> {
    return Promise.all(uplinks.map(async (uplink) => (await this.speaker(uplink).sessions()).sessions));
  }

  async established(uplinks: readonly Uplink[], before: readonly number[]): Promise<void> {
    await Promise.all(
      uplinks.map((uplink, place) => this.speaker(uplink).established(SESSION_PATIENCE, before[place] ?? 0)),
    );
  }

  /** All links are whole again, and the leaf forwards nothing; throws when the run is interrupted. */
  async mend(): Promise<void> {
    this.signal.throwIfAborted();
    for (const uplink of UPLINKS) await this.stage.heal(uplink);
    await flushForwarding(this.stage.lab);
  }

  /** The link is whole again, the session is a new one, and all `count` prefixes go over it. */
  async restore(subject: Subject, uplink: Uplink, count: number): Promise<void> {
    const before = await this.sessionCounts([uplink]);
    await this.stage.heal(uplink);
    this.speaker(uplink).reset();
    await this.established([uplink], before);
    await this.settled(subject, uplink, count);
  }

  /** Waits until the kernel sends samples of the prefixes over `uplink`, and its routes have stopped coming and going. */
  async settled(subject: Subject, uplink: Uplink, count: number): Promise<void> {
    const [pid] = subject.pids();
    if (pid === undefined) throw new LabError(`${subject.name} does not run any more`);
    let last = -1;
    let since = 0;
    const isStill = async () => {
      const routes = kernelRouteCount(pid);
      if (routes !== last) [last, since] = [routes, performance.now()];
      if (routes < count || performance.now() - since < STILL) return false;
      return (await this.uplinksOf(count)).every((name) => name === uplinkInterface(uplink));
    };
    if (await this.poll(isStill, { timeout: PATIENCE, interval: 50 })) return;
    const ways = (await this.uplinksOf(count)).join(', ');
    throw new LabError(
      `${subject.name}: ${count} prefixes did not come to ${uplinkInterface(uplink)} (${last} routes, ${ways})`,
    );
  }

  /** Waits until samples of the prefixes go over other uplinks than the one that failed. */
  async moved(failed: Uplink, count: number): Promise<void> {
    const isMoved = async () => {
      const ways = await this.uplinksOf(count);
      return ways.every((name) => name !== 'none' && name !== uplinkInterface(failed));
    };
    if (await this.poll(isMoved, { timeout: PATIENCE, interval: 150 })) return;
    throw new LabError(`${count} prefixes did not leave ${uplinkInterface(failed)}`);
  }

  /** As `poll`, until the run is interrupted. */
  poll(condition: () => boolean | Promise<boolean>, options: PollOptions): Promise<boolean> {
    const unlessInterrupted = () => {
      this.signal.throwIfAborted();
      return condition();
    };
    return poll(unlessInterrupted, options);
  }

  pause(milliseconds: number): Promise<void> {
    return sleep(milliseconds, undefined, { signal: this.signal });
  }

  /** The interface that the leaf sends to, for samples of the prefixes; `none` without a route. */
  private async uplinksOf(count: number): Promise<readonly string[]> {
    return Promise.all(
      samplePrefixes(count).map(async (index) => {
        const output = await run('ip', ['-n', this.stage.names.leaf, '-6', 'route', 'get', addressIn(index)]).catch(
          () => '',
        );
        return / dev (\S+)/.exec(output)?.[1] ?? 'none';
      }),
    );
  }
}
