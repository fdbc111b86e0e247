/** `heddle replay`: the messages of a capture, one line each, and what every receiver chose. */
import { formatAddress } from '../../../core/net/address.js';
import { counted } from '../../../core/net/counted.js';
import { formatPrefix } from '../../../core/net/prefix.js';
import { pathReason } from '../../../core/rib/path-reason.js';
import type { ExplainedPath, PathView } from '../../../core/rib/types.js';
import { formatAsPath } from '../../../core/wire/bgp/attributes/as-path.js';
import { messageKind } from '../../replay/message-kind.js';
import { messageText } from '../../replay/message-text.js';
import type { PrefixOutcome, Receiver, When } from '../../replay/receivers.js';
import type { ReplayEvent } from '../../replay/replay-event.js';
import type { Paint } from './paint.js';
import { type Cell, type Column, table } from './table.js';
import { colourText, listOrDash, orDash } from './words.js';

export interface ReplayRenderOptions {
  readonly paint: Paint;
  /** More than one capture: frames are named `CAPTURE:FRAME`. */
  readonly captures: number;
  /** Nanoseconds: times are shown from here. */
  readonly start: bigint;
  readonly verbose: boolean;
}

const MESSAGE_COLUMNS: readonly Column[] = [
  { title: 'FRAME', align: 'right' },
  { title: 'TIME', align: 'right' },
  { title: 'SOURCE' },
  { title: 'DESTINATION' },
  { title: 'KIND' },
  { title: 'WHAT' },
];

const DETAIL_INDENT = '        ';

export function renderMessages(events: readonly ReplayEvent[], options: ReplayRenderOptions): string[] {
  if (events.length === 0) return ['no message'];
  const { paint, verbose } = options;
  const texts = events.map(({ content }) => messageText(content));
  const rows = events.map((event, index) => ({ cells: messageCells(event, texts[index]!.summary, options) }));
  const [head, ...lines] = table(MESSAGE_COLUMNS, rows, paint);
  if (!verbose) return [head!, ...lines];
  const details = texts.map((text) => text.details.map((line) => paint.dim(DETAIL_INDENT + line)));
  return [head!, ...lines.flatMap((line, index) => [line, ...details[index]!])];
}

function messageCells(event: ReplayEvent, summary: string, options: ReplayRenderOptions): Cell[] {
  const kind = messageKind(event.content) ?? '';
  const { paint, start } = options;
  const isFault = kind === 'note' || kind === 'malformed' || kind === 'notification';
  return [
    frameText(event, options),
    event.time === undefined ? '-' : (Number((event.time - start) / 1000n) / 1e6).toFixed(6),
    formatAddress(event.source),
    formatAddress(event.destination),
    { text: kind, style: isFault ? paint.warn : paint.strong },
    summary,
  ];
}

function frameText({ capture, frame }: When, { captures }: ReplayRenderOptions): string {
  return captures > 1 ? `${capture + 1}:${frame}` : String(frame);
}

const OUTCOME_COLUMNS: readonly Column[] = [
  { title: 'PREFIX' },
  { title: 'COLOUR' },
  { title: 'CHOSEN' },
  { title: 'AIGP', align: 'right' },
  { title: 'DECIDED BY' },
  { title: 'FALLBACK' },
  { title: 'SINCE FRAME', align: 'right' },
];

export function renderReceiver(receiver: Receiver, options: ReplayRenderOptions): string[] {
  const { paint, verbose } = options;
  const outcomes = receiver.outcomes;
  const head = receiverHead(receiver, paint);
  if (outcomes.length === 0) return [head, 'no prefix received'];
  const rows = outcomes.map((outcome) => ({ cells: outcomeCells(outcome, options) }));
  const [title, ...lines] = table(OUTCOME_COLUMNS, rows, paint);
  const why = (outcome: PrefixOutcome) => (verbose || worthExplaining(outcome) ? pathLines(outcome, paint) : []);
  const notes = outcomes.map((outcome) => [...goneLines(outcome, options), ...why(outcome)]);
  return [head, title!, ...lines.flatMap((line, index) => [line, ...notes[index]!])];
}

function receiverHead({ host, sessions }: Receiver, paint: Paint): string {
  const facts = [
    ...(host.asn === 0 ? [] : [`AS ${host.asn}`]),
    ...(host.hostname ? [host.hostname] : []),
    [...host.addresses].join(' '),
    counted(sessions, 'session'),
  ];
  return `${paint.strong(`received by ${host.name}`)}  ${facts.join(', ')}`;
}

function outcomeCells({ selection, since, gone }: PrefixOutcome, options: ReplayRenderOptions): Cell[] {
  const { prefix, colour, best, primary, fallback, decidedBy } = selection;
  const { paint } = options;
  const cell = (text: string) => (gone ? { text, style: paint.dim } : text);
  return [
    cell(formatPrefix(prefix)),
    { text: colourText(colour ?? null), style: paint.fabric(colour ?? null) },
    cell(best ? chosenText(primary) : 'none'),
    cell(orDash(best?.attributes.aigp?.metric.toString() ?? null)),
    cell(decidedBy),
    cell(listOrDash(namesOf(fallback))),
    cell(since ? frameText(since, options) : '-'),
  ];
}

/** Several are named shortly: the lines below tell the rest. */
function chosenText(primary: readonly PathView[]): string {
  const [only, ...others] = primary;
  return only && others.length === 0 ? hopText(only) : listOrDash(namesOf(primary));
}

function namesOf(paths: readonly PathView[]): string[] {
  return [...new Set(paths.map(({ peerName }) => peerName))].sort();
}

function hopText({ peerName, gateway, pathId }: PathView): string {
  const via = gateway && formatAddress(gateway) !== peerName ? `${peerName} via ${formatAddress(gateway)}` : peerName;
  return pathId === 0 ? via : `${via} path ${pathId}`;
}

/** One path that is simply taken needs no words. */
function worthExplaining({ explanation }: PrefixOutcome): boolean {
  return explanation.paths.length > 1 || explanation.paths.some(({ status }) => status === 'hidden');
}

function goneLines({ gone }: PrefixOutcome, options: ReplayRenderOptions): string[] {
  return gone ? [options.paint.warn(`    gone at frame ${frameText(gone, options)}: no path is left`)] : [];
}

function pathLines({ explanation }: PrefixOutcome, paint: Paint): string[] {
  return explanation.paths.map((path) => {
    const style = path.status === 'hidden' ? paint.bad : path.status === 'best' ? paint.good : paint.dim;
    return `    ${style(`${path.status.padEnd(9)} ${pathText(path)}: ${pathReason(path)}`)}`;
  });
}

function pathText(path: ExplainedPath): string {
  const { attributes } = path;
  const aigp = attributes.aigp ? `AIGP ${attributes.aigp.metric}` : 'no AIGP';
  return `${hopText(path)}  AS path ${formatAsPath(attributes.asPath) || 'empty'}  ${aigp}`;
}
