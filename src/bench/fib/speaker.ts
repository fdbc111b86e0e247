/** The scripted speakers as the benchmark sees them: one per spine, in its namespace. */
import { fileURLToPath } from 'node:url';
import { LabError } from '../../app/lab/command.js';
import { JsonChild } from '../../app/lab/json-child.js';
import { poll } from '../../app/lab/poll.js';
import { type StageNames, spineName, type Uplink } from './plan.js';
import type { SpeakerAnswer, SpeakerCommand, SpeakerTask } from './speaker-protocol.js';

const MAIN = fileURLToPath(new URL('speaker-main.js', import.meta.url));

export class Speaker {
  private readonly child: JsonChild<SpeakerCommand, SpeakerAnswer>;

  constructor(
    private readonly uplink: Uplink,
    names: StageNames,
  ) {
    const task: SpeakerTask = { uplink };
    this.child = new JsonChild({ title: 'the BGP speaker', namespace: names.spine(uplink), script: MAIN, task });
  }

  /** Resolves with the time of the first octet, in milliseconds of the monotonic clock, when all is with the kernel. */
  async setRoutes(count: number): Promise<number> {
    this.child.tell({ kind: 'routes', count });
    return (await this.child.expect('written')).at;
  }

  /** Ends the spine's link to the far leaf and withdraws all its routes; resolves with when. */
  async cut(interfaceName: string): Promise<number> {
    this.child.tell({ kind: 'cut', interface: interfaceName });
    return (await this.child.expect('written')).at;
  }

  /** A new session, or the end of the present one and none until it is asked for. */
  reset({ silent }: { readonly silent: boolean } = { silent: false }): void {
    this.child.tell({ kind: 'reset', silent });
  }

  /** Sessions that were established so far, the present one included. */
  async sessions(): Promise<{ readonly established: boolean; readonly sessions: number }> {
    this.child.tell({ kind: 'state' });
    return this.child.expect('state');
  }

  /** Waits for a session that is newer than the first `older` ones. */
  async established(patience: number, older = 0): Promise<void> {
    const isUp = async () => {
      const { established, sessions } = await this.sessions();
      return established && sessions > older;
    };
    if (await poll(isUp, { timeout: patience, interval: 20 })) return;
    throw new LabError(`${spineName(this.uplink)} got no session with the leaf`);
  }

  end(): void {
    this.child.end();
  }
}
