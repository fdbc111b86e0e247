/**
 * The far ends of many unnumbered links, one process: on each it advertises itself as a router, calls the router that it hears
 * (RFC 4861), announces some prefixes and counts what it is told. It is as quick as one can be, for it is not what is measured.
 */
import { createInterface } from 'node:readline';
import { now } from '../../app/lab/monotonic.js';
import { type Address, formatAddress, isLinkLocal, parseAddress } from '../../core/net/address.js';
import type { LinkState } from '../../core/ports/links.js';
import type { NdPacket, NdSocket } from '../../core/ports/nd-socket.js';
import { concat } from '../../core/wire/bgp/octets.js';
import { encodeEndOfRib } from '../../core/wire/bgp/update-encoder.js';
import { encodeRouterAdvertisement } from '../../core/wire/icmpv6/encode-nd-message.js';
import { MESSAGE_TYPE } from '../../core/wire/icmpv6/nd-message.js';
import { LinuxLinks } from '../../edge/linux/links.js';
import { LinuxNdSockets } from '../../edge/linux/nd-sockets.js';
import { BenchSession } from './bench-session.js';
import { countRoutes } from './count-routes.js';
import { tableStream } from './table-stream.js';
import type { UnnumberedAnswer, UnnumberedCommand, UnnumberedTask } from './unnumbered-protocol.js';

const ALL_NODES = parseAddress('ff02::1')!;
/** Milliseconds between router advertisements until the session is up. */
const ADVERTISE = 100;
/** Seconds. */
const ROUTER_LIFETIME = 1800;

const { firstAs, links: names, holdTime, prefixes, block }: UnnumberedTask = JSON.parse(process.argv[2] ?? '{}');
const counts = { announced: 0, withdrawn: 0 };
let established = 0;
let establishedAt = 0;
let toldAt = 0;
const sockets = new LinuxNdSockets();

function say(answer: UnnumberedAnswer): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

class End {
  private socket: NdSocket | undefined;
  private timer: NodeJS.Timeout | undefined;
  private called = false;

  constructor(
    private readonly name: string,
    private readonly place: number,
  ) {}

  /** The link may be usable now. */
  look({ index, carrier, mac, addresses }: LinkState): void {
    const own = addresses.find(({ address, tentative }) => isLinkLocal(address) && !tentative);
    if (this.socket || !carrier || !own) return;
    const socket = sockets.open({ name: this.name, index }, (packet) => this.hear(packet, own.address));
    const advertisement = advertisementOf(mac);
    const advertise = () => socket.send(ALL_NODES, advertisement);
    this.socket = socket;
    this.timer = setInterval(advertise, ADVERTISE);
    advertise();
  }

  private hear({ source, message }: NdPacket, own: Address): void {
    if (this.called || message[0] !== MESSAGE_TYPE.routerAdvertisement) return;
    this.called = true;
    void this.call(formatAddress(source), own);
  }

  private async call(router: string, own: Address): Promise<void> {
    const asn = firstAs + this.place;
    const session = new BenchSession({
      asn,
      number: this.place + 1,
      family: 'ipv6',
      holdTime,
      target: `${router}%${this.name}`,
      update: (body, at) => {
        countRoutes(body, counts);
        toldAt = at;
      },
      lost: () => process.exit(1),
    });
    const table = { family: 'ipv6', prefixes, perUpdate: prefixes, block, first: this.place * prefixes } as const;
    const { announcements } = tableStream(table, { asn, address: own });
    await session.connect();
    clearInterval(this.timer);
    established++;
    establishedAt = now();
    await session.send(concat([announcements, encodeEndOfRib('ipv6-unicast')]));
  }
}

function advertisementOf(mac: Uint8Array): Uint8Array {
  return encodeRouterAdvertisement({
    kind: 'router-advertisement',
    hopLimit: 64,
    managed: false,
    otherConfiguration: false,
    preference: 'medium',
    routerLifetime: ROUTER_LIFETIME,
    reachableTime: 0,
    retransmitTimer: 0,
    options: [{ kind: 'source-link-layer-address', address: mac }],
  });
}

const ends = new Map(names.map((name, place) => [name, new End(name, place)]));
const links = await LinuxLinks.open();
links.watch((event) => {
  if (event.kind === 'link') ends.get(event.link.name)?.look(event.link);
});
say({ kind: 'ready' });

for await (const line of createInterface({ input: process.stdin })) {
  const command: UnnumberedCommand = JSON.parse(line);
  if (command.kind === 'state') say({ kind: 'state', established, establishedAt, told: counts.announced, toldAt });
}
process.exit(0);
