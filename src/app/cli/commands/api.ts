/** `heddle api`: the OpenAPI document of the control API, as every daemon of this version serves it. */
import type { Command } from 'commander';
import { openApiDocument } from '../../../edge/control/openapi.js';
import { examples } from '../examples.js';
import { printJson } from '../terminal.js';

export function register(program: Command): void {
  program
    .command('api')
    .description("the control API's OpenAPI document, for client generators and editors")
    .addHelpText(
      'after',
      `${examples('heddle api > heddle-api.json', `heddle api | jq '.paths | keys'`)}
No daemon is asked: GET /openapi.json of a daemon is the same.`,
    )
    .action(() => printJson(openApiDocument()));
}
