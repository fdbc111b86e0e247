/**
 * What a hostile neighbour sends in one session: the octets before the session is up and those after it, in pieces, and how it
 * leaves. Made from what a real neighbour would send, damaged by message or by octet, or with one fault that is known.
 */
import { hex } from '../core/wire/bgp/octets.js';
import { keepalive, open, rawMessage } from '../simulator/hostile-peer.js';
import type { Dice } from './dice.js';
import { mutate } from './mutate.js';
import { OctetWriter } from './octet-writer.js';
import { type Ends, endsOf } from './session-judge.js';
import { validDraft, writeDraft } from './update-draft.js';
import { putFaults } from './update-faults.js';
import { HEALTHY_SESSIONS } from './update-sessions.js';

/** As the session is agreed on when nothing is damaged. */
export const SESSION_CONTEXT = HEALTHY_SESSIONS[0]!.context;

export type Leave = 'end' | 'reset' | 'silence';

export interface SessionScript {
  /** What was done to it. */
  readonly kind: string;
  /** Before the session is up, and after. */
  readonly first: readonly Uint8Array[];
  readonly second: readonly Uint8Array[];
  readonly leave: Leave;
  /** Takes the router's own connection as well, and says the same on it. */
  readonly collides: boolean;
  /** How it must end; empty when nobody can tell. */
  readonly ends: Ends;
}

export function describeScript({ kind, first, second, leave, collides }: SessionScript): string {
  const pieces = (list: readonly Uint8Array[]) => list.map(hex).join(' ');
  return JSON.stringify({ kind, first: pieces(first), second: pieces(second), leave, collides });
}

const writer = new OctetWriter(65535);
const MOST_PIECES = 6;
/** A stream is sent octet by octet up to here. */
const DRIBBLED = 48;

const body = (...octets: number[]) => Uint8Array.from(octets);
const refresh = rawMessage(5, body(0, 2, 0, 1));
const endOfRib = rawMessage(2, body(0, 0, 0, 0));
const cease = rawMessage(3, body(6, 2, 3, 0x62, 0x79, 0x65));

interface KnownFault {
  readonly first?: () => readonly Uint8Array[];
  readonly second?: () => readonly Uint8Array[];
  readonly ends: string;
}

const usual = () => [open(), keepalive];

/** Faults of headers, of OPENs, and of what comes out of turn (RFC 4271 sections 6.1, 6.2, 6.5; RFC 6608). */
const KNOWN_FAULTS: readonly KnownFault[] = [
  { first: () => [rawMessage(4, body(), { marker: 0 })], ends: '1/1' },
  { first: () => [rawMessage(4, body(), { length: 18 })], ends: '1/2' },
  { first: () => [rawMessage(4, body(0))], ends: '1/2' },
  { first: () => [rawMessage(7, body())], ends: '1/3' },
  { first: () => [open({ version: 3 })], ends: '2/1' },
  { first: () => [open({ asn: 0 })], ends: '2/2' },
  { first: () => [open({ identifier: 0 })], ends: '2/3' },
  { first: () => [open({ parameters: body(3, 1, 1, 0) })], ends: '2/4' },
  { first: () => [open({ hold: 1 })], ends: '2/6' },
  { first: () => [open({ hold: 2 })], ends: '2/6' },
  { first: () => [open({ parameters: body(9, 2, 1, 65) })], ends: '2/0' },
  { first: () => [keepalive], ends: '5/1' },
  { first: () => [refresh], ends: '5/1' },
  { first: () => [endOfRib], ends: '5/1' },
  { first: () => [open(), open()], ends: '5/2' },
  { first: () => [open(), endOfRib], ends: '5/2' },
  { first: () => [open(), cease], ends: 'closed' },
  { first: usual, second: () => [open()], ends: '5/3' },
  { first: usual, second: () => [rawMessage(2, body(0, 0))], ends: '1/2' },
  { first: usual, second: () => [rawMessage(9, body())], ends: '1/3' },
  { first: usual, second: () => [rawMessage(4, body(), { marker: 0x7f })], ends: '1/1' },
  { first: usual, second: () => [cease], ends: 'closed' },
];

function updates(dice: Dice, faults: number): Uint8Array[] {
  return Array.from({ length: 1 + dice.below(4) }, () => {
    const draft = validDraft(dice, SESSION_CONTEXT);
    putFaults(draft, faults, { dice, context: SESSION_CONTEXT });
    writeDraft(draft, writer, dice);
    return rawMessage(2, writer.written());
  });
}

function pieces(stream: Uint8Array, dice: Dice): Uint8Array[] {
  if (stream.length === 0) return [];
  const way = dice.below(16);
  if (way < 6) return [stream];
  if (way === 6) return octetByOctet(stream);
  const cuts = Array.from({ length: 1 + (way < 12 ? 0 : dice.below(MOST_PIECES)) }, () => dice.below(stream.length));
  cuts.sort((a, b) => a - b);
  return [0, ...cuts].map((from, index) => stream.slice(from, cuts[index] ?? stream.length));
}

function octetByOctet(stream: Uint8Array): Uint8Array[] {
  const single = Math.min(DRIBBLED, stream.length);
  return [...Array.from({ length: single }, (_, at) => stream.slice(at, at + 1)), stream.slice(single)];
}

function joined(messages: readonly Uint8Array[]): Uint8Array {
  writer.length = 0;
  for (const message of messages) if (message.length <= writer.room) writer.octets(message);
  return writer.written().slice();
}

/** Messages doubled, dropped, swapped, cut in their headers, or put where they do not belong. */
function disturbed(messages: readonly Uint8Array[], dice: Dice): Uint8Array[] {
  const result = [...messages];
  const strangers = [
    open(),
    keepalive,
    refresh,
    endOfRib,
    cease,
    rawMessage(dice.octet(), dice.octets(dice.below(30))),
  ];
  for (let times = 1 + dice.below(3); times > 0; times--) {
    const at = dice.below(result.length + 1);
    const way = dice.below(5);
    const message = result[Math.min(at, result.length - 1)];
    if (way === 0 || !message) result.splice(at, 0, dice.pick(strangers));
    else if (way === 1) result.splice(at, 0, message);
    else if (way === 2) result.splice(at, 1);
    else if (way === 3) result.unshift(...result.splice(at, 1));
    else result[result.indexOf(message)] = relabelled(message, dice);
  }
  return result;
}

function relabelled(message: Uint8Array, dice: Dice): Uint8Array {
  const copy = message.slice();
  if (dice.once(2)) copy[18] = dice.below(8);
  else copy[17] = dice.edge();
  return copy;
}

function damaged(stream: Uint8Array, dice: Dice): Uint8Array {
  writer.length = 0;
  writer.octets(stream);
  mutate(writer, dice, stream);
  return writer.written().slice();
}

interface Content {
  readonly kind: string;
  readonly first: Uint8Array;
  readonly second: Uint8Array;
  /** The session comes up, so that the judge of streams can tell how it ends. */
  readonly comesUp: boolean;
  readonly ends?: string;
}

function content(dice: Dice): Content {
  const first = joined(usual());
  const second = [...updates(dice, dice.below(2)), ...(dice.once(3) ? [refresh] : []), endOfRib];
  switch (dice.below(10)) {
    case 0:
      return { kind: 'nothing wrong', first, second: joined([...updates(dice, 0), endOfRib]), comesUp: true };
    case 1: {
      const fault = dice.pick(KNOWN_FAULTS);
      const opening = joined((fault.first ?? usual)());
      return {
        kind: 'one fault',
        first: opening,
        second: joined(fault.second?.() ?? []),
        comesUp: false,
        ends: fault.ends,
      };
    }
    case 2:
      return { kind: 'faults in UPDATEs', first, second: joined([...updates(dice, 2), endOfRib]), comesUp: true };
    case 3:
    case 4:
      return { kind: 'messages out of turn', first, second: joined(disturbed(second, dice)), comesUp: true };
    case 5:
      return {
        kind: 'opening out of turn',
        first: joined(disturbed(usual(), dice)),
        second: joined(second),
        comesUp: false,
      };
    case 6:
      return { kind: 'opening damaged', first: damaged(first, dice), second: joined(second), comesUp: false };
    default:
      return { kind: 'stream damaged', first, second: damaged(joined(second), dice), comesUp: true };
  }
}

export function makeScript(dice: Dice): SessionScript {
  const { kind, first, second, comesUp, ends } = content(dice);
  const collides = ends === undefined && !comesUp && dice.once(3);
  return {
    kind,
    first: pieces(first, dice),
    second: pieces(second, dice),
    leave: dice.once(4) ? 'silence' : dice.once(2) ? 'end' : 'reset',
    collides,
    ends: ends !== undefined ? [ends] : comesUp ? endsOf(second, SESSION_CONTEXT) : [],
  };
}
