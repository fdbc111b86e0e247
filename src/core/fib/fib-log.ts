/** What the FIB says: one line an event, however many routes it touches. */
import { formatAddress } from '../net/address.js';
import { formatPrefix, type Prefix } from '../net/prefix.js';
import type { EventLog, LogLevel } from '../ports/event-log.js';
import type { KernelFailure, KernelOperation } from '../ports/kernel-tables.js';
import { failureText } from './forwarding-objects.js';

export const NO_RESILIENT_GROUPS =
  'this kernel has no resilient ones (CONFIG_NET_NEXTHOP, Linux 5.13), so flows move when a member comes or goes';

export class FibLog {
  private readonly lostRoutes = new Map<'deleted' | 'replaced', { readonly first: string; count: number }>();

  constructor(private readonly log: EventLog) {}

  say(level: LogLevel, message: string): void {
    this.log.write({ level, topic: 'fib', message });
  }

  /** Another program took a route away; told by `flush`. */
  routeLost(how: 'deleted' | 'replaced', prefix: Prefix, metric: number): void {
    const known = this.lostRoutes.get(how);
    if (known) known.count++;
    else this.lostRoutes.set(how, { first: `${formatPrefix(prefix)} metric ${metric}`, count: 1 });
  }

  flush(): void {
    for (const [how, { first, count }] of this.lostRoutes) {
      const more = count > 1 ? ` and ${count - 1} more` : '';
      this.say('warn', `another program ${how} ${first}${more}: to be written again`);
    }
    this.lostRoutes.clear();
  }

  refused(failures: readonly KernelFailure[]): void {
    const byText = new Map<string, { first: KernelOperation; count: number }>();
    for (const failure of failures) {
      const known = byText.get(failureText(failure));
      if (known) known.count++;
      else byText.set(failureText(failure), { first: failure.operation, count: 1 });
    }
    for (const [text, { first, count }] of byText) {
      const more = count > 1 ? ` and ${count - 1} more` : '';
      this.say('warn', `the kernel refused ${describe(first)}${more}: ${text}`);
    }
  }
}

function describe(operation: KernelOperation): string {
  switch (operation.kind) {
    case 'set-route':
    case 'delete-route':
      return `${formatPrefix(operation.prefix)} metric ${operation.metric}`;
    case 'set-next-hop':
      return `next hop ${formatAddress(operation.gateway)} on interface ${operation.interfaceIndex}`;
    case 'set-group':
    case 'delete-next-hop':
      return `next-hop object ${operation.id}`;
  }
}
