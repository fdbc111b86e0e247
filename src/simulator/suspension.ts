/**
 * A stopped process, as SIGSTOP leaves it: the machine goes on, the kernel forwards and answers, and the program hears nothing of it.
 * Whatever would have called it waits, in order, until it goes on; or is for nobody, when the process is killed.
 */
import type { BfdNetwork } from '../core/ports/bfd.js';
import type { Clock } from '../core/ports/clock.js';
import type { KernelTables } from '../core/ports/kernel-tables.js';
import type { Links } from '../core/ports/links.js';
import type { NdSockets } from '../core/ports/nd-socket.js';
import type { Reachability } from '../core/ports/reachability.js';
import type { Stream, StreamHandlers, Transport } from '../core/ports/transport.js';

export class Suspension {
  private waiting: (() => void)[] | undefined;
  private dead = false;
  /** Closes what the process has open. */
  private readonly held = new Set<() => void>();

  suspend(): void {
    this.waiting ??= [];
  }

  resume(): void {
    const { waiting = [] } = this;
    this.waiting = undefined;
    for (const call of waiting) call();
  }

  /** As SIGKILL: nothing calls it any more, and its sockets are closed. */
  kill(): void {
    this.dead = true;
    this.waiting = undefined;
    for (const close of this.held) close();
    this.held.clear();
  }

  clock(inner: Clock): Clock {
    return {
      now: () => inner.now(),
      schedule: (at, wake) => {
        let cancelled = false;
        const cancel = inner.schedule(at, () => this.call(() => cancelled || wake()));
        return () => {
          cancelled = true;
          cancel();
        };
      },
      yield: (work) => inner.yield(() => this.call(work)),
    };
  }

  links<T extends Links & NdSockets>(inner: T): Links & NdSockets {
    return overriding<Links & NdSockets>(inner, {
      watch: (listener) => this.hold(inner.watch((event) => this.call(() => listener(event)))),
      open: (link, receive) => this.closing(inner.open(link, (packet) => this.call(() => receive(packet)))),
    });
  }

  bfd(inner: BfdNetwork): BfdNetwork {
    return {
      open: (target, receive) => this.closing(inner.open(target, (packet) => this.call(() => receive(packet)))),
    };
  }

  tables(inner: KernelTables): KernelTables {
    return overriding(inner, {
      apply: (operations) => this.answered(inner.apply(operations)),
      dump: (scope) => this.answered(inner.dump(scope)),
      watch: (listener) => this.hold(inner.watch((event) => this.call(() => listener(event)))),
    });
  }

  reachability(inner: Reachability): Reachability {
    return overriding(inner, { watch: (changed) => this.hold(inner.watch(() => this.call(changed))) });
  }

  transport(inner: Transport): Transport {
    return overriding(inner, {
      listen: (port, accept) => inner.listen(port, (stream) => this.call(() => accept(this.stream(stream)))),
      connect: (target, signal) =>
        new Promise((resolve, reject) => {
          inner.connect(target, signal).then(
            (stream) => (this.dead ? stream.destroy() : this.call(() => resolve(this.stream(stream)))),
            (error: unknown) => this.call(() => reject(error)),
          );
        }),
    });
  }

  private stream(inner: Stream): Stream {
    const start = ({ data, drain, closed }: StreamHandlers): void =>
      inner.start({
        data: (bytes) => this.call(() => data(bytes)),
        drain: () => this.call(() => drain()),
        closed: (error) => this.call(() => closed(error)),
      });
    return overriding(inner, { start });
  }

  private hold(close: () => void): () => void {
    this.held.add(close);
    return () => {
      this.held.delete(close);
      close();
    };
  }

  private closing<Socket extends { close(): void }>(inner: Socket): Socket {
    const close: Partial<{ close(): void }> = { close: this.hold(() => inner.close()) };
    return overriding(inner, close as Partial<Socket>);
  }

  private answered<Result>(answer: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      answer.then(
        (result) => this.call(() => resolve(result)),
        (error: unknown) => this.call(() => reject(error)),
      );
    });
  }

  private call(work: () => void): void {
    if (this.dead) return;
    if (this.waiting) this.waiting.push(work);
    else work();
  }
}

/** `inner` with other methods in the place of some of its own. */
function overriding<Port extends object>(inner: Port, methods: Partial<Port>): Port {
  return new Proxy(inner, {
    get(target, key): unknown {
      const found: unknown = Reflect.get(methods, key) ?? Reflect.get(target, key);
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
}
