/** Work that is asked for in an order and done in it, one after the other for each place, whatever became of the one before. */
export class Turns {
  private readonly last = new Map<string, Promise<void>>();

  constructor(private readonly failed: (place: string, error: unknown) => void) {}

  take(place: string, work: () => Promise<void> | void): void {
    const before = this.last.get(place) ?? Promise.resolve();
    this.last.set(
      place,
      before.then(work).catch((error: unknown) => this.failed(place, error)),
    );
  }

  /** When all that was asked for so far is done. */
  async done(): Promise<void> {
    await Promise.all(this.last.values());
  }
}
