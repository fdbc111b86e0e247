/**
 * Walks a field of prefixes (RFC 4271 section 4.3, path identifiers RFC 7911) without an object per route. Open it on a
 * field of a view, then read `offset`, `bits` and `pathId` after each `next()` that returned true. After the walk
 * `malformed` says whether the field ended inside a prefix or held an impossible length.
 *
 * Bits beyond the prefix length are undefined on the wire: whoever keys by prefix masks them.
 */
import { type Family, familyOf } from '../../net/family.js';
import { read32 } from './octets.js';
import type { UpdateView } from './update-view.js';

export class NlriCursor {
  /** Where the address octets of the current prefix start in `body`; there are (bits + 7) >> 3 of them. */
  offset = 0;
  bits = 0;
  /** 0 in a field without path identifiers. */
  pathId = 0;
  /** RFC 7606 section 5.3: the rest of the field cannot be trusted, nor what it was about. */
  malformed = false;
  body: Uint8Array = new Uint8Array(0);

  private end = 0;
  private position = 0;
  private maximumBits = 0;
  private addPath = false;

  openWithdrawn(view: UpdateView): Family {
    this.open(view, 'ipv4-unicast', view.withdrawnStart, view.withdrawnEnd);
    return 'ipv4-unicast';
  }

  openNlri(view: UpdateView): Family {
    this.open(view, 'ipv4-unicast', view.nlriStart, view.nlriEnd);
    return 'ipv4-unicast';
  }

  /** `undefined` (and nothing to walk) when there is no MP_REACH_NLRI or its family is not carried here. */
  openReach(view: UpdateView): Family | undefined {
    const family = familyOf(view.reachAfi, view.reachSafi);
    this.open(view, family, view.reachNlriStart, view.reachNlriEnd);
    return family;
  }

  /** `undefined` (and nothing to walk) when there is no MP_UNREACH_NLRI or its family is not carried here. */
  openUnreach(view: UpdateView): Family | undefined {
    const family = familyOf(view.unreachAfi, view.unreachSafi);
    this.open(view, family, view.unreachNlriStart, view.unreachNlriEnd);
    return family;
  }

  next(): boolean {
    let position = this.position;
    if (position >= this.end) return false;
    if (this.addPath) {
      if (position + 5 > this.end) return this.fail();
      this.pathId = read32(this.body, position);
      position += 4;
    }
    const bits = this.body[position]!;
    const next = position + 1 + ((bits + 7) >> 3);
    if (bits > this.maximumBits || next > this.end) return this.fail();
    this.bits = bits;
    this.offset = position + 1;
    this.position = next;
    return true;
  }

  private open(view: UpdateView, family: Family | undefined, start: number, end: number): void {
    this.body = view.body;
    this.position = start;
    this.end = family === undefined ? start : end;
    this.maximumBits = family === 'ipv4-unicast' ? 32 : 128;
    this.addPath = family !== undefined && view.context.addPath.includes(family);
    this.pathId = 0;
    this.malformed = false;
  }

  private fail(): false {
    this.malformed = true;
    this.position = this.end;
    return false;
  }
}
