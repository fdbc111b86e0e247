/** `heddle trace`: the way of a subflow as a drawing, what each kernel decided beside it, and what the counters say. */
import type { Trace } from '../../trace/trace.js';
import type { Paint } from './paint.js';

export function renderTrace(trace: Trace, paint: Paint): string[] {
  const { flow, queuePair } = trace;
  const colour = paint.fabric(trace.colour);
  const what = queuePair === null ? 'a subflow' : `queue pair ${queuePair}`;
  const head = `${trace.from} -> ${trace.to}, ${what}${trace.colour === null ? '' : `, colour ${trace.colour}`}`;
  return [
    paint.strong(head),
    paint.dim(`${flow.source} port ${flow.sourcePort} -> ${flow.destination} port ${flow.destinationPort}, UDP`),
    ...hopLines(trace, paint, colour),
    ...verdictLines(trace, paint),
  ];
}

function hopLines(trace: Trace, paint: Paint, colour: (text: string) => string): string[] {
  const facts = trace.hops.map(decision);
  const widths = {
    way: Math.max(0, ...trace.hops.map((hop) => wayText(hop).length)),
    fact: Math.max(0, ...facts.map((text) => text.length)),
  };
  const lines = trace.hops.flatMap((hop, index) => {
    const whole = Math.min(hop.sent, hop.received) >= trace.datagrams;
    const count = `${hop.received}/${trace.datagrams}`;
    return [
      `  ${colour(index === 0 ? '●' : '○')} ${hop.node}`,
      `  ${colour('│')}   ${wayText(hop).padEnd(widths.way)}  ${facts[index]!.padEnd(widths.fact)}  ${whole ? paint.good(count) : paint.bad(count)}`,
    ];
  });
  if (trace.problem !== null) return [...lines, `  ${paint.bad('✗')} ${paint.bad(trace.problem)}`];
  return [...lines, `  ${colour('◆')} ${trace.to}`];
}

function wayText(hop: Trace['hops'][number]): string {
  return `${hop.egress} -> ${hop.peer}`;
}

function decision({ route }: Trace['hops'][number]): string {
  const tier = route.tier === null ? route.protocol : route.tier;
  const which = route.members === 1 ? '' : `, next hop ${route.member} of ${route.members}`;
  return `${route.prefix} metric ${route.metric} (${tier})${which}`;
}

function verdictLines(trace: Trace, paint: Paint): string[] {
  const { datagrams, arrived, confirmed, differences } = trace;
  if (confirmed) return [paint.good(`${datagrams} datagrams sent, all counted on this way`)];
  const head =
    trace.problem === null ? 'the counters differ from the lookups' : 'the lookups do not lead to the destination';
  return [
    paint.bad(`${head}: ${Math.min(arrived, datagrams)} of ${datagrams} datagrams arrived`),
    ...differences.map((line) => paint.bad(`  ${line}`)),
  ];
}
