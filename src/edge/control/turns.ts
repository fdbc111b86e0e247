/**
 * One small piece of work for API clients in each turn of the event loop, whoever asks and for whatever: timers and sessions wait no longer for two hundred
 * clients than for one.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #first = 0;

  /** Resolves when it is the caller's turn, in the order of the calls. What it does then is to be short. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length - this.#first === 1) setImmediate(() => this.#give());
    });
  }

  #give(): void {
    this.#waiting[this.#first++]?.();
    if (this.#first < this.#waiting.length) return void setImmediate(() => this.#give());
    this.#waiting.length = 0;
    this.#first = 0;
  }
}
