/**
 * The connection to one monitoring station: made again, ever more seldom, whenever it is lost (RFC 7854 section 3.2), and cut
 * when the station reads too slowly for what happens here. All it then missed it learns from the next start.
 */
import type { Clock } from '../../ports/clock.js';
import type { CollectorStream, Collectors } from '../../ports/collectors.js';
import type { EventLog, LogLevel } from '../../ports/event-log.js';
import type { Random } from '../../ports/random.js';

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 60_000;
/** Octets that wait for a slow station. */
const HELD = 16 * 1024 * 1024;

export interface BmpLinkPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: EventLog;
  readonly collectors: Collectors;
}

export interface BmpLinkHandlers {
  connected(): void;
  /** What was written is out; more may follow. */
  drained(): void;
  lost(): void;
}

export class BmpLink {
  /** The station takes more. */
  free = false;
  /** Connections made. */
  connections = 0;
  messages = 0;
  /** Connections cut because the station was too slow. */
  overruns = 0;
  private stream: CollectorStream | undefined;
  private wait = FIRST_WAIT;
  private readonly attempt = new AbortController();
  private cancelRetry: () => void = () => {};
  private since = 0;

  constructor(
    private readonly target: { readonly host: string; readonly port: number },
    private readonly ports: BmpLinkPorts,
    private readonly handlers: BmpLinkHandlers,
    private readonly held = HELD,
  ) {}

  get name(): string {
    return `${this.target.host} port ${this.target.port}`;
  }

  get up(): boolean {
    return this.stream !== undefined;
  }

  start(): void {
    this.ports.collectors.connect(this.target, this.attempt.signal).then(
      (stream) => (this.attempt.signal.aborted ? stream.destroy() : this.adopt(stream)),
      (error: unknown) => this.retry(`no connection: ${error instanceof Error ? error.message : String(error)}`),
    );
  }

  /** `last` is still sent. */
  stop(last: Uint8Array): void {
    this.attempt.abort();
    this.cancelRetry();
    this.stream?.write(last);
    this.stream?.end();
    this.stream = undefined;
  }

  send(bytes: Uint8Array): void {
    if (!this.stream) return;
    if (this.stream.pending + bytes.length > this.held) return this.overrun();
    this.messages++;
    this.free = this.stream.write(bytes);
  }

  private adopt(stream: CollectorStream): void {
    this.stream = stream;
    this.free = true;
    this.connections++;
    this.since = this.ports.clock.now();
    stream.start({
      data: () => {},
      drain: () => {
        this.free = true;
        this.handlers.drained();
      },
      closed: (error) => this.closed(stream, error?.message ?? 'the station closed it'),
    });
    this.log('info', 'connected');
    this.handlers.connected();
  }

  private overrun(): void {
    const stream = this.stream!;
    this.overruns++;
    stream.destroy();
    this.closed(stream, 'the station is too slow');
  }

  private closed(stream: CollectorStream, reason: string): void {
    if (this.stream !== stream) return;
    this.stream = undefined;
    this.free = false;
    if (this.ports.clock.now() - this.since > LONGEST_WAIT) this.wait = FIRST_WAIT;
    this.handlers.lost();
    this.retry(`connection lost: ${reason}`);
  }

  private retry(reason: string): void {
    if (this.attempt.signal.aborted) return;
    const { clock, random } = this.ports;
    this.log('warn', reason);
    this.cancelRetry = clock.schedule(clock.now() + this.wait * (0.75 + 0.25 * random.next()), () => this.start());
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
  }

  private log(level: LogLevel, message: string): void {
    this.ports.log.write({ level, topic: 'bmp', message: `${this.name}: ${message}` });
  }
}
