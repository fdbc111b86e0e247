/** `heddle lab ui`: the fabric page of a whole lab. */
import { PageServer } from '../../../edge/control/page/page-server.js';
import type { Lab } from '../../lab/lab.js';
import { LabPage } from '../../page/lab-page.js';
import { CommandError } from '../exit-codes.js';
import { showPage } from '../local-page.js';

/** Until it is ended; throws CommandError when the lab is taken down before. */
export async function showLab(lab: Lab, port: number): Promise<void> {
  const page = new LabPage(lab);
  const server = new PageServer(page);
  let isDown = false;
  const ended = page.run().then(() => {
    isDown = true;
  });
  try {
    await showPage(
      {
        port,
        what: `lab ${lab.name}`,
        answer: (request, response) => {
          if (server.serve(request, response)) return;
          const body = JSON.stringify({ error: `nothing at ${request.url}` });
          response.writeHead(404, { 'content-type': 'application/json' }).end(body);
        },
      },
      ended,
    );
    if (isDown) throw new CommandError(`lab ${lab.name} was taken down`);
  } finally {
    server.close();
    page.close();
    await ended;
  }
}
