/**
 * Inputs that are kept in the repository (test/corpus): what the fuzzer found, and what broke other implementations. Unit tests
 * replay them, and the fuzzer starts from them. Real messages come from the captures in pcaps.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { BGP_PORT, replayCaptures } from '../app/replay/replay-captures.js';
import { HEADER_OCTETS, MESSAGE_TYPE } from '../core/wire/bgp/message.js';
import type { CapturedPacket } from '../core/wire/pcap/capture.js';
import { readCapture } from '../core/wire/pcap/read-capture.js';

const CORPUS = new URL('../../test/corpus/', import.meta.url);
const CAPTURES = new URL('../../pcaps/', import.meta.url);
const MRT_FILES = new URL('../../test/fixtures/mrt/', import.meta.url);
const TYPE_AT = 18;

export interface CorpusUpdate {
  readonly name: string;
  /** Who met it first. */
  readonly source: string;
  /** Name of the kind of session, see update-sessions.ts. */
  readonly session: string;
  /** Without the message header, in hexadecimal. */
  readonly body: string;
  /** One of DUE_NAMES. */
  readonly due: string;
  /** Paths that are there afterwards in a session without any before. */
  readonly routes: number;
  /** Of a reset. */
  readonly subcode?: number;
}

export interface CorpusInput {
  readonly name: string;
  readonly source: string;
  /** See decoders.ts. */
  readonly decoder: string;
  readonly input: string;
}

export function corpusUpdates(): readonly CorpusUpdate[] {
  return JSON.parse(readFileSync(new URL('updates.json', CORPUS), 'utf8')) as CorpusUpdate[];
}

export function corpusInputs(): readonly CorpusInput[] {
  return JSON.parse(readFileSync(new URL('decoders.json', CORPUS), 'utf8')) as CorpusInput[];
}

export function octetsOf(hexadecimal: string): Uint8Array {
  return Uint8Array.from(hexadecimal.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

export interface CapturedSeeds {
  readonly files: readonly Uint8Array[];
  readonly mrt: readonly Uint8Array[];
  readonly packets: readonly CapturedPacket[];
  /** Whole BGP messages by type. */
  readonly messages: (type: number) => readonly Uint8Array[];
  readonly updateBodies: readonly Uint8Array[];
}

function filesIn(folder: URL, names: RegExp): Uint8Array[] {
  return readdirSync(folder)
    .filter((name) => names.test(name))
    .map((name) => new Uint8Array(readFileSync(new URL(name, folder))));
}

/** What the captures in the repository hold, as starting points. */
export function capturedSeeds(): CapturedSeeds {
  const files = filesIn(CAPTURES, /\.pcap(ng)?$/);
  const captures = files.map(readCapture).flatMap((capture) => (capture.format === 'none' ? [] : [capture]));
  const messages = replayCaptures(captures, { port: BGP_PORT }).flatMap(({ content }) =>
    content.kind === 'bgp' ? [content.bytes] : [],
  );
  const ofType = (type: number) => messages.filter((message) => message[TYPE_AT] === type);
  return {
    files,
    mrt: filesIn(MRT_FILES, /\.mrt$/),
    packets: captures.flatMap(({ packets }) => packets),
    messages: ofType,
    updateBodies: ofType(MESSAGE_TYPE.update).map((message) => message.subarray(HEADER_OCTETS)),
  };
}
