/** `heddle watch`: what changes in a running daemon, as it changes. */
import { once } from 'node:events';
import { type Command, InvalidArgumentError } from 'commander';
import { ControlClient } from '../../../edge/control/client.js';
import { EVENT_KINDS, type EventKind, eventKinds } from '../../../edge/control/events.js';
import { examples } from '../examples.js';
import { CommandError, EXIT_CODES_HELP } from '../exit-codes.js';
import { renderEvent } from '../render/event.js';
import {
  API_OPTION,
  CA_OPTION,
  chooseDaemon,
  type DaemonOptions,
  NODE_OPTION,
  SOCKET_OPTION,
  TOKEN_OPTION,
} from '../socket-choice.js';
import { complain, terminalPaint } from '../terminal.js';
import { wholeNumber } from '../whole-number.js';

interface WatchOptions extends DaemonOptions {
  readonly only?: readonly EventKind[];
  readonly count?: number;
  readonly json?: true;
}

export function register(program: Command): void {
  program
    .command('watch')
    .description(
      'what changes in a running daemon, as it changes: sessions, best paths, the FIB, link quality, moves of flows',
    )
    .option('--only <KINDS>', `a list of ${EVENT_KINDS.join(', ')}; default: all`, kindsOption)
    .option('--count <NUMBER>', 'end after so many events', wholeNumber(1, 1_000_000_000))
    .option('--json', 'an event a line, as JSON')
    .addOption(SOCKET_OPTION)
    .addOption(NODE_OPTION)
    .addOption(API_OPTION)
    .addOption(TOKEN_OPTION)
    .addOption(CA_OPTION)
    .addHelpText(
      'after',
      `${examples(
        'heddle watch',
        'heddle watch --only session,best-path --node leaf1',
        'heddle watch --only move --json | jq -r .to.interface',
        'heddle watch --only session --count 1    (waits for a session to change)',
      )}
Ctrl-C ends it, with exit code 0. What is not taken fast enough is left out, and it says how much that was.

${EXIT_CODES_HELP}`,
    )
    .action(watch);
}

async function watch(options: WatchOptions): Promise<void> {
  const daemon = chooseDaemon(options);
  const leave = new AbortController();
  const onSignal = (): void => leave.abort();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, onSignal);
  try {
    if (process.stdout.isTTY) complain([`events of the daemon at ${daemon.name}; Ctrl-C ends`]);
    const isEnough = await follow(new ControlClient(daemon), options, leave.signal);
    if (!isEnough && !leave.signal.aborted) throw new CommandError(`the daemon at ${daemon.name} has ended`);
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, onSignal);
  }
}

/** True when there were as many events as were asked for. */
async function follow(
  client: ControlClient,
  { only = EVENT_KINDS, count, json }: WatchOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const paint = terminalPaint();
  let left = count ?? Number.POSITIVE_INFINITY;
  for await (const event of client.events(only, signal)) {
    const line = json ? JSON.stringify(event) : renderEvent(event, paint);
    // Who reads slowly is waited for: the daemon counts what it cannot send meanwhile.
    if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain', { signal }).catch(() => undefined);
    if (--left === 0) return true;
  }
  return false;
}

function kindsOption(text: string): readonly EventKind[] {
  const kinds = eventKinds(text);
  if ('unknown' in kinds) throw new InvalidArgumentError(`${kinds.unknown} is none of ${EVENT_KINDS.join(', ')}.`);
  return kinds;
}
