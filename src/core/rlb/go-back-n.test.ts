import { describe, expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { parseAddress } from '../net/address.js';
import { OPCODE } from '../wire/rocev2/opcode.js';
import { PSN_MODULUS } from '../wire/rocev2/psn.js';
import { decodeRoce, ROCE_DEFAULTS } from '../wire/rocev2/roce-packet.js';
import { decodeSyndrome, NAK_CODE } from '../wire/rocev2/syndrome.js';
import { QueuePairEnd } from './queue-pair-end.js';
import { Requester } from './requester.js';
import { Responder } from './responder.js';
import { segmentsOf } from './segments.js';

const MTU = 256;
const REGION = { rKey: 0x1234, address: 0x7f00_0000_0000n };
const TIMEOUT = 20;
/** Milliseconds that every packet travels. */
const TRAVEL = 1;

/** What happens to a packet on its way. */
type Fate = 'arrives' | 'lost' | 'twice' | 'late' | 'damaged';

interface Options {
  readonly octets?: number;
  readonly firstPsn?: number;
  readonly window?: number;
  readonly messages?: number;
  readonly pace?: number;
  readonly reorder?: number;
  /** Of the packets in the order in which they are sent; what comes after those arrives. */
  readonly fates?: readonly Fate[];
  readonly answerFates?: readonly Fate[];
  readonly neverAnything?: boolean;
}

/** Two ends over a wire that does as it is told, on a clock of its own. */
class Wire {
  time = 0;
  readonly source: Uint8Array;
  readonly target: Uint8Array;
  readonly sender: QueuePairEnd;
  readonly receiver: QueuePairEnd;
  readonly opcodes: number[] = [];
  readonly answers: string[] = [];
  private readonly events: { at: number; run: () => void }[] = [];
  private readonly fates: Fate[];
  private readonly answerFates: Fate[];

  constructor(private readonly options: Options) {
    const { octets = 5000, firstPsn = 100, window = 16, messages = 1, pace, reorder } = options;
    this.fates = [...(options.fates ?? [])];
    this.answerFates = [...(options.answerFates ?? [])];
    this.source = Uint8Array.from({ length: octets }, (_, index) => index * 7 + (index >> 8));
    this.target = new Uint8Array(octets);
    const settings = {
      firstPsn,
      pathMtu: MTU,
      window,
      ackTimeout: TIMEOUT,
      retryLimit: 7,
      region: { ...REGION, length: octets },
      ...(pace !== undefined && { pace }),
      ...(reorder !== undefined && { reorder }),
    };
    const [local, remote] = [parseAddress('fc00:1::1')!, parseAddress('fc00:2::1')!];
    this.sender = new QueuePairEnd({ local, remote, sourcePort: 0xc001, remoteQp: 9 }, settings, this.source);
    const back = { local: remote, remote: local, sourcePort: 0xc001, remoteQp: 8 };
    this.receiver = new QueuePairEnd(back, settings, this.target);
    for (const [index, { offset, length }] of segmentsOf(octets, messages).entries())
      this.sender.requester.post({
        local: offset,
        length,
        remote: REGION.address + BigInt(offset),
        rKey: REGION.rKey,
        immediate: index,
      });
  }

  run(): this {
    const { requester } = this.sender;
    for (let turns = 0; !requester.idle && requester.failure === undefined; turns++) {
      if (turns > 100_000) throw new Error('it does not end');
      this.sendAll();
      this.events.sort((a, b) => a.at - b.at);
      const event = this.events[0];
      this.time = Math.max(this.time, Math.min(event?.at ?? Number.POSITIVE_INFINITY, requester.deadline));
      if (event && event.at <= this.time) this.events.shift()!.run();
      else requester.elapsed(this.time);
    }
    for (const { run } of this.events.splice(0)) run();
    return this;
  }

  private sendAll(): void {
    for (let packet = this.sender.transmit(this.time); packet; packet = this.sender.transmit(this.time)) {
      this.opcodes.push(packet[0]!);
      this.carry(packet, this.fates, (octets) => this.arrive(octets));
    }
  }

  private arrive(octets: Uint8Array): void {
    const answer = this.receiver.receive(octets, this.time);
    if (!answer) return;
    const decoded = decodeRoce(answer);
    if (decoded.kind === 'packet') {
      const { aeth, psn } = decoded.packet;
      this.answers.push(`${decodeSyndrome(aeth!.syndrome).kind} ${psn}`);
    }
    this.carry(answer, this.answerFates, (back) => void this.sender.receive(back, this.time));
  }

  private carry(octets: Uint8Array, fates: Fate[], deliver: (octets: Uint8Array) => void): void {
    const fate = this.options.neverAnything ? 'lost' : (fates.shift() ?? 'arrives');
    const at = (delay: number, what = octets) => this.events.push({ at: this.time + delay, run: () => deliver(what) });
    if (fate === 'damaged')
      at(
        TRAVEL,
        octets.map((octet, index) => (index === 10 ? octet ^ 4 : octet)),
      );
    else if (fate === 'late') at(TRAVEL * 3);
    else if (fate !== 'lost') at(TRAVEL);
    if (fate === 'twice') at(TRAVEL * 2);
  }
}

describe('go-back-N', () => {
  it('sends first, middle and last packets, and writes at the address of the first', () => {
    const wire = new Wire({ octets: 700 }).run();
    expect(wire.opcodes).toEqual([OPCODE.writeFirst, OPCODE.writeMiddle, OPCODE.writeLastImmediate]);
    expect(wire.target).toEqual(wire.source);
    expect(wire.sender.requester).toMatchObject({ completed: 1, acknowledgedOctets: 700, idle: true });
  });

  it.each([0, 1, MTU])('sends %i octets in one packet', (octets) => {
    const wire = new Wire({ octets }).run();
    expect(wire.opcodes).toEqual([OPCODE.writeOnlyImmediate]);
    expect(wire.target).toEqual(wire.source);
    expect(wire.receiver.responder.completed).toBe(1);
  });

  it('two packets that change places are one NAK and one return', () => {
    const wire = new Wire({ octets: 6 * MTU, fates: ['arrives', 'late'] }).run();
    expect(wire.sender.requester.counters).toMatchObject({ sequenceErrors: 1, timeouts: 0 });
    expect(wire.answers.filter((answer) => answer.startsWith('nak'))).toEqual(['nak 101']);
    expect(wire.target).toEqual(wire.source);
  });

  it('two packets that change places are no more than that to a receiver that keeps the early one', () => {
    const wire = new Wire({ octets: 6 * MTU, reorder: 4, fates: ['arrives', 'late'] }).run();
    expect(wire.sender.requester.counters).toMatchObject({ sequenceErrors: 0, timeouts: 0, retransmitted: 0 });
    expect(wire.receiver.responder.counters).toMatchObject({ outOfOrder: 4, duplicates: 0 });
    expect(wire.target).toEqual(wire.source);
  });

  it('a packet further ahead than what is kept says that those before it are lost', () => {
    const wire = new Wire({ octets: 8 * MTU, reorder: 4, fates: ['arrives', 'lost'] }).run();
    expect(wire.sender.requester.counters).toMatchObject({ sequenceErrors: 1, timeouts: 0 });
    expect(wire.target).toEqual(wire.source);
  });

  it('the loss of the last packet is noticed by time alone', () => {
    const wire = new Wire({ octets: 3 * MTU, fates: ['arrives', 'arrives', 'lost'] }).run();
    expect(wire.sender.requester.counters).toEqual({ sent: 6, retransmitted: 3, sequenceErrors: 0, timeouts: 1 });
    expect(wire.time).toBeGreaterThanOrEqual(TIMEOUT);
    expect(wire.target).toEqual(wire.source);
  });

  it('PSNs go round', () => {
    const wire = new Wire({ octets: 100 * MTU, firstPsn: PSN_MODULUS - 50, fates: ['lost'] }).run();
    expect(wire.target).toEqual(wire.source);
    expect(wire.answers.at(-1)).toBe('ack 49');
  });

  it('a packet with a wrong CRC is counted, not taken, and sent again', () => {
    const wire = new Wire({ fates: ['arrives', 'damaged'] }).run();
    expect(wire.receiver.damage).toEqual({ icrcErrors: 1, malformed: 0 });
    expect(wire.target).toEqual(wire.source);
  });

  it('octets that are no packet are counted and named', () => {
    const wire = new Wire({}).run();
    wire.receiver.receive(Uint8Array.of(1, 2, 3), 0);
    expect(wire.receiver.damage.malformed).toBe(1);
    expect(wire.receiver.problem).toBe('base header at octet 0: 3 octets, where 16 are the least');
  });

  it('a receiver that never answers fails the queue pair in bounded time', () => {
    const wire = new Wire({ neverAnything: true }).run();
    expect(wire.sender.requester.failure).toBe('no answer to PSN 100 after 7 retries (timeout 20 ms)');
    expect(wire.time).toBe(8 * TIMEOUT);
    expect(wire.sender.transmit(wire.time)).toBeUndefined();
    expect(wire.sender.requester.deadline).toBe(Number.POSITIVE_INFINITY);
  });

  it('never has more under way than the window', () => {
    const wire = new Wire({ octets: 50 * MTU, window: 4 });
    let first = 0;
    while (wire.sender.transmit(0)) first++;
    expect(first).toBe(4);
  });

  it('keeps the pace', () => {
    const wire = new Wire({ octets: 100 * MTU, pace: MTU / 2 }).run();
    expect(wire.time).toBeGreaterThanOrEqual(195);
    expect(wire.time).toBeLessThan(210);
    expect(wire.sender.requester.counters.retransmitted).toBe(0);
  });

  const fate = fc.constantFrom<Fate>('arrives', 'arrives', 'arrives', 'lost', 'twice', 'late', 'damaged');

  it('ends with the same octets, or says why not, whatever the wire does', () => {
    fc.assert(
      fc.property(
        fc.record({
          octets: fc.integer({ min: 0, max: 12_000 }),
          firstPsn: fc.constantFrom(0, 5, PSN_MODULUS - 3),
          window: fc.integer({ min: 1, max: 40 }),
          messages: fc.integer({ min: 1, max: 4 }),
          reorder: fc.constantFrom(0, 3, 40),
          fates: fc.array(fate, { maxLength: 120 }),
          answerFates: fc.array(fate, { maxLength: 60 }),
        }),
        (options) => {
          const wire = new Wire(options).run();
          const { requester } = wire.sender;
          if (requester.failure !== undefined) return expect(requester.failure).toMatch(/after 7 retries/);
          expect(wire.target).toEqual(wire.source);
          expect(requester).toMatchObject({ completed: options.messages, acknowledgedOctets: options.octets });
          expect(wire.receiver.responder).toMatchObject({ completed: options.messages, placedOctets: options.octets });
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('a responder', () => {
  const region = { ...REGION, length: 1000 };
  const packet = { ...ROCE_DEFAULTS, destinationQp: 9, psn: 7 };
  const reth = { address: REGION.address, rKey: REGION.rKey, length: 10 };
  const data = new Uint8Array(10);
  const only = { ...packet, opcode: OPCODE.writeOnly, reth, payload: data };

  it.each([
    ['a middle packet without a first', { opcode: OPCODE.writeMiddle, payload: data }, NAK_CODE.invalidRequest],
    ['an operation that is none of its own', { opcode: 0x04, payload: data }, NAK_CODE.invalidRequest],
    ['a wrong key', { ...only, reth: { ...reth, rKey: 1 } }, NAK_CODE.remoteAccessError],
    ['an address before the region', { ...only, reth: { ...reth, address: 5n } }, NAK_CODE.remoteAccessError],
    ['a length over the end', { ...only, reth: { ...reth, length: 1001 } }, NAK_CODE.remoteAccessError],
    ['less data than it says', { ...only, payload: new Uint8Array(9) }, NAK_CODE.invalidRequest],
    ['a first packet that is short', { ...only, opcode: OPCODE.writeFirst }, NAK_CODE.invalidRequest],
  ])('refuses %s', (_name, changes, code) => {
    const responder = new Responder({ firstPsn: 7, pathMtu: MTU, region });
    const { place, answer } = responder.receive({ ...packet, ...changes });
    expect(place).toBeUndefined();
    expect(decodeSyndrome(answer!.syndrome)).toEqual({ kind: 'nak', code });
    expect(responder.counters.refused).toBe(1);
  });

  it('acknowledges duplicates again and does not place them', () => {
    const responder = new Responder({ firstPsn: 7, pathMtu: MTU, region });
    const first = { ...only, ackRequest: true, immediate: 5 };
    expect(responder.receive(first)).toEqual({
      place: 0,
      immediate: 5,
      answer: { psn: 7, syndrome: 31, messageSequence: 1 },
    });
    expect(responder.receive(first)).toEqual({ answer: { psn: 7, syndrome: 31, messageSequence: 1 } });
    expect(responder.counters).toEqual({ received: 2, duplicates: 1, outOfOrder: 0, refused: 0 });
  });
});

describe('a requester', () => {
  const settings = { firstPsn: 0, pathMtu: MTU, window: 8, ackTimeout: TIMEOUT, retryLimit: 2 };
  const write = { local: 0, length: 10 * MTU, remote: 0n, rKey: 1, immediate: 0 };

  function sending(): Requester {
    const requester = new Requester(settings);
    requester.post(write);
    while (requester.next(0));
    return requester;
  }

  it.each([
    [0x62, 'the receiver refused it: remote access error'],
    [0x61, 'the receiver refused it: invalid request'],
    [0x2a, 'the receiver answered with syndrome 42'],
  ])('gives up on syndrome %i', (syndrome, failure) => {
    const requester = sending();
    requester.acknowledged(3, { syndrome, messageSequence: 0 }, 1);
    expect(requester.failure).toBe(failure);
  });

  it('believes no acknowledgement of what it has not sent, nor one that comes late', () => {
    const requester = sending();
    requester.acknowledged(8, { syndrome: 31, messageSequence: 0 }, 1);
    expect(requester.next(1)).toBeUndefined();
    requester.acknowledged(3, { syndrome: 31, messageSequence: 0 }, 1);
    expect(requester.next(1)?.psn).toBe(8);
    requester.acknowledged(2, { syndrome: 31, messageSequence: 0 }, 1);
    expect([requester.next(1)?.psn, requester.next(1)]).toEqual([9, undefined]);
  });

  it('counts retries from the last progress on', () => {
    const requester = sending();
    for (const now of [20, 40]) requester.elapsed(now);
    requester.acknowledged(0, { syndrome: 31, messageSequence: 0 }, 50);
    for (const now of [70, 90]) requester.elapsed(now);
    expect(requester.failure).toBeUndefined();
    requester.elapsed(110);
    expect(requester.failure).toBe('no answer to PSN 1 after 2 retries (timeout 20 ms)');
  });
});

describe('segments', () => {
  it('are equal, and the last takes what is over', () => {
    expect(segmentsOf(10, 4)).toEqual([
      { offset: 0, length: 2 },
      { offset: 2, length: 2 },
      { offset: 4, length: 2 },
      { offset: 6, length: 4 },
    ]);
    expect(segmentsOf(3, 4).map(({ length }) => length)).toEqual([0, 0, 0, 3]);
  });
});
