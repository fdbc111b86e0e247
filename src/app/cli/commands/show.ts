/** `heddle show ...`: one table of what a daemon can be asked, each with its renderer. */
import { type Command, InvalidArgumentError } from 'commander';
import type { Family } from '../../../core/net/family.js';
import { ControlClient, ControlError } from '../../../edge/control/client.js';
import type { FibComparison, RouteSummary } from '../../../edge/control/schema.js';
import { examples } from '../examples.js';
import { CommandError, EXIT_CODES_HELP, EXIT_DIFFERENT, EXIT_NOT_COMPARED, SilentExit } from '../exit-codes.js';
import { page, pagePieces } from '../pager.js';
import { renderBfd } from '../render/bfd.js';
import { byPrefix, piecesByPrefix } from '../render/by-prefix.js';
import { renderDlb, renderPlanePrefixes } from '../render/dlb.js';
import { renderFabric } from '../render/fabric.js';
import { renderFib, renderFibDifferences } from '../render/fib.js';
import { renderInterfaces } from '../render/interfaces.js';
import { renderNeighbor, renderNeighbors } from '../render/neighbors.js';
import { renderRoute } from '../render/route.js';
import { renderRoutes } from '../render/routes.js';
import { renderSummary } from '../render/summary.js';
import {
  API_OPTION,
  CA_OPTION,
  chooseDaemon,
  type DaemonOptions,
  NODE_OPTION,
  SOCKET_OPTION,
  TOKEN_OPTION,
} from '../socket-choice.js';
import { printJson, printJsonArray, terminalPaint, terminalWidth } from '../terminal.js';

interface ShowOptions extends DaemonOptions {
  readonly json?: true;
}

interface FibOptions extends ShowOptions {
  readonly diff?: true;
}

interface DlbOptions extends ShowOptions {
  readonly prefixes?: true;
}

interface RoutesOptions extends ShowOptions {
  readonly family?: Family;
  readonly limit?: number;
}

export function register(program: Command): void {
  const show = program
    .command('show')
    .description('ask a running daemon')
    .addHelpText('after', `${examples('heddle show summary', 'heddle show fabric --node leaf1')}\n${EXIT_CODES_HELP}`);
  registerTables(show);
  registerNeighbors(show);
  registerRoutes(show);
  registerBgp(show);
}

/** As vtysh has it, for the fingers of those who come from there. */
function registerBgp(show: Command): void {
  const bgp = show
    .command('bgp')
    .description('the same in words of FRR: neighbors, and routes')
    .addHelpText(
      'after',
      examples('heddle show bgp summary', 'heddle show bgp neighbors to-spine1', 'heddle show bgp routes'),
    );
  resource(bgp, 'summary', {
    description: 'neighbors and their sessions',
    examples: ['heddle show summary'],
  }).action((options: ShowOptions) => showNeighbors(undefined, options));
  registerNeighbors(bgp);
  registerRoutes(bgp);
}

function registerTables(show: Command): void {
  resource(show, 'summary', {
    description: 'the router in a few lines',
    examples: ['heddle show summary', 'heddle show summary --json | jq .startup'],
  }).action((options: ShowOptions) => {
    return answer(
      options,
      (client) => client.summary(),
      (value) => renderSummary(value, terminalPaint()),
    );
  });
  resource(show, 'fib', {
    description: 'routes and next hops as the kernel took them',
    examples: [
      'heddle show fib',
      `heddle show fib --json | jq '.[] | select(.state == "failed")'`,
      'heddle show fib --diff    (ends with 0 when the kernel has what is wanted, 1 when not, 2 when nobody can tell)',
    ],
  })
    .option('--diff', 'what is wanted against what the kernel has now, and why they differ')
    .action((options: FibOptions) => (options.diff ? showDifferences(options) : showFib(options)));
  resource(show, 'fabric', {
    description: 'the matrix prefix x uplink: preferred and fallback paths, colours, AIGP',
    examples: ['heddle show fabric', 'heddle show fabric --node leaf2'],
  }).action((options: ShowOptions) => {
    const render = (value: Parameters<typeof renderFabric>[0]) => renderFabric(value, terminalPaint(), terminalWidth());
    const sorted = async (client: ControlClient) => {
      const fabric = await client.fabric();
      return { ...fabric, rows: byPrefix(fabric.rows) };
    };
    return answer(options, sorted, render);
  });
  resource(show, 'dlb', {
    description:
      'load balancing: quality of each link, shares and moves of each group in use, counters of the eBPF plane',
    examples: [
      'heddle show dlb',
      'heddle show dlb --node leaf1',
      'heddle show dlb --json | jq .plane.ports',
      'heddle show dlb --prefixes    (what the eBPF plane forwarded for each prefix)',
    ],
  })
    .option('--prefixes', 'the counters of the eBPF plane, prefix by prefix')
    .action((options: DlbOptions) => {
      const paint = terminalPaint();
      if (options.prefixes) {
        const sorted = async (client: ControlClient) => byPrefix(await client.planePrefixes());
        return answer(options, sorted, (value) => renderPlanePrefixes(value, paint));
      }
      return answer(
        options,
        (client) => client.dlb(),
        (value) => renderDlb(value, paint),
      );
    });
  resource(show, 'bfd', {
    description: 'BFD sessions: state, negotiated times, failures of the path',
    examples: ['heddle show bfd', `heddle show bfd --json | jq '.[] | select(.state != "Up")'`],
  }).action((options: ShowOptions) => {
    return answer(
      options,
      (client) => client.bfd(),
      (value) => renderBfd(value, terminalPaint()),
    );
  });
  resource(show, 'interfaces', {
    description: 'configured interfaces, and what is missing on them',
    examples: ['heddle show interfaces'],
  }).action((options: ShowOptions) => {
    return answer(
      options,
      (client) => client.interfaces(),
      (value) => renderInterfaces(value, terminalPaint()),
    );
  });
}

async function showFib(options: ShowOptions): Promise<void> {
  const client = new ControlClient(chooseDaemon(options));
  const entries = byPrefix(await client.fib());
  if (options.json) printJson(entries);
  else await page(renderFib(entries, await client.fibNotes(), terminalPaint()));
}

async function showDifferences(options: ShowOptions): Promise<void> {
  const comparison = await compared(new ControlClient(chooseDaemon(options)));
  if (options.json) printJson(comparison);
  else await page(renderFibDifferences(comparison, terminalPaint()));
  if (comparison.differences.length > 0) throw new SilentExit(EXIT_DIFFERENT);
}

/** Who runs it in a script must not take a daemon that does not answer for one whose tables differ. */
async function compared(client: ControlClient): Promise<FibComparison> {
  try {
    return await client.fibDifferences();
  } catch (error) {
    throw error instanceof ControlError ? new CommandError(error.message, EXIT_NOT_COMPARED) : error;
  }
}

function registerNeighbors(show: Command): void {
  resource(show, 'neighbors', {
    description: 'neighbors and their sessions, or everything about one',
    examples: ['heddle show neighbors', 'heddle show neighbors to-spine1', 'heddle show neighbors fe80::1%to-spine1'],
  })
    .alias('neighbours')
    .argument('[NAME]', 'interface, address, ADDRESS%INTERFACE, or peer group')
    .action(showNeighbors);
}

function showNeighbors(name: string | undefined, options: ShowOptions): Promise<void> {
  const paint = terminalPaint();
  if (name === undefined)
    return answer(
      options,
      (client) => client.neighbors(),
      (value) => renderNeighbors(value, paint),
    );
  const render = (value: Parameters<typeof renderNeighbors>[0]) =>
    value.flatMap((neighbor, index) => [
      ...(index > 0 ? [''] : []),
      ...renderNeighbor(neighbor, paint, terminalWidth()),
    ]);
  return answer(options, (client) => client.neighbor(name), render);
}

function registerRoutes(show: Command): void {
  resource(show, 'routes', {
    description: 'prefixes, the path each takes, and what is behind it',
    examples: ['heddle show routes', 'heddle show routes --family ipv4 --limit 20'],
  })
    .option('--family <FAMILY>', 'ipv4 or ipv6', familyOption)
    .option('--limit <COUNT>', 'no more prefixes than this', countOption)
    .action((options: RoutesOptions) => {
      const { family, limit } = options;
      const query = { ...(family !== undefined && { family }), ...(limit !== undefined && { limit }) };
      return showRoutes(options, piecesByPrefix(new ControlClient(chooseDaemon(options)).routes(query)));
    });
  resource(show, 'route', {
    description: 'one prefix: every path, and the step at which each won or lost',
    examples: ['heddle show route fc00:2:1:1::/64', 'heddle show route fc00:2:1:1::42    (the longest match)'],
  })
    .argument('<PREFIX>', 'a prefix, or an address')
    .action((destination: string, options: ShowOptions) => {
      return answer(
        options,
        (client) => client.route(destination),
        (value) => renderRoute(value, terminalPaint()),
      );
    });
}

async function showRoutes({ json }: ShowOptions, routes: AsyncGenerator<readonly RouteSummary[]>): Promise<void> {
  if (json) await printJsonArray(routes);
  else await pagePieces(renderRoutes(routes, terminalPaint()));
}

/** As the command is typed: `heddle show bgp`. */
function wordsOf(command: Command): string {
  return command.parent ? `${wordsOf(command.parent)} ${command.name()}` : command.name();
}

function resource(show: Command, name: string, about: { description: string; examples: readonly string[] }): Command {
  return show
    .command(name)
    .description(about.description)
    .option('--json', 'the answer as JSON')
    .addOption(SOCKET_OPTION)
    .addOption(NODE_OPTION)
    .addOption(API_OPTION)
    .addOption(TOKEN_OPTION)
    .addOption(CA_OPTION)
    .addHelpText('after', examples(...about.examples.map((line) => line.replaceAll('heddle show', wordsOf(show)))));
}

async function answer<T>(
  options: ShowOptions,
  ask: (client: ControlClient) => Promise<T>,
  render: (value: T) => readonly string[],
): Promise<void> {
  const value = await ask(new ControlClient(chooseDaemon(options)));
  if (options.json) printJson(value);
  else await page(render(value));
}

function familyOption(text: string): Family {
  if (text === 'ipv4' || text === 'ipv6') return `${text}-unicast`;
  throw new InvalidArgumentError('It is ipv4 or ipv6.');
}

function countOption(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a number from 1 on.');
}
