import { describe, expect, it } from 'vitest';
import { Flag, PacketKind } from '../network/packets.js';
import { ecmp } from './ecmp.js';
import { LeafTrial, leafSpineTopology, runFlows, simulate } from './scheme-trial.fixture.js';
import { SelectiveDlb, type SelectiveDlbOptions, selectiveDlb } from './selective-dlb.js';

function trial(options: Partial<SelectiveDlbOptions> = {}): LeafTrial<SelectiveDlb> {
  const leaf = new LeafTrial(4, (context) => new SelectiveDlb(context, { ...selectiveDlb.defaults, ...options }));
  leaf.pairs(32);
  return leaf;
}

function hashing(): LeafTrial {
  const leaf = new LeafTrial(4, (context) => ecmp.create(context, ecmp.defaults));
  leaf.pairs(32);
  return leaf;
}

describe('selective DLB', () => {
  it('never changes the way of ACKs, NAKs and CNPs', () => {
    const leaf = trial();
    const plain = hashing();
    for (const kind of [PacketKind.ack, PacketKind.nack, PacketKind.cnp])
      for (let qp = 0; qp < 32; qp++)
        for (const time of [1e6, 2e9]) expect(leaf.ask(qp, time, kind)).toBe(plain.ask(qp, 0, kind));
  });

  it('spreads the middle of writes within a packet of evenly, when ties go in turn', () => {
    const leaf = trial({ ties: 'round-robin' });
    const counts = [0, 0, 0, 0];
    for (let packet = 0; packet < 1001; packet++) {
      const place = leaf.ask(packet % 5, 1e9 + packet);
      counts[place] = counts[place]! + 1;
    }
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });

  it('tells the operations apart by the place of a packet in its message', () => {
    const places = { 'write-first': Flag.first, 'write-middle': 0, 'write-last': Flag.last } as const;
    const all = { ...places, 'write-only': Flag.first | Flag.last };
    for (const opcodes of Object.keys(all)) {
      const leaf = trial({ opcodes, ties: 'round-robin' });
      for (const [name, flags] of Object.entries(all)) {
        const taken = new Set([0, 1, 2, 3].map((packet) => leaf.ask(7, 1e9 + packet, PacketKind.data, flags)));
        expect([opcodes, name, taken.size]).toEqual([opcodes, name, name === opcodes ? 4 : 1]);
      }
    }
  });

  it('balances answers when the filter says so', () => {
    const leaf = trial({ opcodes: 'acknowledge', ties: 'round-robin' });
    const taken = (kind: number) => new Set([1, 2, 3, 4].map((packet) => leaf.ask(3, 1e9 + packet, kind))).size;
    expect([PacketKind.ack, PacketKind.nack, PacketKind.cnp, PacketKind.data].map(taken)).toEqual([4, 4, 1, 1]);
  });

  it('without a filter runs as ECMP does, to the picosecond', () => {
    const topology = leafSpineTopology({ leaves: 2, spines: 2, hosts: 6 });
    const flows = Array.from({ length: 30 }, (_, index) => ({
      source: index % 12,
      destination: (index * 5 + 6) % 12,
      octets: 1 + index * 9_000,
      start: index * 3e6,
    })).filter(({ source, destination }) => source !== destination);
    const hashed = runFlows(
      simulate(topology, (context) => ecmp.create(context, ecmp.defaults)),
      flows,
    );
    const options = { ...selectiveDlb.defaults, opcodes: '' };
    const unfiltered = runFlows(
      simulate(topology, (context) => selectiveDlb.create(context, options)),
      flows,
    );
    expect(hashed.every((time) => time > 0)).toBe(true);
    expect([...unfiltered]).toEqual([...hashed]);
  });

  it('hosts mark the first and the last packet of each message', () => {
    const topology = leafSpineTopology({ leaves: 2, spines: 2, hosts: 1 });
    const seen: number[] = [];
    const simulation = simulate(topology, (context) => ({
      choose: (_, packet, group) => {
        const kind = context.packets.words[packet << 4]!;
        if (context.packets.isData(packet)) seen.push(kind & (Flag.first | Flag.last));
        return context.forwarding.members[context.forwarding.start[group]!]!;
      },
    }));
    const qp = simulation.hosts.open({
      source: 0,
      destination: 1,
      sourceAddress: 0,
      destinationAddress: 1,
      words: [1, 2, 3, 4],
      serviceClass: 1,
    });
    const done: number[] = [];
    simulation.run(
      {
        start: () => {
          for (const [tag, octets] of [3000, 1, 2000].entries()) simulation.hosts.post(qp, octets, tag);
        },
        timer: () => {},
        completed: (_, tag) => done.push(tag),
        get isDone() {
          return done.length === 3;
        },
      },
      1e9,
    );
    expect(done).toEqual([0, 1, 2]);
    expect(seen).toEqual([Flag.first, 0, Flag.last, Flag.first | Flag.last, Flag.first, Flag.last]);
  });

  it('refuses what cannot be, by name', () => {
    const topology = leafSpineTopology({ leaves: 2, spines: 2, hosts: 1 });
    const refuses = (options: Partial<SelectiveDlbOptions>) =>
      selectiveDlb.refuses!(topology, { ...selectiveDlb.defaults, ...options });
    expect(refuses({})).toBeUndefined();
    expect(refuses({ opcodes: 'write-first, cnp' })).toBeUndefined();
    expect(refuses({ opcodes: 'write-first,read' })).toContain('opcodes read');
    expect(refuses({ mode: 'x' })).toContain('mode x');
    expect(refuses({ flowsets: 3 })).toContain('flowsets 3');
  });
});
