/** `show fib --diff`: what is wanted against what the kernel has, and what to do about a difference. */
import type { Difference, DifferenceCause } from '../../core/fib/difference.js';
import { adviceOn } from '../../core/fib/foreign-objects.js';
import { formatPrefix } from '../../core/net/prefix.js';
import type { Speaker } from '../../core/speaker/speaker.js';
import type { FibComparisonStream, FibDifference } from '../../edge/control/schema.js';
import { nextHopViews } from './fib-view.js';
import { interfaceNames } from './interface-names.js';

const IN_FLIGHT: ReadonlySet<DifferenceCause> = new Set(['waiting', 'link-down', 'kept']);

export async function fibDifferences(speaker: Speaker): Promise<FibComparisonStream> {
  const { same, differences } = await speaker.fib.compare();
  return { same, differences: views(speaker, differences) };
}

function* views(speaker: Speaker, differences: readonly Difference[]): Generator<FibDifference> {
  const nameOf = interfaceNames(speaker);
  const shown = nextHopViews(speaker);
  for (const difference of differences) {
    const { object, prefix, metric = null, id = null, wanted, kernel, foreign, cause } = difference;
    const interfaces = foreign?.kind === 'route' ? foreign.interfaces.map(nameOf) : [];
    yield {
      object,
      prefix: prefix ? formatPrefix(prefix) : null,
      metric,
      id,
      wanted: wanted ? shown(wanted) : null,
      kernel: kernel ? shown(kernel) : null,
      foreign: foreign ? { protocol: foreign.protocol, interfaces } : null,
      cause,
      inFlight: IN_FLIGHT.has(cause),
      why: why(difference),
      advice: foreign ? adviceOn(foreign) : null,
    };
  }
}

function why({ object, cause, wanted = [], kernel = [], error }: Difference): string {
  switch (cause) {
    case 'missing':
      return 'missing: it is written again';
    case 'other':
      return `${otherWords(object, wanted.length === kernel.length)}: it is put right`;
    case 'leftover':
      return 'leftover of ours: it is deleted';
    case 'refused':
      return `refused by the kernel: ${error ?? 'without a word'}`;
    case 'foreign-in-the-way':
      return 'a foreign route is in the way';
    case 'foreign-beside':
      return 'a foreign route has the same prefix and metric: which of the two is used, the kernel decides';
    case 'foreign-number':
      return "a foreign route under heddle's protocol number";
    case 'foreign-id':
      return "a foreign object with an id of heddle's range";
    case 'waiting':
      return 'in flight: still to be written';
    case 'link-down':
      return 'in flight: the links it leads over are down';
    case 'kept':
      return 'in flight: kept from before the restart, until the neighbors have sent their routes';
  }
}

function otherWords(object: Difference['object'], sameCount: boolean): string {
  if (object === 'next-hop') return 'it leads elsewhere';
  if (object === 'route') return 'it has another group';
  return sameCount ? 'other members or weights' : 'other members';
}
