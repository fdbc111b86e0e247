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
      open: (link, receive) => {
        const socket = inner.open(link, (packet) => this.call(() => receive(packet)));
        const close = this.hold(() => socket.close());
        return { send: (destination, message) => socket.send(destination, message), close };
      },
    });
  }

  bfd(inner: BfdNetwork): BfdNetwork {
    return {
      open: (target, receive) => {
        const socket = inner.open(target, (packet) => this.call(() => receive(packet)));
        return { send: (packet) => socket.send(packet), close: this.hold(() => socket.close()) };
      },
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

  /** As virtual streams are: without hop limits, and with all delivered that came. */
  private stream(inner: Stream): Stream {
    const { interfaceName, local, remote, localPort, remotePort } = inner;
    return {
      interfaceName,
      local,
      remote,
      localPort,
      remotePort,
      get pending() {
        return inner.pending;
      },
      start: (handlers) => inner.start(this.handlers(handlers)),
      write: (bytes) => inner.write(bytes),
      pause: () => inner.pause(),
      resume: () => inner.resume(),
      end: () => inner.end(),
      destroy: () => inner.destroy(),
    };
  }

  private handlers({ data, drain, closed }: StreamHandlers): StreamHandlers {
    return {
      data: (bytes) => {
        const kept = this.waiting ? bytes.slice() : bytes;
        this.call(() => data(kept));
      },
      drain: () => this.call(() => drain()),
      closed: (error) => this.call(() => closed(error)),
    };
  }

  private hold(close: () => void): () => void {
    this.held.add(close);
    return () => {
      this.held.delete(close);
      close();
    };
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

/** `inner` with other methods in the place of some of its own: for what is seldom called, as each call costs a look-up. */
function overriding<Port extends object>(inner: Port, methods: Partial<Port>): Port {
  return new Proxy(inner, {
    get(target, key): unknown {
      const found: unknown = Reflect.get(methods, key) ?? Reflect.get(target, key);
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
}
