/** `heddle replay`: what a capture or an MRT file says, and what DPF would have chosen from it. */
import { type Command, InvalidArgumentError } from 'commander';
import { readCaptureFile } from '../../../edge/record/read-capture-file.js';
import { messageJson } from '../../replay/message-json.js';
import { FILTER_NAMES, filterEvents, kindFilter } from '../../replay/message-kind.js';
import { receiverJson } from '../../replay/receiver-json.js';
import { type Receiver, replayReceivers } from '../../replay/receivers.js';
import { BGP_PORT } from '../../replay/replay-captures.js';
import { type ReplayFile, replayFiles } from '../../replay/replay-files.js';
import { CommandError, EXIT_CODES_HELP, EXIT_USAGE } from '../exit-codes.js';
import { type ReplayRenderOptions, renderMessages, renderReceiver } from '../render/replay.js';
import { complain, print, printJson, terminalPaint } from '../terminal.js';

interface ReplayOptions {
  readonly json?: true;
  readonly messages?: true;
  readonly routes?: true;
  readonly verbose?: true;
  readonly receiver?: string;
  readonly filter?: readonly string[];
  readonly port: number;
}

const EXAMPLES = `
Examples:
  heddle replay session.pcap
  heddle replay session.pcap --messages --filter update,notification -v
  heddle replay uplink1.pcap uplink2.pcap --routes --receiver 10.1.0.2
  heddle replay leaf1.mrt --routes
  heddle replay session.pcap --json | jq '.receivers[].prefixes[] | [.prefix, .decidedBy]'

Several FILEs are merged by time; what one router received in them goes into one RIB. - is standard input.
A router is named by its BGP identifier, an address of its, or its host name.
KIND is one or more of ${FILTER_NAMES.join(', ')}.

${EXIT_CODES_HELP}`;

export function register(program: Command): void {
  program
    .command('replay')
    .description('decode captures (pcap, pcapng) and MRT files and say which paths DPF chooses from them')
    .argument('<FILE...>', 'captures, MRT table dumps, MRT updates')
    .option('--messages', 'only the messages')
    .option('--routes', 'only what the receivers chose')
    .option('--receiver <ROUTER>', 'only this receiver of routes')
    .option('--filter <KIND>', 'only messages of this kind (may be repeated)', collectKinds)
    .option('--port <PORT>', 'TCP port of BGP', portOption, BGP_PORT)
    .option('-v, --verbose', 'every attribute, and every path with its reason')
    .option('--json', 'one JSON document')
    .addHelpText('after', EXAMPLES)
    .action((files: string[], options: ReplayOptions) => replay(files, options));
}

function replay(files: readonly string[], options: ReplayOptions): void {
  const kinds = kindFilter(options.filter ?? []);
  if (typeof kinds === 'string') {
    throw new CommandError(`--filter ${kinds}: no such kind; one of ${FILTER_NAMES.join(', ')}`, EXIT_USAGE);
  }
  const captures = files.map(openCapture);
  const events = replayFiles(captures, options);
  const wanted = { messages: !options.routes || options.messages, routes: !options.messages || options.routes };
  const receivers = wanted.routes ? chosenReceivers(replayReceivers(events), options.receiver) : [];
  const messages = wanted.messages ? filterEvents(events, kinds) : [];
  if (options.json) {
    printJson({
      captures: captures.map((capture, index) => {
        const { format, problems } = capture;
        return { file: files[index], format, packets: sizeOf(capture), problems };
      }),
      messages: messages.map((event) => messageJson(event, files)),
      receivers: receivers.map((receiver) => receiverJson(receiver, files)),
    });
    return;
  }
  const render = renderOptions(captures, options.verbose === true);
  if (wanted.messages) print(renderMessages(messages, render));
  if (wanted.routes) printReceivers(receivers, { render, separate: wanted.messages === true });
}

function openCapture(file: string): ReplayFile {
  const capture = readCaptureFile(file);
  if (typeof capture === 'string') throw new CommandError(capture, EXIT_USAGE);
  for (const { offset, reason } of capture.problems) complain([`heddle: ${file}: at octet ${offset}: ${reason}`]);
  return capture;
}

function chosenReceivers(receivers: readonly Receiver[], name: string | undefined): readonly Receiver[] {
  if (name === undefined) return receivers;
  const chosen = receivers.filter(
    ({ host }) => host.name === name || host.hostname === name || host.addresses.has(name),
  );
  if (chosen.length > 0) return chosen;
  const known = receivers.map(({ host }) => host.name).join(', ') || 'nobody';
  throw new CommandError(
    `--receiver ${name}: no such router received routes in this capture (${known} did)`,
    EXIT_USAGE,
  );
}

function renderOptions(captures: readonly ReplayFile[], verbose: boolean): ReplayRenderOptions {
  const times = captures.flatMap((capture) => startOf(capture) ?? []);
  const [start = 0n] = times.sort((a, b) => (a < b ? -1 : 1));
  return { paint: terminalPaint(), captures: captures.length, start, verbose };
}

/** Packets, or records that could be read. */
function sizeOf(capture: ReplayFile): number {
  return capture.format === 'mrt' ? capture.items.length : capture.packets.length;
}

/** Nanoseconds. */
function startOf(capture: ReplayFile): bigint | undefined {
  if (capture.format !== 'mrt') return capture.packets[0]?.time;
  const [first] = capture.items;
  return first && BigInt(first.time) * 1000n;
}

function printReceivers(
  receivers: readonly Receiver[],
  { render, separate }: { readonly render: ReplayRenderOptions; readonly separate: boolean },
): void {
  if (receivers.length === 0) print([...(separate ? [''] : []), 'nobody received a route']);
  receivers.forEach((receiver, index) => {
    print([...(separate || index > 0 ? [''] : []), ...renderReceiver(receiver, render)]);
  });
}

function collectKinds(text: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, ...text.split(',')];
}

function portOption(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65535) return port;
  throw new InvalidArgumentError('It is a port number from 1 to 65535.');
}
