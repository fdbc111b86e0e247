/**
 * One interface of a simulated node as Linux shows it: the link-local address comes with the administrative state, is
 * tentative until duplicate address detection is over (RFC 4862 section 5.4), and detection runs again when carrier returns.
 */
import { octetsKey } from '../core/fib/forwarding-objects.js';
import { type Address, equalBytes, isLinkLocal } from '../core/net/address.js';
import { eui64Address } from '../core/net/eui64.js';
import type { Clock } from '../core/ports/clock.js';
import type { LinkAddress, LinkState } from '../core/ports/links.js';
import type { NdPacket } from '../core/ports/nd-socket.js';
import { TransmitQueue } from './transmit-queue.js';
import type { VirtualWire } from './virtual-wire.js';
import type { WireTap } from './wire-tap.js';

/** Milliseconds of duplicate address detection with one probe (RFC 4861 RETRANS_TIMER). */
const DETECTION_TIME = 1000;
const LINK_LOCAL = { address: Uint8Array.of(0xfe, 0x80, ...new Array<number>(14).fill(0)), length: 64 };

export interface InterfaceSurroundings {
  readonly clock: Clock;
  /** Called with the new state after each change. */
  readonly changed: (link: LinkState) => void;
  readonly tap?: WireTap | undefined;
}

export interface InterfaceIdentity {
  readonly name: string;
  readonly index: number;
  readonly mac: Uint8Array;
}

export class VirtualInterface {
  adminUp = false;
  private carrier = false;
  private wire: VirtualWire<VirtualInterface> | undefined;
  private addresses: LinkAddress[] = [];
  private cancelDetection: (() => void) | undefined;
  /** Of what is forwarded; packets of its own neighbours' protocols weigh nothing. */
  readonly queue = new TransmitQueue();
  /** Who listens to Neighbor Discovery here; a set, as several sockets may. */
  readonly receivers = new Set<(packet: NdPacket) => void>();
  /** Who waits for BFD control packets, by the `octetsKey` of the neighbour's address. */
  readonly bfdReceivers = new Map<string, (packet: Uint8Array) => void>();

  readonly name: string;
  readonly index: number;
  private address: Uint8Array;
  private readonly clock: Clock;
  private readonly changed: (link: LinkState) => void;
  private readonly tap: WireTap | undefined;

  constructor({ clock, changed, tap }: InterfaceSurroundings, { name, index, mac }: InterfaceIdentity) {
    this.clock = clock;
    this.changed = changed;
    this.tap = tap;
    this.name = name;
    this.index = index;
    this.address = mac;
  }

  get mac(): Uint8Array {
    return this.address;
  }

  get state(): LinkState {
    const { index, name, adminUp, carrier, mac, addresses } = this;
    return { index, name, adminUp, carrier, mac, mtu: 9216, addresses };
  }

  /** The usable link-local address, if any. */
  get linkLocal(): Address | undefined {
    return this.addresses.find((entry) => isLinkLocal(entry.address) && !entry.tentative)?.address;
  }

  get peer(): VirtualInterface | undefined {
    return this.wire?.across(this);
  }

  get cable(): VirtualWire<VirtualInterface> | undefined {
    return this.wire;
  }

  plug(wire: VirtualWire<VirtualInterface>): void {
    this.wire = wire;
    wire.attach(this);
  }

  /** The interface is deleted. */
  remove(): void {
    this.adminUp = false;
    this.addresses = [];
    this.wire?.unplug();
    this.wire = undefined;
    this.cancelDetection?.();
  }

  setAdmin(up: boolean): void {
    if (this.adminUp === up) return;
    this.adminUp = up;
    if (up) this.addresses.push(this.tentativeLinkLocal());
    else this.addresses = [];
    this.wire?.update();
    this.changed(this.state);
  }

  /** Another hardware address, and with it another link-local one: the interface goes down for it. */
  changeMac(mac: Uint8Array): void {
    const { adminUp } = this;
    this.setAdmin(false);
    this.address = mac;
    this.setAdmin(adminUp);
  }

  setCarrier(carrier: boolean): void {
    if (this.carrier === carrier) return;
    this.carrier = carrier;
    this.cancelDetection?.();
    if (carrier) this.detectDuplicates();
    this.changed(this.state);
  }

  addAddress(address: Address, prefixLength: number): void {
    if (this.addresses.some((entry) => equalBytes(entry.address, address))) return;
    this.addresses.push({ address, prefixLength, tentative: false, duplicate: false });
    this.changed(this.state);
  }

  deleteAddress(address: Address): void {
    this.addresses = this.addresses.filter((entry) => !equalBytes(entry.address, address));
    this.changed(this.state);
  }

  hasUsable(address: Address): boolean {
    return this.addresses.some((entry) => !entry.tentative && equalBytes(entry.address, address));
  }

  sendPacket(message: Uint8Array): void {
    const source = this.linkLocal;
    const receiver = this.peer;
    if (!source || !receiver) return;
    this.tap?.packet(this, 'nd', message);
    this.wire?.carryPacket(this, message.slice(), (arrived) => {
      for (const receive of receiver.receivers) receive({ source, message: arrived });
    });
  }

  sendBfd(packet: Uint8Array): void {
    const source = this.linkLocal;
    const receiver = this.peer;
    if (!source || !receiver) return;
    this.tap?.packet(this, 'bfd', packet);
    this.wire?.carryPacket(this, packet, (arrived) => receiver.bfdReceivers.get(octetsKey(source))?.(arrived));
  }

  private tentativeLinkLocal(): LinkAddress {
    return { address: eui64Address(LINK_LOCAL, this.mac), prefixLength: 64, tentative: true, duplicate: false };
  }

  private detectDuplicates(): void {
    this.addresses = this.addresses.map((entry) => (isLinkLocal(entry.address) ? this.tentativeLinkLocal() : entry));
    this.cancelDetection = this.clock.schedule(this.clock.now() + DETECTION_TIME, () => {
      this.addresses = this.addresses.map((entry) => ({ ...entry, tentative: false }));
      this.changed(this.state);
    });
  }
}
