/** The items of a JSON array of objects, as its text comes: a long table is neither held in memory nor read in one go. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Brackets and braces differ by one bit. */
const BRACE_BIT = 0x20;
const OPENING = 0x5b;
const CLOSING = 0x5d;
/** Of an item: the array is the first. */
const ITEM_DEPTH = 2;

export class JsonArrayReader {
  /** The beginning of an item that has not ended. */
  private held = '';
  private depth = 0;
  private inString = false;
  private isEscaped = false;

  /** The array has ended. */
  get isComplete(): boolean {
    return this.depth === 0;
  }

  /** The items that end in `piece`. Throws SyntaxError for text that is no JSON. */
  push(piece: string): unknown[] {
    const items: unknown[] = [];
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const step = this.step(piece.charCodeAt(at));
      if (step > 0 && this.depth === ITEM_DEPTH) from = at;
      if (step >= 0 || this.depth !== ITEM_DEPTH - 1) continue;
      items.push(JSON.parse(this.held + piece.slice(from, at + 1)));
      this.held = '';
    }
    if (this.depth >= ITEM_DEPTH) this.held += piece.slice(from);
    return items;
  }

  /** 1: something has opened, -1: something has closed. */
  private step(code: number): number {
    if (this.inString) {
      if (this.isEscaped) this.isEscaped = false;
      else if (code === BACKSLASH) this.isEscaped = true;
      else if (code === QUOTE) this.inString = false;
      return 0;
    }
    if (code === QUOTE) this.inString = true;
    const bracket = code & ~BRACE_BIT;
    const step = bracket === OPENING ? 1 : bracket === CLOSING ? -1 : 0;
    this.depth += step;
    return step;
  }
}
