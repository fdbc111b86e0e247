/** Tables and programs in a real kernel: what the interpreter says of a frame, the kernel says too. */
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createNamespace,
  deleteNamespace,
  inNamespace,
  ip,
  namespacesUnusable,
  whileInNamespace,
} from '../../../../test/harness/netns.js';
import fc from '../../../../test/harness/properties.js';
import { Assembler } from '../../../core/bpf/assembler.js';
import { R0, R1, R2, R3 } from '../../../core/bpf/instruction.js';
import type { Hook } from '../../../core/bpf/interpreter/context.js';
import type { MapDefinition, MapType } from '../../../core/bpf/map-definition.js';
import { frameOf, OWN_MAC, PlaneOnPaper, QUALITY, TABLES } from '../../../core/ebpf-plane/plane.fixture.js';
import type { Attachment } from '../../../core/ebpf-plane/plane-options.js';
import { type ProgramOptions, planeProgram } from '../../../core/ebpf-plane/program.js';
import { indexKey, interfaceValue, PASS_REASONS } from '../../../core/ebpf-plane/tables.js';
import { BpfMap } from './bpf-map.js';
import { BpfProgram } from './bpf-program.js';

const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

const LOOPBACK = 1;
const LOOPBACK_MAC = new Uint8Array(6);
/** Traffic control's test run takes no frame that ends in its IPv6 header. */
const LEAST = 54;
const NAMESPACE = `bp-${process.pid}`;
/** Long enough for a crowded machine: no flowlet ends in the middle of a test. */
const FLOWLET = { ...QUALITY, mode: 'flowlet', inactivity: 2_000_000_000 } as const;
const WAYS = [
  FLOWLET,
  { ...FLOWLET, reactive: { qualityDelta: 6, probability: 3 } },
  { ...FLOWLET, opcodes: [0x06, 0x07, 0x08, 0x0a] },
  { ...QUALITY, mode: 'assigned-flow' },
  { ...QUALITY, mode: 'per-packet' },
] as const;

/** Once more when the machine has stood still for so long that flowlets ended: then the kernel does what it does not on paper. */
function inOneGo(run: () => void): void {
  for (let left = 20; ; left--) {
    const began = performance.now();
    try {
      return run();
    } catch (error) {
      if (left === 0 || performance.now() - began < FLOWLET.inactivity / 1e6) throw error;
    }
  }
}

/** Closed after each test. */
const open: { close(): void }[] = [];
const closing = <Thing extends { close(): void }>(thing: Thing): Thing => {
  open.push(thing);
  return thing;
};
const array = (type: MapType, sizes: Partial<MapDefinition> = {}) =>
  closing(new BpfMap({ name: 'm', type, keySize: 4, valueSize: 8, maxEntries: 2, ...sizes }));
const verdictOf = (verdict: number) => new Assembler('verdict').move(R0, verdict).exit().program();

/** The same tables in the kernel, ports leading to the loopback interface. */
class PlaneInKernel {
  readonly program: BpfProgram;
  private readonly maps = new Map<string, BpfMap>();

  constructor(
    options: ProgramOptions,
    private readonly paper: PlaneOnPaper,
  ) {
    for (const definition of Object.values(TABLES)) this.maps.set(definition.name, closing(new BpfMap(definition)));
    for (const name of ['classes', 'links', 'ports', 'pressure']) this.copy(name);
    for (let port = 0; port < 4; port++) this.map('devices').update(indexKey(port), indexKey(LOOPBACK));
    this.map('interfaces').update(indexKey(LOOPBACK), interfaceValue(OWN_MAC));
    for (const [key, value] of paper.prefixes()) this.map('prefixes').update(key, value);
    const program = planeProgram(TABLES, options);
    this.program = closing(BpfProgram.load(program, options.hook, (map) => this.map(map.name).fileDescriptor));
  }

  map(name: string): BpfMap {
    return this.maps.get(name)!;
  }

  copy(name: string): void {
    const { maxEntries } = this.map(name).definition;
    for (let index = 0; index < maxEntries; index++)
      this.map(name).update(indexKey(index), this.paper.table(name).lookup(indexKey(index))!.slice());
  }
}

describe.skipIf(unusable)('eBPF in the kernel', () => {
  beforeAll(() => {
    createNamespace(NAMESPACE);
    ip('-n', NAMESPACE, 'link', 'add', 'bp0', 'type', 'veth', 'peer', 'name', 'bp1', 'netns', NAMESPACE);
    createNamespace(`${NAMESPACE}-b`);
    ip('-n', NAMESPACE, 'link', 'set', 'bp1', 'netns', `${NAMESPACE}-b`);
    for (const [namespace, link, address] of [
      [NAMESPACE, 'bp0', '2001:db8::1/64'],
      [`${NAMESPACE}-b`, 'bp1', '2001:db8::2/64'],
    ] as const) {
      ip('-n', namespace, 'addr', 'add', address, 'dev', link, 'nodad');
      ip('-n', namespace, 'link', 'set', link, 'up');
    }
  });
  afterAll(() => {
    deleteNamespace(NAMESPACE);
    deleteNamespace(`${NAMESPACE}-b`);
  });
  afterEach(() => {
    for (const thing of open.splice(0).reverse()) thing.close();
  });

  describe('tables', () => {
    it('take, give and lose entries', () => {
      const map = array('hash');
      const [key, value] = [indexKey(7), Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)];
      expect(map.lookUp(key)).toBeUndefined();
      map.update(key, value);
      expect(map.lookUp(key)).toEqual(value);
      expect([map.delete(key), map.delete(key)]).toEqual([true, false]);
    });

    it('say when they are full, and what is wrong with one that cannot be', () => {
      const map = array('hash');
      for (const n of [1, 2]) map.update(indexKey(n), new Uint8Array(8));
      expect(() => map.update(indexKey(3), new Uint8Array(8))).toThrow(
        'eBPF table m does not take an entry: it is full (E2BIG)',
      );
      expect(() => array('array', { maxEntries: 0 })).toThrow('eBPF table m cannot be made: EINVAL');
    });

    it('sum up what processors have counted', () => {
      const map = array('per-cpu-array', { valueSize: 16, maxEntries: 1 });
      expect(map.sum(indexKey(0))).toEqual([0n, 0n]);
    });
  });

  it('refused programs are told by label and instruction', () => {
    const program = new Assembler('p').load(4, R2, R1, 0).label('parse').load(8, R3, R2, 12).exit().program();
    expect(() => BpfProgram.load(program, 'xdp', () => 0)).toThrow(
      'the kernel refuses the program p (R2 offset is outside of the packet, at parse: r3 = *(u64 *)(r2 + 0xc)): EACCES',
    );
  });

  describe.each(['xdp', 'tc'] satisfies Hook[])('the plane at %s', (hook) => {
    const to = hook === 'xdp' ? OWN_MAC : LOOPBACK_MAC;

    it.each(WAYS)('does with $mode what it does on paper (opcodes $opcodes, reactive $reactive)', (way) => {
      inOneGo(() => compare({ ...way, hook }));
    });

    function compare(options: ProgramOptions): void {
      const paper = new PlaneOnPaper(options);
      paper.setLinks(0b1110n);
      const kernel = new PlaneInKernel(options, paper);
      const frames = fc.sample(framesTo(to), { numRuns: 300, seed: 5 }).filter(({ length }) => length >= LEAST);
      for (const frame of frames) {
        const expected = paper.send(frame);
        const { verdict, frame: out } = kernel.program.test(frame);
        expect({ frame, verdict, out }).toEqual({ frame, verdict: expected.verdict, out: expected.frame });
      }
      expect(kernel.map('passed').sum(indexKey(0))).toEqual(paper.words('passed', 0));
      for (let port = 0; port < 4; port++)
        expect(kernel.map('port_counts').sum(indexKey(port))).toEqual(paper.words('port_counts', port));
      expect(paper.words('passed', 0)).toHaveLength(PASS_REASONS.length);
    }

    it('sees a link word that changes with the next packet', () => {
      const options: ProgramOptions = { ...FLOWLET, hook };
      const paper = new PlaneOnPaper(options);
      const kernel = new PlaneInKernel(options, paper);
      for (const usable of [0b1111n, 0b1110n, 0b0001n, 0n]) {
        paper.setLinks(usable);
        kernel.copy('links');
        expect(kernel.program.test(frameOf({ to })).frame).toEqual(paper.send(frameOf({ to })).frame);
      }
    });
  });

  const indexOf = (link: string) =>
    (JSON.parse(ip('-n', NAMESPACE, '-j', 'link', 'show', link)) as { ifindex: number }[])[0]!.ifindex;

  /** Counts what it lets pass. */
  function counter(name: string, hook: Hook): { program: BpfProgram; count(): bigint } {
    const map = array('array', { name, maxEntries: 1 });
    const a = new Assembler('counter').loadMapValue(R1, map.definition).move(R2, 1).atomic('add', 8, R1, 0, R2);
    const program = a
      .move(R0, hook === 'xdp' ? 2 : 0)
      .exit()
      .program();
    const count = () => new DataView(map.lookUp(indexKey(0))!.buffer).getBigUint64(0, true);
    return { program: closing(BpfProgram.load(program, hook, () => map.fileDescriptor)), count };
  }

  /** Resolves when a datagram from one end has come to the other. */
  async function exchange(): Promise<void> {
    const bound = (namespace: string, address: string) =>
      whileInNamespace(namespace, async () => {
        const socket = closing(createSocket('udp6'));
        await new Promise<void>((resolve) => socket.bind(0, address, resolve));
        return socket;
      });
    const [receiver, sender] = [await bound(NAMESPACE, '2001:db8::1'), await bound(`${NAMESPACE}-b`, '2001:db8::2')];
    let arrived = 0;
    receiver.on('message', () => arrived++);
    // A link whose program changes may drop what comes that moment.
    await expect
      .poll(() => {
        if (arrived === 0) sender.send('x', receiver.address().port, '2001:db8::1');
        return arrived;
      })
      .toBeGreaterThan(0);
  }

  it.each([
    ['native', 'xdp'],
    ['generic', 'xdp'],
    ['tc', 'tc'],
  ] satisfies [Attachment, Hook][])(
    '%s: runs while attached, gives way to another, and is gone when closed',
    async (how, hook) => {
      const [first, second] = [counter('first', hook), counter('second', hook)];
      await exchange();
      const attachment = closing(inNamespace(NAMESPACE, () => first.program.attach(indexOf('bp0'), how)));
      await exchange();
      expect(first.count()).toBeGreaterThan(0n);
      attachment.replace(second.program);
      const before = first.count();
      await exchange();
      expect([first.count(), second.count() > 0n]).toEqual([before, true]);
      attachment.close();
      await exchange();
      const last = second.count();
      await exchange();
      expect(second.count()).toBe(last);
    },
  );

  it('one program of a kind to an interface: the second is refused', () => {
    const program = closing(BpfProgram.load(verdictOf(2), 'xdp', () => 0));
    const attach = () => closing(inNamespace(NAMESPACE, () => program.attach(indexOf('bp0'), 'native')));
    attach();
    expect(attach).toThrow(/cannot be attached to interface \d+ \(native\): EBUSY/);
  });

  it('leaves nothing behind when its process is killed', async () => {
    const script = `
      import { BpfProgram } from './dist/edge/linux/bpf/bpf-program.js';
      import { Assembler } from './dist/core/bpf/assembler.js';
      import { R0 } from './dist/core/bpf/instruction.js';
      const program = BpfProgram.load(new Assembler('pass').move(R0, 2).exit().program(), 'xdp', () => 0);
      globalThis.kept = program.attach(${indexOf('bp0')}, 'native');
      console.log('attached');
      setInterval(() => {}, 1000);`;
    const node = [process.execPath, '--input-type=module', '-e', script];
    const child = spawn('ip', ['netns', 'exec', NAMESPACE, ...node], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line]: unknown[] = await once(child.stdout!, 'data');
    expect(String(line)).toContain('attached');
    const attached = () => ip('-n', NAMESPACE, 'link', 'show', 'bp0').includes('xdp');
    expect(attached()).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect.poll(attached).toBe(false);
  });
});

/** RDMA and others, with an octet changed here and there, and cut; long enough for the kernel to take them for frames. */
function framesTo(to: Uint8Array): fc.Arbitrary<Uint8Array> {
  const parts = fc.record({
    payload: fc.integer({ min: 0, max: 40 }),
    nextHeader: fc.constantFrom(17, 17, 17, 17, 6, 58, 44),
    opcode: fc.constantFrom(0x06, 0x07, 0x11, 0x81),
    queuePair: fc.integer({ min: 0, max: 0xffffff }),
    destination: fc.constantFrom('2001:db8:1::7', '2001:db8:1::8', '2001:db8:1:0:ff::', '2001:db8:8::'),
  });
  const octet = fc.tuple(fc.integer({ min: 6, max: 80 }), fc.integer({ min: 0, max: 255 }));
  const changed = fc.record({
    parts,
    octets: fc.array(octet, { maxLength: 2 }),
    cut: fc.constantFrom(0, 0, 0, 1, 9, 40),
  });
  return changed.map(({ parts: all, octets, cut }) => {
    const frame = frameOf({ ...all, to });
    for (const [at, value] of octets) if (at < frame.length) frame[at] = value;
    return frame.slice(0, frame.length - cut);
  });
}
