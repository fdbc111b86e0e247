/** One line on a terminal that says how far work is, over and over; nothing but the ends of parts where there is no terminal. */

const BAR = 24;
/** Milliseconds between two looks of the line. */
const PACE = 100;
/** Milliseconds, and the share of the work, before which nothing can be said of the time that is left. */
const TOO_EARLY = { elapsed: 2000, share: 0.02 };

export class ProgressLine {
  private finished = 0;
  private shown = 0;
  private readonly began = performance.now();
  private readonly parts = new Map<string, { share: number; note: string }>();

  constructor(
    private readonly total: number,
    private readonly out: NodeJS.WriteStream = process.stderr,
  ) {}

  /** A part is so far, 0 to 1. */
  show(part: string, share: number, note: string): void {
    this.parts.set(part, { share, note });
    if (!this.out.isTTY || performance.now() - this.shown < PACE) return;
    this.shown = performance.now();
    this.draw();
  }

  /** @param remark what is wrong with it, if anything is */
  done(part: string, remark?: string): void {
    this.finished++;
    this.parts.delete(part);
    if (this.out.isTTY) this.draw();
    else this.out.write(`${this.finished}/${this.total} ${part}${remark === undefined ? '' : `: ${remark}`}\n`);
  }

  end(): void {
    if (this.out.isTTY) this.out.write('\r\u001b[K');
  }

  private draw(): void {
    const running = [...this.parts.values()].reduce((sum, { share }) => sum + share, 0);
    const share = (this.finished + running) / Math.max(1, this.total);
    const bar = '#'.repeat(Math.round(share * BAR)).padEnd(BAR, '.');
    const [latest] = [...this.parts].slice(-1);
    const now = latest ? `  ${latest[0]} ${Math.round(latest[1].share * 100)} % (${latest[1].note})` : '';
    const text = `[${bar}] ${this.finished}/${this.total}${this.left(share)}${now}`;
    this.out.write(`\r\u001b[K${text.slice(0, Math.max(20, (this.out.columns || 80) - 1))}`);
  }

  private left(share: number): string {
    const elapsed = performance.now() - this.began;
    if (elapsed < TOO_EARLY.elapsed || share < TOO_EARLY.share || share >= 1) return '';
    const seconds = Math.ceil((elapsed * (1 - share)) / share / 1000);
    return seconds < 120 ? `  ${seconds} s left` : `  ${Math.round(seconds / 60)} min left`;
  }
}
