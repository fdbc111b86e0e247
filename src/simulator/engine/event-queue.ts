/**
 * What is due, in order of time: a calendar of 1.024 ns days for the near future, where nearly all of a packet simulation's events lie, and
 * a heap for what is further off (timers). Times are integer picoseconds in doubles (exact up to 2^53 ps, 2.5 hours). Events of one moment come
 * in the order they were put in. An event is three integers in typed arrays: nothing is allocated per event.
 *
 * Against the heap alone, an event taken for each put in, 2,000 pending: 12 to 15 M events/s instead of 5.
 */
import { grown } from '../../core/net/grown.js';

const DAY_BITS = 10;
const DAY = 2 ** DAY_BITS;
const DAYS = 2 ** 14;
const DAY_MASK = DAYS - 1;
/** How far ahead of the clock an event may lie to be in the calendar: 16.8 us. */
const HORIZON = DAY * (DAYS - 1);
const NONE = -1;

export class EventQueue {
  /** The time of the event that was taken last, in picoseconds. */
  now = 0;
  /** What the event that was taken last is. */
  kind = 0;
  first = 0;
  second = 0;
  /** Events in the queue. */
  size = 0;

  private time = new Float64Array(1024);
  private kinds = new Int32Array(1024);
  private firsts = new Int32Array(1024);
  private seconds = new Int32Array(1024);
  private next = new Int32Array(1024);
  private used = 0;
  private free = NONE;

  private readonly heads = new Int32Array(DAYS).fill(NONE);
  private readonly tails = new Int32Array(DAYS).fill(NONE);
  private near = 0;
  /** No event of the calendar is due before this day (counted from time 0). */
  private day = 0;

  private heap = new Int32Array(1024);
  private far = 0;
  /** When an event of the heap was put in: a heap does not keep the order of equal times. */
  private orders = new Float64Array(1024);
  private order = 0;

  /** Puts an event in; `time` must not be before `now`. */
  schedule(time: number, kind: number, first: number, second: number): void {
    const event = this.allocate();
    this.time[event] = time;
    this.kinds[event] = kind;
    this.firsts[event] = first;
    this.seconds[event] = second;
    this.size++;
    if (time - this.now < HORIZON) this.insertNear(event, time);
    else this.insertFar(event);
  }

  /** Takes the earliest event into `now`, `kind`, `first` and `second`; false when there is none at or before `limit`. */
  take(limit: number): boolean {
    const near = this.near > 0 ? this.earliestNear() : NONE;
    const far = this.far > 0 ? this.heap[0]! : NONE;
    // Of one moment the one from the heap comes first: it was put in when that moment was further off.
    const fromHeap = far !== NONE && (near === NONE || this.time[far]! <= this.time[near]!);
    const event = fromHeap ? far : near;
    if (event === NONE || this.time[event]! > limit) return false;
    if (fromHeap) this.removeFar();
    else this.removeNear(event);
    this.now = this.time[event]!;
    this.kind = this.kinds[event]!;
    this.first = this.firsts[event]!;
    this.second = this.seconds[event]!;
    this.next[event] = this.free;
    this.free = event;
    this.size--;
    return true;
  }

  private allocate(): number {
    const event = this.free;
    if (event !== NONE) {
      this.free = this.next[event]!;
      return event;
    }
    if (this.used === this.time.length) this.grow();
    return this.used++;
  }

  private grow(): void {
    const size = this.time.length * 2;
    this.time = grown(this.time, size);
    this.kinds = grown(this.kinds, size);
    this.firsts = grown(this.firsts, size);
    this.seconds = grown(this.seconds, size);
    this.next = grown(this.next, size);
    this.orders = grown(this.orders, size);
  }

  private insertNear(event: number, time: number): void {
    const day = Math.floor(time / DAY);
    if (this.near === 0 || day < this.day) this.day = day;
    const slot = day & DAY_MASK;
    this.near++;
    const tail = this.tails[slot]!;
    if (tail === NONE) {
      this.heads[slot] = event;
      this.tails[slot] = event;
      this.next[event] = NONE;
    } else if (this.time[tail]! <= time) {
      this.next[tail] = event;
      this.tails[slot] = event;
      this.next[event] = NONE;
    } else {
      this.insertWithin(slot, event, time);
    }
  }

  /** Among the events of a day, before the first that is later. */
  private insertWithin(slot: number, event: number, time: number): void {
    let previous = NONE;
    let at = this.heads[slot]!;
    while (this.time[at]! <= time) {
      previous = at;
      at = this.next[at]!;
    }
    this.next[event] = at;
    if (previous === NONE) this.heads[slot] = event;
    else this.next[previous] = event;
  }

  private earliestNear(): number {
    const heads = this.heads;
    let day = this.day;
    let event = heads[day & DAY_MASK]!;
    while (event === NONE) event = heads[++day & DAY_MASK]!;
    this.day = day;
    return event;
  }

  private removeNear(event: number): void {
    const slot = this.day & DAY_MASK;
    const next = this.next[event]!;
    this.heads[slot] = next;
    if (next === NONE) this.tails[slot] = NONE;
    this.near--;
  }

  private insertFar(event: number): void {
    if (this.far === this.heap.length) this.heap = grown(this.heap, this.far * 2);
    const { heap } = this;
    this.orders[event] = this.order++;
    let at = this.far++;
    while (at > 0) {
      const parent = (at - 1) >> 2;
      if (this.isBefore(heap[parent]!, event)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  private removeFar(): void {
    const { heap } = this;
    const moved = heap[--this.far]!;
    let at = 0;
    for (;;) {
      const child = this.earliestChild(at);
      if (child === NONE || this.isBefore(moved, heap[child]!)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = moved;
  }

  private earliestChild(at: number): number {
    const from = at * 4 + 1;
    if (from >= this.far) return NONE;
    const to = Math.min(from + 4, this.far);
    let best = from;
    for (let child = from + 1; child < to; child++) {
      if (this.isBefore(this.heap[child]!, this.heap[best]!)) best = child;
    }
    return best;
  }

  private isBefore(one: number, other: number): boolean {
    const difference = this.time[one]! - this.time[other]!;
    return difference < 0 || (difference === 0 && this.orders[one]! < this.orders[other]!);
  }
}
