/** What a workload is given to be measured with, and the router and its neighbours that it is measured on. */
import { whenStarted } from '../common/when-quiet.js';
import { Generator } from './generator.js';
import type { GeneratorSession } from './generator-protocol.js';
import type { TableFamily } from './path-attributes.js';
import { routerAddress, sessionEnd, watcherEnds, watcherFamily } from './plan.js';
import type { Stage } from './stage.js';
import type { Subject } from './subject.js';
import type { TableShape } from './table-stream.js';

/** Seconds. */
export const HOLD_TIME = 9;
/** As short as it may be (RFC 4271 section 4.2): a KEEPALIVE a second. */
const WATCHERS_HOLD_TIME = 3;

export interface Context {
  readonly subject: Subject;
  readonly stage: Stage;
  readonly signal: AbortSignal;
  report(figure: string, value: number, bound?: 'at-least'): void;
  /** What is not measured, and why. */
  note(text: string): void;
}

export interface RouterNeeds {
  readonly family: TableFamily;
  /** Sessions of the generator, numbered from 1: what each announces, or that it listens. */
  readonly sessions: readonly (TableShape | 'listens')[];
  /** More sessions, numbered on, that somebody else opens. */
  readonly others?: number;
  readonly exports: boolean;
  readonly kernel?: boolean;
  readonly changeable?: boolean;
}

export interface Running extends Context {
  readonly generator: Generator;
  readonly watchers: Generator;
}

/** Starts the router, opens the sessions, and ends all of it behind `work`. */
export async function withRouter(
  context: Context,
  needs: RouterNeeds,
  work: (running: Running) => Promise<void>,
): Promise<void> {
  const { subject, stage, signal } = context;
  const { family, sessions, others = 0, exports, kernel = false, changeable = false } = needs;
  const watching = watcherEnds(family);
  const sessionEnds = Array.from({ length: sessions.length + others }, (_, index) => sessionEnd(family, index + 1));
  const generator = new Generator({
    namespace: stage.generator,
    task: {
      target: routerAddress(family),
      sessions: sessions.map((session, index) => generated(session, sessionEnds[index]!)),
    },
  });
  const watchers = new Generator({
    namespace: stage.generator,
    turn: 'first',
    task: {
      target: routerAddress(watcherFamily(family)),
      sessions: watching.map((end) => ({ ...end, holdTime: WATCHERS_HOLD_TIME })),
    },
  });
  const end = () => {
    generator.end();
    watchers.end();
  };
  signal.addEventListener('abort', end);
  try {
    const ends = [...sessionEnds, ...watching];
    await subject.start({ family, ends, links: [], exports, holdTime: HOLD_TIME, kernel, changeable });
    await Promise.all([generator.connect(), watchers.connect()]);
    await whenStarted(subject, signal);
    await work({ ...context, generator, watchers });
  } finally {
    signal.removeEventListener('abort', end);
    end();
    await subject.stop();
  }
}

function generated(session: TableShape | 'listens', end: ReturnType<typeof sessionEnd>): GeneratorSession {
  return { ...end, holdTime: HOLD_TIME, ...(session !== 'listens' && { table: session }) };
}
