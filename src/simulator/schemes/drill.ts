/**
 * DRILL (Ghorbani et al., SIGCOMM 2017): each packet takes the shortest of a few queues, d that are drawn and m that were the shortest when a packet
 * asked last. It knows queues to the octet, at once, and nothing else; it reorders. Control packets are hashed, as in the public ns-3 models.
 */
import { grown } from '../../core/net/grown.js';
import { Ecmp } from './ecmp.js';
import { refusesCount } from './parts/option-range.js';
import type { LoadBalancer, SchemeContext, SchemeDefinition } from './scheme.js';

const NONE = -1;
const MOST = 16;

export type DrillOptions = { readonly samples: number; readonly memory: number };

export const drill: SchemeDefinition<DrillOptions> = {
  name: 'drill',
  summary: 'each packet takes the shortest of two queues drawn and one remembered (DRILL(2, 1), SIGCOMM 2017)',
  defaults: { samples: 2, memory: 1 },
  meaning: {
    samples: 'ports that are drawn for a packet (d)',
    memory: 'shortest queues of the last packet that are looked at as well (m)',
  },
  refuses: (_, { samples, memory }) =>
    refusesCount('samples', samples, 1, MOST) ?? refusesCount('memory', memory, 0, MOST),
  create: (context, options) => new Drill(context, options),
};

export class Drill implements LoadBalancer {
  private readonly context: SchemeContext;
  private readonly samples: number;
  private readonly memory: number;
  private readonly ecmp: Ecmp;
  /** By group: the ports of its `memory` shortest queues, plus one; 0: none. */
  private remembered: Int32Array<ArrayBuffer>;
  /** The ports that a packet looks at, and how many. */
  private readonly candidates = new Int32Array(2 * MOST);
  private looked = 0;
  /** The members of a group, of which those that are drawn are not drawn again. */
  private deck = new Int32Array(64);

  constructor(context: SchemeContext, options: DrillOptions) {
    this.context = context;
    this.samples = options.samples;
    this.memory = options.memory;
    this.ecmp = new Ecmp(context);
    this.remembered = new Int32Array(64 * options.memory);
  }

  choose(node: number, packet: number, group: number): number {
    if (!this.context.packets.isData(packet)) return this.ecmp.choose(node, packet, group);
    this.looked = 0;
    this.recall(group);
    this.draw(group);
    this.sort(Math.max(1, this.memory));
    this.remember(group);
    return this.candidates[0]!;
  }

  private recall(group: number): void {
    const from = group * this.memory;
    if (from + this.memory > this.remembered.length) this.remembered = grown(this.remembered, from + this.memory);
    for (let at = from; at < from + this.memory; at++) {
      const port = this.remembered[at]! - 1;
      if (port !== NONE && this.context.ports.up[port] === 1) this.candidates[this.looked++] = port;
    }
  }

  private draw(group: number): void {
    const { forwarding, random } = this.context;
    const start = forwarding.start[group]!;
    const count = forwarding.count[group]!;
    if (count > this.deck.length) this.deck = grown(this.deck, count);
    for (let place = 0; place < count; place++) this.deck[place] = forwarding.members[start + place]!;
    const samples = Math.min(this.samples, count);
    for (let drawn = 0; drawn < samples; drawn++) {
      const place = drawn + Math.floor(random() * (count - drawn));
      this.candidates[this.looked++] = this.deck[place]!;
      this.deck[place] = this.deck[drawn]!;
    }
  }

  /** The shortest queues first, so many of them; those remembered before those drawn where they are equal. */
  private sort(places: number): void {
    const { candidates } = this;
    for (let place = 0; place < places && place < this.looked; place++) {
      let shortest = place;
      let length = this.length(place);
      for (let at = place + 1; at < this.looked; at++) {
        const other = this.length(at);
        if (other < length) {
          shortest = at;
          length = other;
        }
      }
      const port = candidates[shortest]!;
      // Those in between move up by one and keep their order.
      for (let at = shortest; at > place; at--) candidates[at] = candidates[at - 1]!;
      candidates[place] = port;
    }
  }

  private length(place: number): number {
    return this.context.ports.backlog(this.candidates[place]!);
  }

  /** A port that was drawn and remembered counts once. */
  private remember(group: number): void {
    const from = group * this.memory;
    let kept = 0;
    for (let at = 0; at < this.looked && kept < this.memory; at++) {
      const port = this.candidates[at]! + 1;
      if (!this.keeps(from, kept, port)) this.remembered[from + kept++] = port;
    }
  }

  private keeps(from: number, kept: number, port: number): boolean {
    for (let at = from; at < from + kept; at++) if (this.remembered[at] === port) return true;
    return false;
  }
}
