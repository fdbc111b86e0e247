/** Serves a page on loopback until somebody ends the command; what `heddle ui` and `heddle lab ui` have in common. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Option } from 'commander';
import { serveLocally } from '../../edge/control/page/local-server.js';
import { CommandError } from './exit-codes.js';
import { print } from './terminal.js';
import { wholeNumber } from './whole-number.js';

export const PORT_OPTION = new Option('--port <PORT>', 'TCP port on 127.0.0.1; 0: any that is free')
  .default(8179)
  .argParser(wholeNumber(0, 65535));

export const PAGE_HELP = `
It listens on loopback alone. From another machine: ssh -L 8179:127.0.0.1:8179 HOST, then open http://127.0.0.1:8179/ there.
Ctrl-C ends it, with exit code 0.
`;

export interface ServedPage {
  readonly port: number;
  /** What is shown: `lab demo`. */
  readonly what: string;
  answer(request: IncomingMessage, response: ServerResponse): void;
}

/** Resolves at SIGINT, SIGTERM, and when `ended` does. Throws CommandError. */
export async function showPage({ port, what, answer }: ServedPage, ended?: Promise<void>): Promise<void> {
  const server = await serveLocally(port, answer).catch((error: Error) => {
    throw new CommandError(error.message);
  });
  const leave = signalled();
  try {
    print([`${what}: ${server.address} (Ctrl-C ends)`]);
    await Promise.race([leave.signal, ...(ended ? [ended] : [])]);
  } finally {
    leave.forget();
    await server.close();
  }
}

function signalled(): { readonly signal: Promise<void>; forget(): void } {
  let end = (): void => undefined;
  const signal = new Promise<void>((resolve) => {
    end = resolve;
  });
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, end);
  const forget = (): void => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, end);
  };
  return { signal, forget };
}
