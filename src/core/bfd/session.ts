/**
 * One BFD session, pure (RFC 5880 section 6, asynchronous mode, active role, no authentication, no echo): an input gives the next
 * session and outputs. Its deadlines are values: `deadline` says when the next `time` input is due.
 *
 *   any but AdminDown   packet, AdminDown   Down -> Down; else diagnostic 3                      -> Down
 *   Down                packet, Down                                                             -> Init
 *                       packet, Init                                                             -> Up
 *   Init                packet, Init or Up                                                       -> Up
 *                       detection time over diagnostic 1                                         -> Down
 *   Up                  packet, Down        diagnostic 3                                         -> Down
 *                       detection time over diagnostic 1                                         -> Down
 *                       other parameters    poll with them
 *   any                 packet with P       answer with F at once
 *                       time to transmit    send
 *                       admin-down          diagnostic 7                                         -> AdminDown
 *
 * Every change of state is sent at once (section 6.8.7). While the session is not Up, packets leave at least a second apart; coming
 * Up changes that interval, which a Poll Sequence announces (section 6.8.3), as it does other parameters later on: until the neighbour has
 * answered, the shorter of the two intervals is for what is sent, the longer one for what must arrive. A neighbour in Demand mode gets packets all the same.
 */
import type { BfdChange, BfdParameters, BfdStateName } from '../ports/bfd.js';
import type { Random } from '../ports/random.js';
import { BFD_DIAGNOSTICS, BFD_STATES, type BfdControlPacket } from '../wire/bfd.js';

export interface BfdRemote {
  readonly discriminator: number;
  readonly state: BfdStateName;
  readonly diagnostic: number;
  readonly multiplier: number;
  /** Milliseconds. */
  readonly desiredMinTx: number;
  /** Milliseconds; 0 asks for no periodic packets. */
  readonly requiredMinRx: number;
  /** The C bit: its BFD does not share the fate of its control plane. */
  readonly independent: boolean;
}

/** Intervals in force while a poll about others is under way. */
interface HeldIntervals {
  readonly shortest: number;
  readonly longest: number;
}

export interface BfdSessionState {
  readonly parameters: BfdParameters;
  readonly discriminator: number;
  readonly state: BfdStateName;
  readonly diagnostic: number;
  readonly remote: BfdRemote;
  readonly polling: boolean;
  /** Present while the neighbour has not answered to the interval that is in the parameters. */
  readonly held: HeldIntervals | undefined;
  /** The interval changed again during the poll: another one follows (section 6.5). */
  readonly pollsAgain: boolean;
  /** Clock milliseconds; infinite when nothing is due. */
  readonly transmitAt: number;
  readonly detectAt: number;
}

export type BfdInput =
  | { readonly kind: 'started' }
  | { readonly kind: 'packet'; readonly packet: BfdControlPacket }
  | { readonly kind: 'time' }
  | { readonly kind: 'parameters'; readonly parameters: BfdParameters }
  | { readonly kind: 'admin-down' };

export type BfdOutput =
  | { readonly kind: 'send'; readonly packet: BfdControlPacket }
  /** The state of either end is another one. */
  | { readonly kind: 'changed'; readonly change: BfdChange }
  /** A packet that section 6.8.6 says to drop. */
  | { readonly kind: 'discarded' };

export interface BfdMoment {
  /** Clock milliseconds. */
  readonly now: number;
  readonly random: Random;
}

export interface BfdStep {
  readonly state: BfdSessionState;
  readonly outputs: readonly BfdOutput[];
}

const VERSION = 1;
const DIAGNOSTIC = { none: 0, detectionTimeExpired: 1, neighbourSignalledDown: 3, administrativelyDown: 7 } as const;
/** Section 6.8.3: milliseconds between packets while the session is not Up. */
const SLOW_INTERVAL = 1000;
/** Section 6.8.1: nothing is known yet; RemoteMinRxInterval starts at a microsecond. */
const UNKNOWN: BfdRemote = {
  discriminator: 0,
  state: 'Down',
  diagnostic: DIAGNOSTIC.none,
  multiplier: 0,
  desiredMinTx: 0,
  requiredMinRx: 0.001,
  independent: false,
};

/** @param discriminator not 0, and no other session's. */
export function createBfdSession(discriminator: number, parameters: BfdParameters): BfdSessionState {
  return {
    parameters,
    discriminator,
    state: 'Down',
    diagnostic: DIAGNOSTIC.none,
    remote: UNKNOWN,
    polling: false,
    held: undefined,
    pollsAgain: false,
    transmitAt: Number.POSITIVE_INFINITY,
    detectAt: Number.POSITIVE_INFINITY,
  };
}

export function stepBfdSession(session: BfdSessionState, input: BfdInput, at: BfdMoment): BfdStep {
  switch (input.kind) {
    case 'started':
      return transmitted(session, at);
    case 'packet':
      return acceptable(session, input.packet)
        ? received(session, input.packet, at)
        : { state: session, outputs: [{ kind: 'discarded' }] };
    case 'time':
      return timePassed(session, at);
    case 'parameters':
      return { state: withParameters(session, input.parameters, at), outputs: [] };
    case 'admin-down':
      return moved(session, session, { state: 'AdminDown', diagnostic: DIAGNOSTIC.administrativelyDown }, at);
  }
}

/** When the next `time` input is due. */
export function deadline({ transmitAt, detectAt }: BfdSessionState): number {
  return Math.min(transmitAt, detectAt);
}

/** Section 6.8.3: slow while not Up. */
function desiredMinTx({ state, parameters }: BfdSessionState): number {
  return state === 'Up' ? parameters.interval : Math.max(SLOW_INTERVAL, parameters.interval);
}

/** Section 6.8.7, before jitter. */
export function transmitInterval(session: BfdSessionState): number {
  const desired = Math.min(desiredMinTx(session), session.held?.shortest ?? Number.POSITIVE_INFINITY);
  return Math.max(desired, session.remote.requiredMinRx);
}

/** Section 6.8.4; 0 while the neighbour is unknown. */
export function detectionTime({ parameters, held, remote }: BfdSessionState): number {
  return remote.multiplier * Math.max(parameters.interval, held?.longest ?? 0, remote.desiredMinTx);
}

/** Section 6.8.6, the steps that discard. Without authentication here, a packet with the A bit is one to drop. */
function acceptable(session: BfdSessionState, packet: BfdControlPacket): boolean {
  if (packet.version !== VERSION || packet.detectMultiplier === 0 || packet.multipoint) return false;
  if (packet.myDiscriminator === 0 || packet.authenticationPresent) return false;
  const state = stateName(packet);
  return packet.yourDiscriminator === 0
    ? state === 'Down' || state === 'AdminDown'
    : packet.yourDiscriminator === session.discriminator;
}

function received(session: BfdSessionState, packet: BfdControlPacket, at: BfdMoment): BfdStep {
  const known = learned(session, packet, at);
  if (known.state === 'AdminDown') return { state: known, outputs: [] };
  const step = moved(session, known, nextState(known, stateName(packet)), at);
  // Section 6.8.7: the answer to a poll does not wait, and carries no poll of its own.
  return packet.poll ? { state: step.state, outputs: [...step.outputs, answer(step.state)] } : step;
}

function learned(session: BfdSessionState, packet: BfdControlPacket, at: BfdMoment): BfdSessionState {
  const remote: BfdRemote = {
    discriminator: packet.myDiscriminator,
    state: stateName(packet),
    diagnostic: packet.diagnostic,
    multiplier: packet.detectMultiplier,
    desiredMinTx: packet.desiredMinTxInterval / 1000,
    requiredMinRx: packet.requiredMinRxInterval / 1000,
    independent: packet.controlPlaneIndependent,
  };
  const known = { ...session, remote, ...(packet.final && polled(session)) };
  const transmitAt =
    remote.requiredMinRx === session.remote.requiredMinRx ? session.transmitAt : nextTransmission(known, at);
  return { ...known, transmitAt, detectAt: at.now + detectionTime(known) };
}

/** The neighbour answered a poll. */
function polled({ pollsAgain, held }: BfdSessionState) {
  return { polling: pollsAgain, pollsAgain: false, held: pollsAgain ? held : undefined };
}

/**
 * Section 6.8.3: both intervals are announced by a poll, on the packets that are sent anyway (section 6.5). Before the session is Up,
 * the poll of coming Up does that.
 */
function withParameters(session: BfdSessionState, parameters: BfdParameters, at: BfdMoment): BfdSessionState {
  const before = session.parameters.interval;
  if (session.state !== 'Up' || parameters.interval === before) return { ...session, parameters };
  const held: HeldIntervals = {
    shortest: Math.min(before, session.held?.shortest ?? before),
    longest: Math.max(before, session.held?.longest ?? before),
  };
  const next = { ...session, parameters, held, polling: true, pollsAgain: session.polling };
  return {
    ...next,
    transmitAt: Math.min(session.transmitAt, nextTransmission(next, at)),
    detectAt: session.detectAt + detectionTime(next) - detectionTime(session),
  };
}

type Move = Pick<BfdSessionState, 'state' | 'diagnostic'>;

function nextState({ state, diagnostic }: BfdSessionState, remote: BfdStateName): Move {
  const stay = { state, diagnostic };
  const up: Move = { state: 'Up', diagnostic: DIAGNOSTIC.none };
  const down: Move = { state: 'Down', diagnostic: DIAGNOSTIC.neighbourSignalledDown };
  if (remote === 'AdminDown') return state === 'Down' ? stay : down;
  if (state === 'Down') return remote === 'Down' ? { state: 'Init', diagnostic } : remote === 'Init' ? up : stay;
  if (state === 'Init') return remote === 'Down' ? stay : up;
  return remote === 'Down' ? down : stay;
}

/** Takes `to` on, tells of it and sends it at once. `before` is the session as it was when the input came. */
function moved(before: BfdSessionState, session: BfdSessionState, to: Move, at: BfdMoment): BfdStep {
  const told = session.remote.state !== before.remote.state;
  const changed = to.state !== session.state;
  if (!changed && !told) return { state: session, outputs: [] };
  const next: BfdSessionState = { ...session, ...to };
  const report: BfdOutput = { kind: 'changed', change: changeOf(before, next) };
  if (!changed) return { state: next, outputs: [report] };
  const sent = transmitted({ ...next, polling: next.state === 'Up', held: undefined, pollsAgain: false }, at);
  return { state: sent.state, outputs: [report, ...sent.outputs] };
}

/** RFC 5882 section 3.2: a neighbour in AdminDown, or we ourselves, took the session down on purpose. */
function changeOf(before: BfdSessionState, next: BfdSessionState): BfdChange {
  return {
    from: before.state,
    to: next.state,
    remote: next.remote.state,
    diagnostic: diagnosticName(next.diagnostic),
    pathFailed: before.state === 'Up' && next.state === 'Down' && next.remote.state !== 'AdminDown',
    independent: before.remote.independent,
  };
}

function timePassed(session: BfdSessionState, at: BfdMoment): BfdStep {
  if (at.now >= session.detectAt) return silent(session, at);
  return at.now >= session.transmitAt ? transmitted(session, at) : { state: session, outputs: [] };
}

/** Section 6.8.4 and, for the discriminator, 6.8.1. */
function silent(session: BfdSessionState, at: BfdMoment): BfdStep {
  const forgotten = { ...session, remote: UNKNOWN, polling: false, detectAt: Number.POSITIVE_INFINITY };
  const connected = session.state === 'Init' || session.state === 'Up';
  const to: Move = connected ? { state: 'Down', diagnostic: DIAGNOSTIC.detectionTimeExpired } : session;
  const step = moved(session, forgotten, { state: to.state, diagnostic: to.diagnostic }, at);
  return step.state.transmitAt === Number.POSITIVE_INFINITY
    ? { ...step, state: { ...step.state, transmitAt: nextTransmission(step.state, at) } }
    : step;
}

function transmitted(session: BfdSessionState, at: BfdMoment): BfdStep {
  const packet = controlPacket(session, { poll: session.polling, final: false });
  return { state: { ...session, transmitAt: nextTransmission(session, at) }, outputs: [{ kind: 'send', packet }] };
}

/** Section 6.8.7: jitter of up to a quarter, and with a multiplier of 1 at least a tenth, so that nothing arrives too late. */
function nextTransmission(session: BfdSessionState, { now, random }: BfdMoment): number {
  if (session.remote.requiredMinRx === 0) return Number.POSITIVE_INFINITY;
  const span = session.parameters.multiplier === 1 ? 0.15 : 0.25;
  return now + transmitInterval(session) * (0.75 + span * random.next());
}

function answer(session: BfdSessionState): BfdOutput {
  return { kind: 'send', packet: controlPacket(session, { poll: false, final: true }) };
}

function controlPacket(session: BfdSessionState, flags: { poll: boolean; final: boolean }): BfdControlPacket {
  return {
    version: VERSION,
    diagnostic: session.diagnostic,
    state: BFD_STATES.indexOf(session.state),
    ...flags,
    controlPlaneIndependent: false,
    authenticationPresent: false,
    demand: false,
    multipoint: false,
    detectMultiplier: session.parameters.multiplier,
    myDiscriminator: session.discriminator,
    yourDiscriminator: session.remote.discriminator,
    desiredMinTxInterval: microseconds(desiredMinTx(session)),
    requiredMinRxInterval: microseconds(session.parameters.interval),
    requiredMinEchoRxInterval: 0,
  };
}

function microseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000);
}

function stateName(packet: BfdControlPacket): BfdStateName {
  return BFD_STATES[packet.state & 3]!;
}

export function diagnosticName(diagnostic: number): string {
  return BFD_DIAGNOSTICS[diagnostic] ?? `diagnostic ${diagnostic}`;
}
