/**
 * Whether gateways can be sent to, from the kernel's neighbour table over rtnetlink. An entry that is missing is made with NTF_USE,
 * which has the kernel solicit for it as a packet would. One that is there and good for sending is left alone: the same request
 * would take even a permanent one's address away (measured on 6.18).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, equalBytes } from '../../core/net/address.js';
import type { Gateways } from '../../core/ports/gateways.js';
import { NDA_DST, NEIGHBOUR_HEADER, parseNeighbour } from './neighbour-messages.js';
import { LITTLE_ENDIAN, PayloadWriter, viewOf } from './rtnetlink/attributes.js';
import { FLAG, MESSAGE } from './rtnetlink/message.js';
import { RouteNetlink } from './rtnetlink/route-netlink.js';

const AF_INET = 2;
const AF_INET6 = 10;
const NDA_IFINDEX = 8;
const NTF_USE = 0x01;
/** Milliseconds between looks; the kernel solicits three times, a second apart. */
const LOOKS = [5, 10, 20, 50, 100, 200, 400, 800, 1600];

export class LinuxGateways implements Gateways {
  readonly #netlink = new RouteNetlink();

  async resolve(interfaceIndex: number, gateway: Address): Promise<boolean> {
    try {
      if (await this.#isKnown(interfaceIndex, gateway)) return true;
      const header = headerOf(interfaceIndex, gateway.length, NTF_USE);
      const payload = new PayloadWriter(header).data(NDA_DST, gateway).finish();
      const failures = await this.#netlink.request([{ type: MESSAGE.newNeighbour, flags: FLAG.create, payload }]);
      if (failures.length > 0) return false;
      for (const delay of LOOKS) {
        await sleep(delay, undefined, { ref: false });
        if (await this.#isKnown(interfaceIndex, gateway)) return true;
      }
    } catch {
      // Closed, or answers were lost: who asks may ask again.
    }
    return false;
  }

  close(): void {
    this.#netlink.close();
  }

  async #isKnown(interfaceIndex: number, gateway: Address): Promise<boolean> {
    const request = new PayloadWriter(headerOf(0, gateway.length, 0)).u32(NDA_IFINDEX, interfaceIndex).finish();
    const entries = await this.#netlink.dump(MESSAGE.getNeighbour, request, ({ payload }) => {
      const neighbour = parseNeighbour(payload);
      return neighbour?.known && equalBytes(neighbour.address, gateway);
    });
    return entries.includes(true);
  }
}

function headerOf(interfaceIndex: number, octets: number, flags: number): Uint8Array {
  const header = new Uint8Array(NEIGHBOUR_HEADER);
  header[0] = octets === 16 ? AF_INET6 : AF_INET;
  viewOf(header).setInt32(4, interfaceIndex, LITTLE_ENDIAN);
  header[10] = flags;
  return header;
}
