/** `heddle trace`: follows subflows of a lab through the kernels of its nodes, and confirms their ways by counters. */
import { type Command, InvalidArgumentError } from 'commander';
import { requireNamespaces } from '../../lab/build.js';
import { loadLab } from '../../lab/lab.js';
import { linkConditions } from '../../lab/links.js';
import { tracePanel } from '../../picture/trace-panel.js';
import { chosenSubflows } from '../../trace/subflows.js';
import { type Trace, traceSubflow } from '../../trace/trace.js';
import { examples } from '../examples.js';
import { EXIT_CODES_HELP, EXIT_FAILURE, SilentExit } from '../exit-codes.js';
import { SVG_HELP, writePicture } from '../picture-file.js';
import { renderTrace } from '../render/trace.js';
import { print, printJson, terminalPaint } from '../terminal.js';

interface TraceOptions {
  readonly qp?: number;
  readonly port?: number;
  readonly lab?: string;
  readonly json?: true;
  readonly svg?: string;
}

export function register(program: Command): void {
  program
    .command('trace')
    .description('follow subflows through the kernels of a lab, and confirm by counters that packets go that way')
    .argument('<SRC>', 'host, or an address of one')
    .argument('<DST>', 'host, or an address of one')
    .option('--qp <N>', 'one queue pair of the plan; default: all', queuePairOption)
    .option('--port <P>', 'UDP source port, in place of that of the queue pair', portOption)
    .option('--lab <NAME>', 'which lab, when several are up')
    .option('--json', 'the answer as JSON')
    .option('--svg <FILE>', SVG_HELP)
    .addHelpText(
      'after',
      `${examples(
        'heddle trace host1 host2',
        'heddle trace host1 host2 --qp 3',
        'heddle trace host1 host2 --svg ways.svg',
        'heddle trace fc00:1:1:1:0:ff:fe00:1 fc00:2:1:4:0:ff:fe00:2 --port 50000',
        "heddle trace host1 host2 --json | jq '.traces[].hops[].node'",
      )}
Exit status 1 when a subflow does not arrive, or not on the way that the kernels' tables say. ${EXIT_CODES_HELP}`,
    )
    .action(trace);
}

async function trace(source: string, destination: string, options: TraceOptions): Promise<void> {
  const lab = loadLab(options.lab);
  await requireNamespaces();
  const subflows = await chosenSubflows(lab, {
    source,
    destination,
    ...(options.qp !== undefined && { queuePair: options.qp }),
    ...(options.port !== undefined && { sourcePort: options.port }),
  });
  const traces: Trace[] = [];
  for (const subflow of subflows) {
    const found = await traceSubflow(lab, subflow);
    traces.push(found);
    if (!options.json) print([...(traces.length > 1 ? [''] : []), ...renderTrace(found, terminalPaint())]);
  }
  if (options.json) printJson({ lab: lab.name, confirmed: traces.every(({ confirmed }) => confirmed), traces });
  if (options.svg !== undefined) {
    const panel = tracePanel(lab.plan, await linkConditions(lab), traces);
    const [first] = traces;
    writePicture(options.svg, { title: `${first?.from} to ${first?.to} over lab ${lab.name}`, panels: [panel] });
  }
  if (!traces.every(({ confirmed }) => confirmed)) throw new SilentExit(EXIT_FAILURE);
}

function queuePairOption(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is the number of a queue pair, from 1 on.');
}

function portOption(text: string): number {
  const port = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65535) return port;
  throw new InvalidArgumentError('It is a UDP port, 1 to 65535.');
}
