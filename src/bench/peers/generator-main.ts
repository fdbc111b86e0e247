/**
 * The load generator, a process of its own: sessions that announce tables encoded beforehand, and sessions that count what is
 * told to them.
 */
import { createInterface } from 'node:readline';
import { now } from '../../app/lab/monotonic.js';
import { parseAddress } from '../../core/net/address.js';
import { BenchSession } from './bench-session.js';
import { countRoutes } from './count-routes.js';
import type { GeneratorAnswer, GeneratorCommand, GeneratorSession, GeneratorTask } from './generator-protocol.js';
import { type TableStream, tableStream } from './table-stream.js';

const { target, sessions }: GeneratorTask = JSON.parse(process.argv[2] ?? '{}');
const counts = { announced: 0, withdrawn: 0 };
let last = 0;
let lost = 0;

interface Member {
  readonly session: BenchSession;
  readonly table: TableStream | undefined;
}

function memberOf(options: GeneratorSession): Member {
  const { asn, address, table } = options;
  return {
    table: table && tableStream(table, { asn, address: parseAddress(address)! }),
    session: new BenchSession({ ...options, target, update: table ? () => undefined : count, lost: () => lost++ }),
  };
}

function count(body: Uint8Array, at: number): void {
  const before = counts.announced + counts.withdrawn;
  countRoutes(body, counts);
  if (counts.announced + counts.withdrawn > before) last = at;
}

const members = sessions.map(memberOf);

function say(answer: GeneratorAnswer): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

async function sendAll(octetsOf: (table: TableStream) => Uint8Array): Promise<void> {
  const from = now();
  await Promise.all(members.map(({ session, table }) => table && session.send(octetsOf(table))));
  say({ kind: 'sent', from });
}

async function obey(command: GeneratorCommand): Promise<void> {
  switch (command.kind) {
    case 'connect':
      await Promise.all(members.map(({ session }) => session.connect()));
      return say({ kind: 'connected' });
    case 'announce':
      return sendAll(({ announcements }) => announcements);
    case 'withdraw':
      return sendAll(({ withdrawals }) => withdrawals);
    case 'drop': {
      const from = now();
      for (const { session, table } of members) if (table) session.drop();
      return say({ kind: 'sent', from });
    }
    case 'counts':
      return say({
        kind: 'counts',
        ...counts,
        last,
        lost,
        gaps: members.flatMap(({ session }) => session.takeGaps()),
      });
  }
}

for await (const line of createInterface({ input: process.stdin })) await obey(JSON.parse(line));
process.exit(0);
