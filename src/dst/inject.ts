/** What each kind of fault means: what is done with the fabric's tools, and what is known of it meanwhile. Gives back what undoes it. */

import { changedFile } from './config-change.js';
import { type LinkEnds, linkName, type What } from './fault.js';
import type { Stage } from './stage.js';
import type { Of, Undo } from './tools.js';

/** There is nothing to undo, or nothing is done. */
const NOTHING: Undo = () => {};

/** Of a kind that can be done to it. */
export function inject(stage: Stage, what: What): Undo {
  const { tools } = stage;
  switch (what.kind) {
    case 'carrier':
      tools.carrier(what, false);
      return cut(stage, what, () => tools.carrier(what, true));
    case 'silent':
      tools.silence(what, what.ways, true);
      return cut(stage, what, () => tools.silence(what, what.ways, false));
    case 'removed':
      tools.remove(what);
      return cut(stage, what, () => tools.restore(what));
    case 'address':
      return tools.changeAddress(what);
    case 'impaired':
      return tools.impair?.(what, what.rates) ?? NOTHING;
    case 'stuck':
      tools.stall?.(what, true);
      return () => tools.stall?.(what, false);
    case 'reset':
      tools.reset(what);
      return NOTHING;
    case 'half-open':
      tools.abandon(what);
      return NOTHING;
    case 'malformed':
      tools.write?.(what, Uint8Array.from(Buffer.from(what.octets, 'hex')));
      return NOTHING;
    case 'bad-update':
      return tools.misspeak?.(what, what) ?? NOTHING;
    case 'crash':
    case 'stop':
      return away(stage, what);
    case 'identifier':
      return identifier(stage, what);
    case 'suspended':
      return suspended(stage, what);
    case 'clock':
      tools.jump?.(what.router, what.by);
      return NOTHING;
    case 'reload':
      return reload(stage, what);
    case 'refusals':
      return tools.refuse?.(what.router, what) ?? NOTHING;
    case 'overrun':
      tools.loseEvents?.(what.router);
      return NOTHING;
    case 'deleted':
      tools.deleteOutside(what.router, what);
      return NOTHING;
  }
}

function cut({ intent }: Stage, link: LinkEnds, mend: Undo): Undo {
  const name = linkName(link);
  intent.cut.add(name);
  return () => {
    intent.cut.delete(name);
    mend();
  };
}

function away(stage: Stage, what: Of<'crash' | 'stop'>): Undo {
  const { intent, tools } = stage;
  const { router } = what;
  intent.down.add(router);
  stage.afterwards(router, () => (what.kind === 'crash' ? tools.kill(router) : tools.stop(router, what.restart)));
  return () => {
    intent.down.delete(router);
    stage.afterwards(router, () => tools.start(router));
  };
}

/** Killed and started with the identifier of another; killed again, it has its own. */
function identifier(stage: Stage, { router, of }: Of<'identifier'>): Undo {
  const { intent, tools } = stage;
  const own = intent.file(router)['router-id'];
  const again = (id: unknown) => {
    intent.runs(router, { ...intent.file(router), 'router-id': id });
    stage.afterwards(router, async () => {
      await tools.kill(router);
      return tools.start(router);
    });
  };
  again(intent.file(of)['router-id']);
  return () => again(own);
}

/** Nothing that asks something of the process is heard before it goes on. */
function suspended(stage: Stage, { router }: Of<'suspended'>): Undo {
  const { tools } = stage;
  let release = () => {};
  let over = false;
  stage.afterwards(router, () => {
    if (over) return undefined;
    tools.suspend(router);
    return new Promise<void>((resolve) => {
      release = resolve;
    });
  });
  return () => {
    over = true;
    tools.resume(router);
    release();
  };
}

/** The identifier may be another meanwhile. */
function reload(stage: Stage, { router, change }: Of<'reload'>): Undo {
  const { intent, tools } = stage;
  const before = intent.file(router);
  const run = (file: typeof before) => {
    const id = intent.file(router)['router-id'];
    intent.runs(router, id === file['router-id'] ? file : { ...file, 'router-id': id });
    stage.afterwards(router, () => (intent.down.has(router) ? undefined : tools.reload(router)));
  };
  run(changedFile(before, change));
  return () => run(before);
}
