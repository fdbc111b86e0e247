/**
 * One GPU of a traffic job: its memory, its queue pairs over real sockets, and its part of the collective. It runs in a process of
 * its own in the host's namespace (agent-main.ts).
 */
import { parseAddress } from '../../core/net/address.js';
import { addWords, type Collective, collectiveOf, type Send } from '../../core/rlb/collective.js';
import { QueuePairEnd } from '../../core/rlb/queue-pair-end.js';
import { segmentsOf } from '../../core/rlb/segments.js';
import { now } from '../lab/monotonic.js';
import type { AgentAnswer, AgentQueuePair, AgentTask, SendingEnd, SubflowEnd } from './agent-protocol.js';
import { AgentSockets } from './agent-sockets.js';

/** Where every rank's memory begins, as the others address it, and the key to it. */
const MEMORY_ADDRESS = 0x7f00_0000_0000n;
const MEMORY_KEY = 0x4801;
const WORD = 4;
/** Packets that are sent before what has arrived is looked at. */
const TURN = 32;
/** Milliseconds. */
const PROGRESS_INTERVAL = 200;

interface LiveQueuePair {
  readonly plan: AgentQueuePair;
  readonly end: QueuePairEnd;
  startedAt: number | null;
  endedAt: number | null;
}

export class Agent {
  private readonly collective: Collective;
  private readonly memory: Uint32Array;
  private readonly pairs: readonly LiveQueuePair[];
  private readonly outgoing: readonly LiveQueuePair[];
  private readonly byNumber: ReadonlyMap<number, LiveQueuePair>;
  /** Messages taken in so far, by rank. */
  private readonly taken = new Map<number, number>();
  private receipts = 0;
  private sockets: AgentSockets | undefined;
  private startedAt: number | undefined;
  private over = false;
  private strays = 0;
  private turnPlanned = false;
  private timer: NodeJS.Timeout | undefined;
  private progress: NodeJS.Timeout | undefined;
  private nextPair = 0;
  private messages = 0;

  constructor(
    private readonly task: AgentTask,
    private readonly say: (answer: AgentAnswer) => void,
  ) {
    this.collective = collectiveOf(task.pattern, task);
    this.memory = new Uint32Array(this.collective.memory);
    this.collective.fill(this.memory);
    this.pairs = task.queuePairs.map((plan) => this.livePair(plan));
    this.outgoing = this.pairs.filter(({ plan }) => plan.direction === 'out');
    this.byNumber = new Map(this.pairs.map((pair) => [pair.plan.localQp, pair]));
  }

  private livePair(plan: AgentQueuePair): LiveQueuePair {
    const octets = new Uint8Array(this.memory.buffer);
    const region = { rKey: MEMORY_KEY, address: MEMORY_ADDRESS, length: octets.length };
    const { local, remote, sourcePort, remoteQp, firstPsn } = plan;
    const path = { local: parseAddress(local)!, remote: parseAddress(remote)!, sourcePort, remoteQp };
    const end = new QueuePairEnd(path, { ...this.task.transport, firstPsn, region }, octets);
    return { plan, end, startedAt: null, endedAt: null };
  }

  /** Resolves when all sockets are there. */
  async open(): Promise<void> {
    const flows = this.pairs.map(({ plan }) => plan);
    this.sockets = await AgentSockets.open(flows, (datagram) => this.arrived(datagram));
    this.say({ kind: 'ready' });
  }

  start(): void {
    this.startedAt = now();
    for (const send of this.collective.start()) this.post(send);
    // Peers that started earlier may have brought theirs already.
    const incoming = this.pairs.filter(({ plan }) => plan.direction === 'in');
    for (const peer of new Set(incoming.map(({ plan }) => plan.peer))) this.takeMessages(peer);
    this.progress = setInterval(() => this.tellProgress(), PROGRESS_INTERVAL);
    this.goOn();
  }

  /** Cut into a segment for each queue pair to that rank; one that gets nothing writes nothing, so that all count the same messages. */
  private post({ to, from, into, words }: Send): void {
    const pairs = this.outgoing.filter(({ plan }) => plan.peer === to);
    const immediate = this.messages++;
    for (const [index, { offset, length }] of segmentsOf(words * WORD, pairs.length).entries())
      pairs[index]!.end.requester.post({
        local: from * WORD + offset,
        length,
        remote: MEMORY_ADDRESS + BigInt(into * WORD + offset),
        rKey: MEMORY_KEY,
        immediate,
      });
  }

  /** Nothing is sent or taken any more. */
  close(): void {
    this.over = true;
    clearTimeout(this.timer);
    clearInterval(this.progress);
    this.sockets?.close();
  }

  private arrived(datagram: Uint8Array): void {
    // The number is read ahead of the check of the packet, which needs the path that belongs to it.
    const number = datagram.length < 8 ? 0 : (datagram[5]! << 16) | (datagram[6]! << 8) | datagram[7]!;
    const pair = this.byNumber.get(number);
    if (!pair) {
      this.strays++;
      return;
    }
    const at = now();
    const answer = pair.end.receive(datagram, at);
    if (answer) this.sockets?.send(pair.plan, answer);
    if (pair.plan.direction === 'out') pair.endedAt = at;
    else this.takeMessages(pair.plan.peer);
    this.plan();
  }

  /** A message is there when every queue pair has brought its segment. None is taken before the start, for it comes ahead of what follows from one. */
  private takeMessages(peer: number): void {
    if (this.startedAt === undefined) return;
    const complete = this.pairs.reduce(
      (least, { plan, end }) =>
        plan.direction === 'in' && plan.peer === peer ? Math.min(least, end.responder.completed) : least,
      Number.POSITIVE_INFINITY,
    );
    for (let taken = this.taken.get(peer) ?? 0; taken < complete; taken++) {
      this.taken.set(peer, taken + 1);
      this.receipts++;
      const { add, sends } = this.collective.received(peer);
      if (add) addWords(this.memory, add);
      for (const send of sends) this.post(send);
    }
  }

  /** Looks at all that can be done, once what waits in the sockets is read. */
  private plan(): void {
    if (this.turnPlanned || this.startedAt === undefined) return;
    this.turnPlanned = true;
    setImmediate(() => this.goOn());
  }

  private goOn(): void {
    this.turnPlanned = false;
    clearTimeout(this.timer);
    if (this.over) return;
    for (const { end } of this.outgoing) end.requester.elapsed(now());
    const more = this.transmit();
    if (this.endIfDone()) return;
    if (more) return this.plan();
    const wait = Math.min(...this.outgoing.map(({ end }) => end.requester.deadline)) - now();
    if (wait !== Number.POSITIVE_INFINITY) this.timer = setTimeout(() => this.plan(), Math.max(1, wait));
  }

  /** A packet of each queue pair in turn, as a NIC shares its line; whether there is more than one turn had room for. */
  private transmit(): boolean {
    let idle = 0;
    let sent = 0;
    while (sent < TURN && idle < this.outgoing.length) {
      const pair = this.outgoing[this.nextPair++ % this.outgoing.length]!;
      const at = now();
      const datagram = pair.end.transmit(at);
      idle = datagram ? 0 : idle + 1;
      if (!datagram) continue;
      pair.startedAt ??= at;
      this.sockets?.send(pair.plan, datagram);
      sent++;
    }
    return sent === TURN;
  }

  private endIfDone(): boolean {
    const failed = this.outgoing.find(({ end }) => end.requester.failure !== undefined);
    const done = this.receipts === this.collective.receipts && this.outgoing.every(({ end }) => end.requester.idle);
    if (!failed && !done) return false;
    this.over = true;
    if (failed) this.say({ kind: 'failed', subflow: failed.plan.subflow, reason: failed.end.requester.failure! });
    else this.say({ kind: 'finished', startedAt: this.startedAt!, finishedAt: now() });
    return true;
  }

  private tellProgress(): void {
    const octets = this.outgoing.reduce((sum, { end }) => sum + end.requester.acknowledgedOctets, 0);
    this.say({ kind: 'progress', octets });
  }

  report(): void {
    const due = this.receipts === this.collective.receipts && (this.task.pattern !== 'send' || this.task.rank === 1);
    this.say({
      kind: 'report',
      ends: this.pairs.map(endOf),
      wrong: (due && this.collective.check(this.memory)) || null,
      strays: this.strays,
      sendError: this.sockets?.lastError ?? null,
    });
  }
}

function endOf({ plan: { subflow, direction }, end, startedAt, endedAt }: LiveQueuePair): SubflowEnd {
  const { requester, responder, damage, problem } = end;
  if (direction === 'in')
    return { subflow, direction, counters: { ...responder.counters, ...damage, problem: problem ?? null } };
  const counters: SendingEnd = {
    ...requester.counters,
    octets: requester.acknowledgedOctets,
    startedAt,
    endedAt,
    failure: requester.failure ?? null,
  };
  return { subflow, direction, counters };
}
