/** `heddle ui`: the fabric page of a running daemon, for a browser on this machine. */
import type { Command } from 'commander';
import { ControlClient } from '../../../edge/control/client.js';
import { forward } from '../../../edge/control/page/forward.js';
import { examples } from '../examples.js';
import { EXIT_CODES_HELP } from '../exit-codes.js';
import { PAGE_HELP, PORT_OPTION, showPage } from '../local-page.js';
import { chooseSocket, NODE_OPTION, SOCKET_OPTION, type SocketOptions } from '../socket-choice.js';

export function register(program: Command): void {
  program
    .command('ui')
    .description('show a running daemon in a browser: its links, sessions, prefixes and what changes')
    .addOption(SOCKET_OPTION)
    .addOption(NODE_OPTION)
    .addOption(PORT_OPTION)
    .addHelpText(
      'after',
      `${examples('heddle ui', 'heddle ui --node leaf1 --port 8180')}${PAGE_HELP}\n${EXIT_CODES_HELP}`,
    )
    .action(ui);
}

async function ui({ port, ...options }: SocketOptions & { readonly port: number }): Promise<void> {
  const socket = chooseSocket(options);
  const { name } = await new ControlClient(socket).summary();
  await showPage({
    port,
    what: name,
    answer: ({ method, url = '/' }, response) => {
      if (method === 'GET') return forward(socket, url, response);
      const body = JSON.stringify({ error: 'a daemon is only shown here' });
      response.writeHead(405, { 'content-type': 'application/json' }).end(body);
    },
  });
}
