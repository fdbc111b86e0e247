/** Which routes an UPDATE is about, announced or withdrawn, however the RIB judged it. */
import { ADDRESS_OCTETS, type Family } from '../../net/family.js';
import { masked, type Prefix } from '../../net/prefix.js';
import type { UpdateContext } from '../../wire/bgp/message.js';
import { NlriCursor } from '../../wire/bgp/nlri-cursor.js';
import { isEndOfRib, splitUpdate } from '../../wire/bgp/update.js';
import { UpdateView } from '../../wire/bgp/update-view.js';

export class UpdateRoutes {
  private readonly view = new UpdateView();
  private readonly cursor = new NlriCursor();

  /** Calls `each` for every route; the family when the UPDATE is an End-of-RIB (RFC 4724 section 2). */
  read(body: Uint8Array, context: UpdateContext, each: (prefix: Prefix, pathId: number) => void): Family | undefined {
    const { view, cursor } = this;
    if (splitUpdate(body, context, view)) return undefined;
    const fields = [
      () => cursor.openWithdrawn(view),
      () => cursor.openUnreach(view),
      () => cursor.openReach(view),
      () => cursor.openNlri(view),
    ];
    for (const open of fields) {
      const family = open();
      if (family) this.readField(family, each);
    }
    return isEndOfRib(view);
  }

  private readField(family: Family, each: (prefix: Prefix, pathId: number) => void): void {
    const { cursor } = this;
    while (cursor.next()) {
      const address = new Uint8Array(ADDRESS_OCTETS[family]);
      address.set(cursor.body.subarray(cursor.offset, cursor.offset + ((cursor.bits + 7) >> 3)));
      each({ address: masked(address, cursor.bits), length: cursor.bits }, cursor.pathId);
    }
  }
}
