/** Runs of a batch to UPDATE messages, each with the routes that are in it. */
import type { Family } from '../net/family.js';
import { MAX_EXTENDED_MESSAGE_OCTETS, MAX_MESSAGE_OCTETS } from '../wire/bgp/message.js';
import { UpdateBuilder } from '../wire/bgp/update-encoder.js';
import type { SendCapabilities } from './adj-rib-out-types.js';
import type { ExportScratch } from './export-scratch.js';
import type { LoggedMessage } from './message-log.js';
import { type NextHopsSelf, nextHopOctets } from './next-hop-self.js';
import type { PathNumbers } from './path-numbers.js';
import type { Rib } from './rib.js';
import type { Run } from './route-batch.js';
import type { RouteNumbers } from './route-numbers.js';

export interface WriterParts {
  readonly rib: Rib;
  readonly capabilities: SendCapabilities;
  readonly scratch: ExportScratch;
  /** What the numbers in runs stand for, where these are paths, and the families with identifiers of them (RFC 7911). */
  readonly paths?: { readonly numbers: PathNumbers; readonly families: readonly Family[] } | undefined;
}

export class UpdateWriter {
  /** Octets of the largest message. */
  readonly maximum: number;
  readonly #rib: Rib;
  readonly #numbers: RouteNumbers;
  readonly #paths: WriterParts['paths'];
  readonly #options: SendCapabilities;
  readonly #emit: (message: LoggedMessage) => void;
  readonly #builders: Readonly<Record<Family, UpdateBuilder>>;
  readonly #address = { 'ipv4-unicast': new Uint8Array(4), 'ipv6-unicast': new Uint8Array(16) };
  #run: Run | undefined;
  /** The message under construction holds the run's routes from here up to the one being added. */
  #from = 0;
  #adding = 0;
  /** The next hop of the message under construction is ours. */
  #isSelf = true;

  constructor({ rib, capabilities, scratch, paths }: WriterParts, emit: (message: LoggedMessage) => void) {
    this.#rib = rib;
    this.#numbers = paths?.numbers ?? rib;
    this.#paths = paths;
    this.#options = capabilities;
    this.#emit = emit;
    this.maximum = capabilities.extendedMessage ? MAX_EXTENDED_MESSAGE_OCTETS : MAX_MESSAGE_OCTETS;
    const buffer = scratch.message(this.maximum);
    const builder = (family: Family) => this.#builder(family, buffer);
    this.#builders = { 'ipv4-unicast': builder('ipv4-unicast'), 'ipv6-unicast': builder('ipv6-unicast') };
  }

  /** Emits the messages of one run, with the given next hops of ours. */
  write(run: Run, nextHops: NextHopsSelf): void {
    const family = run.ipv6 ? 'ipv6-unicast' : 'ipv4-unicast';
    const builder = this.#builders[family];
    const address = this.#address[family];
    this.#run = run;
    this.#isSelf = true;
    this.#from = 0;
    if (run.attribute === undefined) builder.withdraw();
    else builder.announce(this.#encoded(run.attribute), this.#setNextHop(run.attribute, family) ?? nextHops[family]!);
    const identified = this.#paths?.families.includes(family) ? this.#paths.numbers : undefined;
    for (let i = 0; i < run.count; i++) {
      this.#adding = i;
      const route = run.ids[i]!;
      const bits = this.#numbers.copyAddress(route, address);
      builder.add(address, 0, bits, identified ? identified.identifier(route) : 0);
    }
    this.#adding = run.count;
    builder.flush();
  }

  #encoded(attribute: number): Uint8Array {
    return this.#rib.attributes.encoded(attribute, this.#options);
  }

  /** The next hop that a policy set; one that the session cannot carry for the family leaves us as the next hop. */
  #setNextHop(attribute: number, family: Family): Uint8Array | undefined {
    const { nextHop } = this.#rib.attributes.attributes(attribute);
    const octets = nextHop && nextHopOctets(nextHop, this.#options, family);
    this.#isSelf = octets === undefined;
    return octets;
  }

  #builder(family: Family, buffer: Uint8Array): UpdateBuilder {
    const addPath = this.#paths?.families.includes(family) ?? false;
    return new UpdateBuilder({ family, addPath, maximum: this.maximum, buffer }, (bytes, nextHopOffset) => {
      const { ids, audience } = this.#run!;
      const routes = ids.slice(this.#from, this.#adding);
      this.#from = this.#adding;
      this.#emit({ bytes, nextHopOffset: this.#isSelf ? nextHopOffset : 0, family, audience, routes });
    });
  }
}
